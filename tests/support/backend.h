#pragma once
// The backend under test: PHASOR_TEST_BACKEND, or "cpu".
#include <gtest/gtest.h>

#include <cstdlib>

#include "phasor/engine/backend.h"
#include "phasor/engine/cpu/gemm.h"
#include "phasor/engine/devices.h"

namespace phasor::testing_support {

inline std::unique_ptr<Backend> make_test_backend() {
  const char* chosen = std::getenv("PHASOR_TEST_BACKEND");
  return make_backend(chosen == nullptr ? kDefaultDevice : chosen);
}

inline Backend& test_backend() {
  static const std::unique_ptr<Backend> backend = make_test_backend();
  return *backend;
}

}  // namespace phasor::testing_support

#define PHASOR_SKIP_WITHOUT(dtype)                                                                           \
  if (!phasor::testing_support::test_backend().supports(dtype))                                              \
  GTEST_SKIP() << phasor::testing_support::test_backend().description() << " has no " << phasor::name(dtype) \
               << " products in this build or on this machine"

// For tests of bits that must not depend on where in a batch a sequence stands.
#define PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE()                                   \
  if (!phasor::available_gemms().front()->rows_are_alike())                   \
  GTEST_SKIP() << "products by " << phasor::available_gemms().front()->name() \
               << " depend in the last bits on a row's place, on this machine"
