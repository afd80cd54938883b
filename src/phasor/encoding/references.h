#pragma once
// What to cite for an encoding: papers as data, the only place where they stand so.
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/encoding.h"

namespace phasor {

struct Reference {
  std::string key;                   // "su2021roformer"
  std::vector<std::string> authors;  // "Su, Jianlin"; an organisation without a comma; "others" for those not listed
  std::string title;
  int year = 0;
  std::string arxiv;  // "2104.09864"; empty: it is not there
  std::string venue;  // where it was published besides; often empty
  std::string url;    // of what is not on arXiv
};
const Fields<Reference>& json_fields(const Reference*);

// All of encodings, and the paper that Phasor reproduces.
const std::vector<Reference>& references();
// Throws Error where there is none.
const Reference& find_reference(std::string_view key);

inline constexpr const char* kReproducedPaper = "gu2025deconstructing";  // arXiv 2505.13027

struct EncodingReferences {
  std::vector<std::string> keys;           // in the order of the terms, each once
  std::vector<std::string> without_paper;  // terms that have none: "bias", "scattered"
};
// Of all its terms and of those within them, with the rules that stretch their frequencies.
EncodingReferences references_of(const Encoding& encoding);

}  // namespace phasor
