#include "phasor/paper/paper_cells.h"

#include <fmt/format.h>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor::paper {
namespace {

std::string canonical(const std::string& expression) { return print(parse_encoding(expression)); }

}  // namespace

const std::vector<PaperEncoding>& paper_encodings() {
  static const std::vector<PaperEncoding> encodings = [] {
    std::vector<PaperEncoding> all = {
        {"NoPE", "nope", "nope"},
        {"Absolute", "sinusoidal", "sinusoidal"},
        {"Random", "learned(init=1)", "learned(init=1)"},
        {"Relative", "relative", "relative"},
        {"ALiBi", "alibi", "alibi(slopes=released)"},
        {"RoPE", "rope", "rope"},
        {"RoPE+Absolute", "sinusoidal+rope", "sinusoidal(layout=halves)+rope"},
        {"MLA", "mla", "learned(init=0)+mla(query=shared,table=released,norm=none)"},
    };
    for (PaperEncoding& encoding : all) {
      encoding.clean = canonical(encoding.clean);
      encoding.released = canonical(encoding.released);
    }
    return all;
  }();
  return encodings;
}

const PaperEncoding& paper_encoding(const std::string& name) {
  for (const PaperEncoding& encoding : paper_encodings()) {
    if (encoding.name == name) return encoding;
  }
  fail("the paper has no encoding '{}'", name);
}

CellName cell_of(const PaperEncoding& encoding, const std::string& task, const std::string& protocol,
                 const std::string& variant) {
  if (protocol == kClean) return {task, kClean, encoding.clean, variant};
  return {task, encoding.name == "MLA" ? kReleasedMla : kReleased, encoding.released, variant};
}

const PrincipleEncodings& principle_encodings() {
  static const PrincipleEncodings encodings = {
      .multiplied_relative = {"multiplied, relative", canonical("rope")},
      .multiplied_random = {"multiplied, random", canonical("scattered(rope)")},
      .added_relative = {"added, relative", canonical("sinusoidal")},
      .added_random = {"added, random", canonical("scattered(sinusoidal)")},
  };
  return encodings;
}

CellName rotary_heads_cell(int64_t k, int64_t heads, const std::string& task, const std::string& protocol) {
  if (k == 0) return {task, protocol, "nope", ""};
  if (k == heads) return {task, protocol, "rope", ""};
  return {task, protocol, canonical(k == 1 ? "rope[heads=0]" : fmt::format("rope[heads=0-{}]", k - 1)), ""};
}

CellName matched_cell() { return {kDistance, kClean, "rope", "as many parameters as mla"}; }

const std::vector<Confound>& confounds() {
  static const std::vector<Confound> all = {
      {"keys_values",
       "keys and values of every layer from the embeddings",
       {{"protocol.kv_source", "hidden"}},
       {{"protocol.kv_source", "input"}}},
      {"padding",
       "pads that attention and readout see",
       {{"protocol.padding", "none"}},
       {{"protocol.padding", "visible"}}},
      {"final_norm", "no norm before the readout", {{"model.final_norm", "true"}}, {{"model.final_norm", "false"}}},
      {"fillers", "fillers that may be trigger words", {{"task.fillers", "distinct"}}, {{"task.fillers", "any"}}},
      {"optimiser",
       "betas 0.98 and 0.9, weight decay 1e-5",
       {{"train.beta1", "0.9"}, {"train.beta2", "0.98"}, {"train.weight_decay", "0.01"}},
       {{"train.beta1", "0.98"}, {"train.beta2", "0.9"}, {"train.weight_decay", "1e-05"}}},
      {"answers",
       "one class per word of the vocabulary, class 0 not scored",
       {{"protocol.classes", "task"}, {"protocol.label0", "counted"}},
       {{"protocol.classes", "words"}, {"protocol.label0", "ignored"}}},
  };
  return all;
}

CellName audit_base_cell(const std::string& encoding, const std::string& protocol) {
  return {kDistance, protocol, encoding, protocol == kClean ? "base of the audit" : ""};
}

CellName audit_cell(const std::string& encoding, const std::string& protocol, const Confound& confound) {
  return {kDistance, protocol, encoding,
          fmt::format("{} as {}", confound.name, protocol == kClean ? kReleased : kClean)};
}

const std::vector<std::string>& audited_encodings() {
  static const std::vector<std::string> audited = {"rope", "sinusoidal"};
  return audited;
}

}  // namespace phasor::paper
