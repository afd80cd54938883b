#pragma once
// What Hugging Face transformers makes of positional encodings (tools/make_encoding_fixtures.py, whose head describes
// the files). Numbers without "float32" in their name are the library's functions run in double.
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/encoding/syntax/printer.h"
#include "support/paths.h"

namespace phasor::testing_support {

struct RopeFrequencies {
  std::string name;  // "yarn_mscale_d16_b10000"
  std::string type;  // default, linear, proportional, dynamic, yarn, llama3, longrope
  int64_t head_width = 0;
  double base = 0;
  int64_t original_length = 0;
  int64_t max_length = 0;       // original_length times factor, but equal to it for default and dynamic
  int64_t sequence_length = 0;  // 0 where the library was given none

  double factor = 1;
  double fraction = 1;                           // of the channels that are rotated
  std::optional<double> given_attention_factor;  // yarn and longrope, in place of their own
  double beta_fast = 32, beta_slow = 1;          // yarn, as are the next three
  std::optional<double> mscale, mscale_all_dim;
  bool truncate = true;
  double low_frequency_factor = 0, high_frequency_factor = 0;  // llama3
  std::vector<double> short_factor, long_factor;               // longrope, one per pair

  // One per rotated pair; for type proportional one per pair of the head, zeros at the end.
  std::vector<double> frequencies, frequencies_float32;
  double attention_factor = 0;  // on sine and cosine, so that its square is on the logits
};

inline std::string quoted_list(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ",") + print_number(number);
  return '"' + text + '"';
}

// What a user would write for the library's configuration.
inline std::string rope_expression(const RopeFrequencies& entry) {
  std::string text = entry.type == "proportional" ? "prope(p=" + print_number(entry.fraction)
                                                  : "rope(fraction=" + print_number(entry.fraction);
  text += ",base=" + print_number(entry.base);
  const auto add = [&text](const std::string& key, double value) { text += "," + key + "=" + print_number(value); };
  const bool scaled = entry.type != "default" && entry.type != "proportional";
  if (scaled) {
    text += ",scaling=" + entry.type;
    add("factor", entry.factor);
    if (entry.type != "linear") add("original", static_cast<double>(entry.original_length));
  }
  if (entry.type == "yarn") {
    add("beta_fast", entry.beta_fast);
    add("beta_slow", entry.beta_slow);
    if (!entry.truncate) text += ",truncate=no";
    if (entry.mscale) add("mscale", *entry.mscale);
    if (entry.mscale_all_dim) add("mscale_all_dim", *entry.mscale_all_dim);
  }
  if (entry.type == "llama3") {
    add("low", entry.low_frequency_factor);
    add("high", entry.high_frequency_factor);
  }
  if (entry.type == "longrope")
    text += ",short=" + quoted_list(entry.short_factor) + ",long=" + quoted_list(entry.long_factor);
  if (entry.given_attention_factor) add("attention", *entry.given_attention_factor);
  return text + ")";
}

// T5's numbers for key position - query position.
struct BucketTable {
  int64_t buckets = 0;
  int64_t max_distance = 0;
  bool bidirectional = false;
  int64_t first = 0;            // the offset of values[0]
  std::vector<int64_t> values;  // as the library has them, in float32
  // Offsets whose bucket depends on the precision of the logarithm, with the bucket in double.
  std::map<int64_t, int64_t> rounding_dependent;

  int64_t last() const { return first + static_cast<int64_t>(values.size()) - 1; }
  int64_t bucket(int64_t offset) const { return values.at(static_cast<size_t>(offset - first)); }
};

// The library raises a rounded base to the powers 1 .. heads: expect as many roundings.
struct AlibiSlopes {
  int64_t heads = 0;
  std::vector<double> slopes, slopes_float32;
};

// One attention module of DeepSeek-V3. The JSON's "layout" says which channel is what.
class LatentAttention {
 public:
  LatentAttention(const nlohmann::json& json, const std::string& folder)
      : tokens(json.at("tokens")),
        width(json.at("config").at("hidden_size")),
        heads(json.at("config").at("num_attention_heads")),
        content_width(json.at("config").at("qk_nope_head_dim")),
        rotated_width(json.at("config").at("qk_rope_head_dim")),
        value_width(json.at("config").at("v_head_dim")),
        key_value_rank(json.at("config").at("kv_lora_rank")),
        query_rank(json.at("config").at("q_lora_rank")),
        base(json.at("base")),
        interleaved(json.at("rope_interleave")),
        scale(json.at("scale")),
        norm_epsilon(json.at("norm_epsilon")),
        file_(SafetensorsFile::open(folder + "/" + json.at("file").get<std::string>())) {}

  int64_t tokens, width, heads, content_width, rotated_width, value_width, key_value_rank, query_rank;
  double base;
  bool interleaved;  // rotated pairs are (2 c, 2 c + 1), else (c, c + rotated_width / 2)
  double scale;      // counted in `logits`
  double norm_epsilon;

  // "hidden", "weight/q_a_proj.weight", ..., "logits", "probabilities", "output"
  std::vector<double> tensor(const std::string& name, const TensorShape& shape) const {
    const auto values = file_.data<double>(name, shape);
    return {values.begin(), values.end()};
  }

 private:
  SafetensorsFile file_;
};

class HuggingfaceFixture {
 public:
  explicit HuggingfaceFixture(const std::string& folder = fixtures_folder())
      : folder_(folder), json_(read(folder + "/huggingface_encodings.json")) {}

  std::string version() const { return json_.at("versions").at("transformers"); }

  std::vector<RopeFrequencies> rope() const {
    std::vector<RopeFrequencies> cases;
    for (const auto& json : json_.at("rope").at("cases")) cases.push_back(rope_case(json));
    return cases;
  }
  // Of one type, or all whose name starts so: "yarn", "longrope_attention".
  std::vector<RopeFrequencies> rope(const std::string& prefix) const {
    std::vector<RopeFrequencies> cases = rope();
    std::erase_if(cases, [&](const RopeFrequencies& entry) { return !entry.name.starts_with(prefix); });
    if (cases.empty()) fail("huggingface_encodings.json has no case '{}...'", prefix);
    return cases;
  }

  std::vector<BucketTable> t5() const {
    std::vector<BucketTable> tables;
    for (const auto& json : json_.at("t5").at("tables")) {
      BucketTable table{.buckets = json.at("buckets"),
                        .max_distance = json.at("max_distance"),
                        .bidirectional = json.at("bidirectional"),
                        .first = json_.at("t5").at("first"),
                        .values = json.at("values"),
                        .rounding_dependent = {}};
      for (const auto& entry : json.at("rounding_dependent")) table.rounding_dependent[entry.at(0)] = entry.at(2);
      tables.push_back(std::move(table));
    }
    return tables;
  }

  std::vector<AlibiSlopes> alibi() const {
    std::vector<AlibiSlopes> cases;
    for (const auto& json : json_.at("alibi").at("cases")) {
      cases.push_back({json.at("heads"), json.at("slopes"), json.at("slopes_float32")});
    }
    return cases;
  }

  LatentAttention mla() const { return {json_.at("mla"), folder_}; }

 private:
  static nlohmann::json read(const std::string& path) {
    std::ifstream file(path);
    if (!file) fail("'{}' cannot be opened", path);
    nlohmann::json json = nlohmann::json::parse(file);
    if (json.contains("failed"))
      fail("'{}' was written by a run in which {} parts failed", path, json["failed"].size());
    return json;
  }

  static std::optional<double> find(const nlohmann::json& json, const char* key) {
    return json.contains(key) ? std::optional<double>(json.at(key).get<double>()) : std::nullopt;
  }

  static RopeFrequencies rope_case(const nlohmann::json& json) {
    const nlohmann::json& given = json.at("parameters");
    RopeFrequencies result;
    result.name = json.at("name");
    result.type = json.at("type");
    result.head_width = json.at("head_dim");
    result.base = json.at("base");
    result.original_length = json.at("original_max_position_embeddings");
    result.max_length = json.at("max_position_embeddings");
    if (!json.at("sequence_length").is_null()) result.sequence_length = json.at("sequence_length");
    result.factor = given.value("factor", result.factor);
    result.fraction = given.value("partial_rotary_factor", result.fraction);
    result.given_attention_factor = find(given, "attention_factor");
    result.beta_fast = given.value("beta_fast", result.beta_fast);
    result.beta_slow = given.value("beta_slow", result.beta_slow);
    result.mscale = find(given, "mscale");
    result.mscale_all_dim = find(given, "mscale_all_dim");
    result.truncate = given.value("truncate", result.truncate);
    result.low_frequency_factor = given.value("low_freq_factor", 0.0);
    result.high_frequency_factor = given.value("high_freq_factor", 0.0);
    result.short_factor = given.value("short_factor", result.short_factor);
    result.long_factor = given.value("long_factor", result.long_factor);
    result.frequencies = json.at("frequencies").get<std::vector<double>>();
    result.frequencies_float32 = json.at("frequencies_float32").get<std::vector<double>>();
    result.attention_factor = json.at("attention_factor");
    return result;
  }

  std::string folder_;
  nlohmann::json json_;
};

}  // namespace phasor::testing_support
