#include "phasor/run/encoding_swap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/base/error.h"

namespace phasor {
namespace {

constexpr std::string_view kLength = "length", kTrained = "trained";

const Parameter* find_parameter(const ParameterLayout& layout, std::string_view name) {
  const auto found = std::find_if(layout.entries().begin(), layout.entries().end(),
                                  [&](const Parameter& entry) { return entry.name == name; });
  return found == layout.entries().end() ? nullptr : &*found;
}

const LearnedParameter* find_learned(const ResolvedEncoding& encoding, std::string_view name) {
  const auto found = std::find_if(encoding.parameters.begin(), encoding.parameters.end(),
                                  [&](const LearnedParameter& learned) { return learned.name == name; });
  return found == encoding.parameters.end() ? nullptr : &*found;
}

// Weights of the model itself, whatever its encoding.
void require_same_weights(const EncodedLayout& trained, const EncodedLayout& other) {
  const auto check = [](const EncodedLayout& has, const EncodedLayout& lacks, const char* what) {
    for (const Parameter& entry : has.layout.entries()) {
      if (find_learned(has.encoding, entry.name) != nullptr || find_parameter(lacks.layout, entry.name) != nullptr)
        continue;
      fail_usage(
          "{} does not fit the weights of {}: {} '{}'; an encoding with projections of its own has to be trained "
          "from the start",
          what[0] == 'i' ? has.encoding.expression : lacks.encoding.expression,
          what[0] == 'i' ? lacks.encoding.expression : has.encoding.expression, what, entry.name);
    }
  };
  check(other, trained, "it needs");
  check(trained, other, "no place is left for");
  for (const Parameter& entry : trained.layout.entries()) {
    const Parameter* same = find_parameter(other.layout, entry.name);
    if (same == nullptr || same->shape == entry.shape || find_learned(trained.encoding, entry.name) != nullptr)
      continue;
    fail_usage("{} does not fit the weights of {}: '{}' was trained as [{}] and would have to be [{}]",
               other.encoding.expression, trained.encoding.expression, entry.name, fmt::join(entry.shape, ", "),
               fmt::join(same->shape, ", "));
  }
}

void require_same_tensor(const EncodedLayout& trained, const EncodedLayout& other, const LearnedParameter& learned,
                         const LearnedParameter& wanted) {
  if (learned.shape != wanted.shape) {
    fail_usage("{} does not fit the trained numbers of {}: '{}' was trained as [{}] and would have to be [{}]",
               other.encoding.expression, trained.encoding.expression, learned.name, fmt::join(learned.shape, ", "),
               fmt::join(wanted.shape, ", "));
  }
  if (learned.heads != wanted.heads) {
    fail_usage("{} does not fit the trained numbers of {}: '{}' was trained for heads {} and would be read by heads {}",
               other.encoding.expression, trained.encoding.expression, learned.name, fmt::join(learned.heads, ", "),
               fmt::join(wanted.heads, ", "));
  }
}

// "layers.<l>.encoding.t5.bias" once for all layers.
std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::string name : names) {
    constexpr std::string_view kLayers = "layers.";
    if (name.rfind(kLayers, 0) == 0) name = "layers.<l>" + name.substr(name.find('.', kLayers.size()));
    if (std::find(shown.begin(), shown.end(), name) == shown.end()) shown.push_back(name);
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

}  // namespace

std::string encoding_at_length(std::string_view expression, double factor, int64_t trained) {
  std::string text;
  for (size_t at = 0; at < expression.size();) {
    const size_t open = std::min(expression.find('{', at), expression.size());
    text += expression.substr(at, open - at);
    if (open == expression.size()) break;
    const size_t close = expression.find('}', open);
    const std::string_view word =
        expression.substr(open + 1, (close == std::string_view::npos ? expression.size() : close) - open - 1);
    if (close == std::string_view::npos || (word != kLength && word != kTrained)) {
      fail_usage(
          "{}: '{{{}}}' stands for nothing; {{length}} is how many times as long as in training sequences are, "
          "{{trained}} the longest of training in tokens",
          expression, word);
    }
    text += word == kLength ? fmt::format("{}", factor) : fmt::format("{}", trained);
    at = close + 1;
  }
  return text;
}

bool goes_by_length(std::string_view expression) { return expression.find("{length}") != std::string_view::npos; }

EncodingSwap compare_layouts(const EncodedLayout& trained, const EncodedLayout& other) {
  EncodingSwap swap{.from = trained.encoding.expression, .to = other.encoding.expression};
  require_same_weights(trained, other);
  for (const LearnedParameter& learned : trained.encoding.parameters) {
    const LearnedParameter* wanted = find_learned(other.encoding, learned.name);
    if (wanted == nullptr) {
      swap.dropped.push_back(learned.name);
      continue;
    }
    require_same_tensor(trained, other, learned, *wanted);
    swap.kept.push_back(learned.name);
    if (!(learned.initial == wanted->initial)) swap.overruled.push_back(learned.name);
  }
  for (const LearnedParameter& wanted : other.encoding.parameters) {
    if (find_learned(trained.encoding, wanted.name) == nullptr) swap.added.push_back(wanted.name);
  }
  return swap;
}

void require_trained(const EncodingSwap& swap, const std::string& run) {
  if (swap.added.empty()) return;
  fail_usage(
      "{} has trained numbers that this run never had ({}): 'phasor train --from {} --encoding ... --steps N' "
      "learns them",
      swap.to, listed(swap.added), run.empty() ? "RUN" : run);
}

std::vector<float> carried_parameters(const ParameterLayout& trained, const std::vector<float>& values,
                                      const ParameterLayout& other, std::vector<float> start) {
  for (const Parameter& entry : other.entries()) {
    const Parameter* known = find_parameter(trained, entry.name);
    if (known == nullptr) continue;
    if (known->shape != entry.shape) fail("'{}' has another shape now", entry.name);
    std::copy_n(values.begin() + known->offset, known->size, start.begin() + entry.offset);
  }
  return start;
}

std::vector<std::string> swap_notes(const EncodingSwap& swap) {
  std::vector<std::string> notes;
  if (!swap.dropped.empty()) {
    notes.push_back(
        fmt::format("trained numbers that {} has no use for are dropped: {}", swap.to, listed(swap.dropped)));
  }
  if (!swap.added.empty()) {
    notes.push_back(fmt::format("numbers that were never trained start as in a new model: {}", listed(swap.added)));
  }
  if (!swap.overruled.empty()) {
    notes.push_back(
        fmt::format("trained numbers stay as they are; that {} would start them elsewhere changes nothing: {}", swap.to,
                    listed(swap.overruled)));
  }
  return notes;
}

}  // namespace phasor
