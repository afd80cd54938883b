#pragma once
// Where the tests find what is not compiled into them. Only paths.cpp is compiled with these names: the others are the
// same in every clone, so that a compiler cache knows them again.
namespace phasor {

const char* fixtures_folder();  // tests/fixtures
const char* phasor_binary();    // the phasor command
const char* fault_layer();      // the library under the C library (tests/faults); empty where there is none

}  // namespace phasor
