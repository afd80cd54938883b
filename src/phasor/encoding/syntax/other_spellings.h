#pragma once
// What other libraries call what has a name here: an error that meets their word says ours.
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

struct OtherSpelling {
  std::string_view word;      // as configurations of Hugging Face, GPT-NeoX or Megatron have it
  std::string_view argument;  // of an encoding; empty: it is none
  std::string_view written;   // an expression, or a setting with its key
};

// All of them. The one table: arguments of encodings and keys of a run both read it.
const std::vector<OtherSpelling>& other_spellings();

// "; rope_theta is 'base' here: rope(base=500000)", or nothing for a word that is not in the table.
std::string argument_hint(std::string_view word);

// "; rope_theta is an argument of the encoding here: model.encoding=rope(base=500000)". Of a dotted key the last part
// counts.
std::string key_hint(std::string_view key);

}  // namespace phasor
