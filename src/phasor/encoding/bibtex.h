#pragma once
// References as BibTeX, in ASCII.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phasor/encoding/references.h"

namespace phasor {

// An entry of the kind @misc; titles keep their capitals.
std::string bibtex(const Reference& reference);

// This program, of the version that was built; @misc, since not every style knows @software.
std::string program_bibtex();
// The same as data: key, authors, title, version, commit, licence.
nlohmann::ordered_json program_citation();

}  // namespace phasor
