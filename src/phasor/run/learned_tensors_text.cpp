#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/base/wrapped_text.h"
#include "phasor/run/learned_tensors.h"

namespace phasor {
namespace {

constexpr size_t kTextWidth = 100;
constexpr size_t kMostListed = 8;

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

// Equal numbers once, few of them one by one, many by their range.
std::string numbers_in_short(const std::vector<double>& values) {
  if (values.empty()) return "not kept";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return short_number(*least);
  if (values.size() > kMostListed) return fmt::format("{}..{}", short_number(*least), short_number(*most));
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) texts.push_back(short_number(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string learned_in_short(const std::vector<LearnedTensor>& tensors) {
  std::vector<std::string> labels;
  for (const LearnedTensor& tensor : tensors) {
    if (std::find(labels.begin(), labels.end(), tensor.label) == labels.end()) labels.push_back(tensor.label);
  }
  std::string text;
  for (const std::string& label : labels) {
    std::vector<double> start, end;
    std::vector<int64_t> layers;
    bool by_head = false;
    for (const LearnedTensor& tensor : tensors) {
      if (tensor.label != label) continue;
      start.insert(start.end(), tensor.start.begin(), tensor.start.end());
      end.insert(end.end(), tensor.end.begin(), tensor.end.end());
      if (tensor.layer) layers.push_back(*tensor.layer);
      by_head = by_head || !tensor.heads.empty();
    }
    std::vector<std::string> where;
    if (end.size() > 1) {
      where.push_back(fmt::format("{} numbers", end.size()));
      if (layers.size() > 1) where.push_back(fmt::format("{} layers", layers.size()));
      if (by_head) where.emplace_back("by head");
    }
    const std::string line = fmt::format("{} {} -> {}{}", label, numbers_in_short(start), numbers_in_short(end),
                                         where.empty() ? "" : fmt::format(" ({})", fmt::join(where, ", ")));
    text += fmt::format("  {:<11} {}\n", text.empty() ? "learned" : "", wrapped(line, kTextWidth, 14));
  }
  return text;
}

}  // namespace phasor
