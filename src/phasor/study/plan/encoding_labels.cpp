#include "phasor/study/plan/encoding_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "phasor/base/display_width.h"
#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/study/plan/short_labels.h"

namespace phasor {
namespace {

// What the text means as an encoding, if it is one.
std::optional<std::string> meaning_of(const std::string& text) {
  try {
    return print(parse_encoding(text));
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

void add_name(std::vector<NamedEncoding>& names, const NamedEncoding& named) {
  check_name(named.name, named.expression);
  if (const std::optional<std::string> other = meaning_of(named.name); other && *other != named.expression) {
    fail_usage("the name '{}' is an encoding of its own, not '{}': choose another name", named.name, named.expression);
  }
  for (const NamedEncoding& earlier : names) {
    if (earlier == named) return;
    if (earlier.name == named.name) {
      fail_usage("the name '{}' is given to two encodings, '{}' and '{}'", named.name, earlier.expression,
                 named.expression);
    }
    if (earlier.expression == named.expression) {
      fail_usage("the encoding '{}' has two names, '{}' and '{}'", named.expression, earlier.name, named.name);
    }
  }
  names.push_back(named);
}

void label_cells(StudyPlan& plan) {
  std::map<std::string, std::string> labels;
  std::set<std::string> taken;
  for (const NamedEncoding& named : plan.names) {
    labels[named.expression] = named.name;
    taken.insert(named.name);
  }
  std::vector<std::string> others;
  for (const PlannedCell& cell : plan.cells) {
    const std::string& expression = cell.cell.encoding;
    if (!labels.contains(expression) && std::find(others.begin(), others.end(), expression) == others.end()) {
      others.push_back(expression);
    }
  }
  const std::map<std::string, std::string> short_ones = short_labels(others, taken);
  const auto label = [&](CellName& cell) {
    const auto name = labels.find(cell.encoding);
    const auto found = short_ones.find(cell.encoding);
    cell.named = name != labels.end();
    cell.label = cell.named ? name->second : found != short_ones.end() ? found->second : "";
  };
  for (PlannedCell& cell : plan.cells) {
    label(cell.cell);
    if (cell.rate_of) label(*cell.rate_of);
  }
}

std::string title_by_labels(const StudyPlan& plan) {
  std::vector<std::string> labels, tasks;
  const auto add = [](std::vector<std::string>& list, const std::string& item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  };
  for (const PlannedCell& cell : plan.cells) {
    add(labels, encoding_label(cell.cell));
    add(tasks, cell.cell.task);
  }
  return fmt::format("{} on {}", fmt::join(labels, ", "), fmt::join(tasks, ", "));
}

std::vector<EncodingLabel> labels_of(const std::vector<CellName>& cells) {
  std::vector<EncodingLabel> labels;
  for (const CellName& cell : cells) {
    if (encoding_label(cell) == cell.encoding) continue;
    const EncodingLabel own{.label = cell.label, .expression = cell.encoding, .named = cell.named};
    if (std::find(labels.begin(), labels.end(), own) == labels.end()) labels.push_back(own);
  }
  return labels;
}

std::string labels_text(const std::vector<EncodingLabel>& labels) {
  std::string text;
  for (const EncodingLabel& own : labels) text += fmt::format("{} = {}\n", isolated(own.label), own.expression);
  return text;
}

}  // namespace phasor
