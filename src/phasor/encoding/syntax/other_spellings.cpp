#include "phasor/encoding/syntax/other_spellings.h"

#include <fmt/format.h>

#include <algorithm>

namespace phasor {
namespace {

const OtherSpelling* find_spelling(std::string_view word) {
  const std::vector<OtherSpelling>& all = other_spellings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const OtherSpelling& spelling) { return spelling.word == word; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<OtherSpelling>& other_spellings() {
  static constexpr std::string_view kBase = "rope(base=500000)";
  static constexpr std::string_view kFraction = "rope(fraction=0.25)";
  static constexpr std::string_view kYarn = "rope(scaling=yarn,factor=4,original=8192)";
  static constexpr std::string_view kLlama = "rope(scaling=llama3,factor=8,low=1,high=4,original=8192)";
  static constexpr std::string_view kLong =
      R"(rope(scaling=longrope,factor=4,original=64,short="1,1,1,1",long="1,2,3,4"))";
  static const std::vector<OtherSpelling> all = {
      {"rope_theta", "base", kBase},
      {"theta", "base", kBase},
      {"rotary_base", "base", kBase},
      {"rotary_emb_base", "base", kBase},
      {"rotary_pct", "fraction", kFraction},
      {"rotary_percent", "fraction", kFraction},
      {"partial_rotary_factor", "fraction", kFraction},
      {"rotary_dim", "fraction", kFraction},
      {"rope_scaling", "scaling", kYarn},
      {"rope_type", "scaling", kYarn},
      {"rope_parameters", "scaling", kYarn},
      {"original_max_position_embeddings", "original", kYarn},
      {"max_position_embeddings", "original", kYarn},
      {"attention_factor", "attention", "rope(scaling=yarn,factor=4,original=8192,attention=1.2)"},
      {"low_freq_factor", "low", kLlama},
      {"high_freq_factor", "high", kLlama},
      {"short_factor", "short", kLong},
      {"long_factor", "long", kLong},
      {"position_embedding_type", "", "model.encoding=rope"},
      {"hidden_size", "", "model.width=64"},
      {"num_hidden_layers", "", "model.layers=4"},
      {"num_attention_heads", "", "model.heads=4"},
      {"num_key_value_heads", "", "model.kv_heads=2"},
      {"head_dim", "", "model.head_width=16"},
      {"intermediate_size", "", "model.hidden=256"},
      {"is_causal", "", "model.causal=true"},
  };
  return all;
}

std::string argument_hint(std::string_view word) {
  const OtherSpelling* spelling = find_spelling(word);
  if (spelling == nullptr) return "";
  if (spelling->argument.empty()) return fmt::format("; it is a setting of a run here: {}", spelling->written);
  return fmt::format("; {} is '{}' here: {}", word, spelling->argument, spelling->written);
}

std::string key_hint(std::string_view key) {
  const size_t dot = key.rfind('.');
  const std::string_view word = dot == std::string_view::npos ? key : key.substr(dot + 1);
  const OtherSpelling* spelling = find_spelling(word);
  if (spelling == nullptr) return "";
  if (spelling->argument.empty()) return fmt::format("; here it is written {}", spelling->written);
  return fmt::format("; {} is the argument '{}' of an encoding here: 'model.encoding={}'", word, spelling->argument,
                     spelling->written);
}

}  // namespace phasor
