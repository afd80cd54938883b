#pragma once
// References as BibTeX, in ASCII.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/encoding/references.h"

namespace phasor {

// An entry of the kind @misc; titles keep their capitals.
std::string bibtex(const Reference& reference);

// @software: this program, of the version that was built.
std::string program_bibtex();
// The same as data: key, authors, title, version, commit, licence.
nlohmann::ordered_json program_citation();

}  // namespace phasor
