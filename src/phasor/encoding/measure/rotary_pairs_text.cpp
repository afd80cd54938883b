#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/measure/rotary_pairs.h"

namespace phasor {
namespace {

using Change = RotaryPair::Change;

constexpr size_t kPairsWidth = 100;
constexpr size_t kMostRows = 20;  // that are shown one by one
constexpr size_t kEndRows = 3;    // of an end of a longer table
constexpr int64_t kMostRamped = 12;

std::string listed(const std::vector<int64_t>& numbers) {
  std::vector<IndexRange> ranges;
  ranges.reserve(numbers.size());
  for (const int64_t number : numbers) ranges.push_back({number, number});
  return print(IndexSet(ranges));
}

std::string layers_and_heads(const RotaryPairs& group, const EncodingShape& shape) {
  const auto whole = [&shape](const RotaryPairs::Heads& at) {
    return static_cast<int64_t>(at.heads.size()) == shape.heads;
  };
  const bool alike = std::all_of(group.where.begin(), group.where.end(),
                                 [&](const RotaryPairs::Heads& at) { return at.heads == group.where.front().heads; });
  if (!alike) return fmt::format("{} layers, other heads in each", group.where.size());
  std::vector<int64_t> layers;
  for (const RotaryPairs::Heads& at : group.where) layers.push_back(at.layer);
  const bool all_layers = static_cast<int64_t>(layers.size()) == shape.layers;
  const bool all_heads = whole(group.where.front());
  const std::string heads = all_heads ? "all heads"
                                      : fmt::format("head{} {}", group.where.front().heads.size() == 1 ? "" : "s",
                                                    listed(group.where.front().heads));
  if (all_layers) return all_heads ? "all layers and heads" : fmt::format("{} of all layers", heads);
  return fmt::format("layer{} {}, {}", layers.size() == 1 ? "" : "s", listed(layers), heads);
}

// All of a short table; of a long one its ends, the pairs around every change, and short ramps.
std::set<size_t> shown_rows(const std::vector<RotaryPair>& pairs) {
  std::set<size_t> rows;
  const bool all = pairs.size() <= kMostRows;
  const auto ramped =
      std::count_if(pairs.begin(), pairs.end(), [](const RotaryPair& pair) { return pair.change == Change::ramped; });
  for (size_t i = 0; i < pairs.size(); ++i) {
    const bool changes = i > 0 && pairs[i].change != pairs[i - 1].change;
    if (all || i < kEndRows || i + kEndRows >= pairs.size()) rows.insert(i);
    if (ramped <= kMostRamped && pairs[i].change == Change::ramped) rows.insert(i);
    if (!changes) continue;
    for (size_t near = i - std::min<size_t>(i, 2); near < std::min(i + 2, pairs.size()); ++near) rows.insert(near);
  }
  return rows;
}

std::string summary_of(const RotaryPairs& group, const EncodingShape& shape) {
  std::vector<std::string> parts;
  const auto count = [&](Change change) {
    return std::count_if(group.pairs.begin(), group.pairs.end(),
                         [change](const RotaryPair& pair) { return pair.change == change; });
  };
  for (const Change change : {Change::kept, Change::ramped, Change::stretched, Change::quickened}) {
    if (count(change) > 0) parts.push_back(fmt::format("{} {}", count(change), change_name(change)));
  }
  std::string text;
  if (!parts.empty()) {
    text = fmt::format("{} of {} pairs{}. ", fmt::join(parts, ", "), group.pairs.size(),
                       group.stretch > 1.0 ? fmt::format("; in full by {:.4g}", group.stretch) : "");
  }
  if (group.by_length)
    text += fmt::format("Of a sequence of {} tokens; other lengths turn otherwise. ", shape.positions);
  if (group.attention_factor != 1.0) {
    text += fmt::format("Attention factor {:.6g} on turned queries and keys, {:.6g} on their products. ",
                        group.attention_factor, group.attention_factor * group.attention_factor);
  } else if (!parts.empty()) {
    text += "Attention factor 1. ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

std::string rotary_pairs_text(const RotaryPairs& group, const ResolvedEncoding& encoding, std::string_view when) {
  const bool scaled = !group.pairs.empty() && group.pairs.front().change != Change::none;
  const bool several = std::any_of(group.pairs.begin(), group.pairs.end(), [&](const RotaryPair& pair) {
    return pair.axis != group.pairs.front().axis || pair.axis < 0;
  });
  std::string text = fmt::format(
      "\n{}\n", wrapped(fmt::format("Rotary pairs, {}{}", layers_and_heads(group, encoding.shape), when), kPairsWidth));
  if (const std::string summary = summary_of(group, encoding.shape); !summary.empty()) {
    text += fmt::format("  {}\n", wrapped(summary, kPairsWidth, 2));
  }
  const auto add = [&text](const std::string& line) { text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n"; };
  add(fmt::format("  {:>4}  {:<11}{}{:<12}{:<12}{:<12}{}", "pair", "channels", several ? "axis     " : "", "frequency",
                  "wavelength", several ? "turns" : fmt::format("turns in {}", encoding.shape.positions),
                  scaled ? "  unscaled    slowed by" : ""));
  size_t before = 0;
  for (const size_t row : shown_rows(group.pairs)) {
    if (row > before) text += fmt::format("   ... {} more\n", row - before);
    before = row + 1;
    const RotaryPair& pair = group.pairs[row];
    std::string line = fmt::format("  {:>4}  {:<11}", pair.pair, fmt::format("{}, {}", pair.channel, pair.partner));
    if (several) line += fmt::format("{:<9}", pair.axis < 0 ? "several" : fmt::format("{}", pair.axis));
    line += fmt::format("{:<12}", fmt::format("{:.6g}", pair.frequency));
    line += fmt::format("{:<12}", pair.frequency == 0.0 ? "none" : fmt::format("{:.6g}", pair.wavelength));
    line += fmt::format("{:<12}", fmt::format("{:.4g}", pair.turns));
    if (scaled) {
      line += fmt::format("  {:<12}{:<9}{}", fmt::format("{:.6g}", pair.unscaled), fmt::format("{:.4g}", pair.slowed()),
                          change_name(pair.change));
    }
    add(line);
  }
  return text;
}

}  // namespace phasor
