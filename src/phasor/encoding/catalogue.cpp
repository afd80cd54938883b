#include "phasor/encoding/catalogue.h"

#include <fmt/format.h>

#include "phasor/base/suggest.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {

// Each is defined in the file of its name.
EncodingEntry nope_entry();
EncodingEntry integer_entry();
EncodingEntry binary_entry();
EncodingEntry sinusoidal_entry();
EncodingEntry learned_entry();
EncodingEntry random_entry();
EncodingEntry alibi_entry();
EncodingEntry t5_entry();
EncodingEntry relative_entry();
EncodingEntry kerple_entry();
EncodingEntry sandwich_entry();
EncodingEntry fire_entry();
EncodingEntry fox_entry();
EncodingEntry cable_entry();
EncodingEntry selective_rope_entry();
EncodingEntry repo_entry();
EncodingEntry cope_entry();
EncodingEntry path_entry();
EncodingEntry accumulated_random_entry();
EncodingEntry shaw_entry();
EncodingEntry transformer_xl_entry();
EncodingEntry deberta_entry();
EncodingEntry rope_entry();
EncodingEntry prope_entry();
EncodingEntry xpos_entry();
EncodingEntry self_extend_entry();
EncodingEntry rerope_entry();
EncodingEntry ssmax_entry();
EncodingEntry logn_entry();
EncodingEntry llama4_scale_entry();
EncodingEntry pope_entry();
EncodingEntry mla_entry();
EncodingEntry sink_entry();
EncodingEntry randomized_entry();
EncodingEntry scattered_entry();
EncodingEntry segments_entry();
EncodingEntry concat_entry();
EncodingEntry bias_entry();
EncodingEntry scale_entry();
EncodingEntry input_entry();

const std::vector<EncodingEntry>& encoding_catalogue() {
  static const std::vector<EncodingEntry> entries = {
      // the road to RoPE
      nope_entry(),
      integer_entry(),
      binary_entry(),
      sinusoidal_entry(),
      learned_entry(),
      random_entry(),
      // distance biases
      alibi_entry(),
      t5_entry(),
      relative_entry(),
      kerple_entry(),
      sandwich_entry(),
      fire_entry(),
      // gates of the tokens
      fox_entry(),
      cable_entry(),
      selective_rope_entry(),
      repo_entry(),
      cope_entry(),
      path_entry(),
      // vectors by distance
      shaw_entry(),
      transformer_xl_entry(),
      deberta_entry(),
      // rotations
      rope_entry(),
      prope_entry(),
      xpos_entry(),
      self_extend_entry(),
      rerope_entry(),
      // factors by the query
      ssmax_entry(),
      logn_entry(),
      llama4_scale_entry(),
      accumulated_random_entry(),
      pope_entry(),
      // decoupled path
      mla_entry(),
      // the softmax
      sink_entry(),
      // wrappers, and encodings by formula
      randomized_entry(),
      scattered_entry(),
      segments_entry(),
      concat_entry(),
      bias_entry(),
      scale_entry(),
      input_entry(),
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
  return entry_of(term, text).make(arguments_of(term, text));
}

std::string_view parameter_name(const TermArgument& argument, const EncodingEntry& entry) {
  return argument.key.empty() ? entry.parameters.front().name : argument.key;
}

EncodingArguments arguments_of(const Term& term, std::string_view text) {
  const EncodingEntry& entry = entry_of(term, text);
  return {term, entry.parameters, text, entry.other_arguments};
}

}  // namespace phasor
