#pragma once
// Every encoding that can be named, with its parameters and where it comes from.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/component.h"
#include "phasor/encoding/syntax/arguments.h"
#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

struct EncodingEntry {
  std::string name;
  std::string summary;  // one line
  std::string formula;  // p position, d = p_j - p_i distance, c channel or channel pair, h head, H heads
  std::string paper;
  int year = 0;
  std::vector<EncodingParameter> parameters;
  OtherArguments other_arguments = OtherArguments::refused;
  std::string notes;    // what a user should know beyond that, in Markdown
  std::string example;  // an expression that shows it, where the bare name does not stand for it
  std::unique_ptr<EncodingComponent> (*make)(const EncodingArguments& arguments) = nullptr;
};

// In the order in which `phasor encodings` lists them and canonical texts put them.
const std::vector<EncodingEntry>& encoding_catalogue();

// Null for a name that is not in the catalogue.
const EncodingEntry* find_encoding(std::string_view name);

// Throws EncodingError for a name or arguments that the catalogue does not know. `text` is what the
// term's columns point into.
const EncodingEntry& entry_of(const Term& term, std::string_view text);
std::unique_ptr<EncodingComponent> make_component(const Term& term, std::string_view text);
EncodingArguments arguments_of(const Term& term, std::string_view text);

// The parameter that an argument of a canonical term is for: the first one needs no name.
std::string_view parameter_name(const TermArgument& argument, const EncodingEntry& entry);

}  // namespace phasor
