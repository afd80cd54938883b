#include "phasor/encoding/catalogue.h"

#include <fmt/format.h>

#include "phasor/base/suggest.h"
#include "phasor/encoding/encoding_error.h"

namespace phasor {

// Each is defined in the file of its name.
EncodingEntry nope_entry();
EncodingEntry sinusoidal_entry();
EncodingEntry learned_entry();
EncodingEntry alibi_entry();
EncodingEntry rope_entry();

const std::vector<EncodingEntry>& encoding_catalogue() {
  static const std::vector<EncodingEntry> entries = {
      nope_entry(), sinusoidal_entry(), learned_entry(), alibi_entry(), rope_entry(),
  };
  return entries;
}

const EncodingEntry* find_encoding(std::string_view name) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const EncodingEntry& entry_of(const Term& term, std::string_view text) {
  if (const EncodingEntry* entry = find_encoding(term.name)) return *entry;
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue()) names.push_back(entry.name);
  throw EncodingError(text, term.column,
                      fmt::format("unknown encoding '{}'{}", term.name, suggestion(term.name, names)));
}

std::unique_ptr<EncodingComponent> make_component(const Term& term, std::string_view text) {
  const EncodingEntry& entry = entry_of(term, text);
  return entry.make(EncodingArguments(term, entry.parameters, text));
}

}  // namespace phasor
