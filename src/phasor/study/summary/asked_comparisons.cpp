#include "phasor/study/summary/asked_comparisons.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor {
namespace {

using Cells = std::vector<const CellRuns*>;

// The canonical form; what is no expression is none.
std::string canonical(const std::string& name) {
  try {
    return print(parse_encoding(name));
  } catch (const Error&) {
    return name;
  }
}

bool is_called(const CellName& cell, const std::string& name, const std::string& expression) {
  if (name == text(cell)) return true;
  const std::string behind = cell.variant.empty() ? "" : ", " + cell.variant;
  if (name == encoding_label(cell) + behind || name == cell.encoding + behind) return true;
  return name == encoding_label(cell) || expression == cell.encoding;
}

bool fits(const CellName& cell, const AskedPlaces& places) {
  return (!places.task || cell.task == *places.task) && (!places.protocol || cell.protocol == *places.protocol) &&
         (!places.variant || cell.variant == *places.variant);
}

std::string cells_there(const StudyResults& results) {
  constexpr size_t kMost = 40;
  std::vector<std::string> names;
  for (const CellRuns& cell : results.cells) names.push_back(text(cell.cell));
  const size_t left_out = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - left_out);
  if (left_out > 0) names.push_back(fmt::format("and {} more", left_out));
  return fmt::format("{}", fmt::join(names, "; "));
}

Cells cells_called(const StudyResults& results, const std::string& name, const AskedPlaces& places) {
  const std::string expression = canonical(name);
  Cells found;
  for (const CellRuns& cell : results.cells) {
    if (fits(cell.cell, places) && is_called(cell.cell, name, expression)) found.push_back(&cell);
  }
  // A name that has its variant means no other.
  const auto is_exact = [&](const CellRuns* cell) {
    return !cell->cell.variant.empty() && name.ends_with(", " + cell->cell.variant);
  };
  if (std::any_of(found.begin(), found.end(), is_exact)) {
    std::erase_if(found, [&](const CellRuns* cell) { return !is_exact(cell); });
  }
  if (found.empty()) {
    fail_usage("the study has no cell '{}'{}; its cells are: {}", name,
               places.task || places.protocol || places.variant ? " of that task, protocol and variant" : "",
               cells_there(results));
  }
  return found;
}

bool is_beside(const CellName& a, const CellName& b) {
  return a.task == b.task && a.protocol == b.protocol && a.variant == b.variant;
}

// Each cell of the one with that of the other beside it; where none are beside each other, all that are left.
std::vector<std::pair<const CellRuns*, const CellRuns*>> pairs_of(const Cells& first, const Cells& second) {
  std::vector<std::pair<const CellRuns*, const CellRuns*>> pairs;
  for (const CellRuns* a : first) {
    for (const CellRuns* b : second) {
      if (a != b && is_beside(a->cell, b->cell)) pairs.emplace_back(a, b);
    }
  }
  if (pairs.empty() && first.size() == 1 && second.size() == 1 && first != second) {
    pairs.emplace_back(first.front(), second.front());
  }
  return pairs;
}

// As the study has it, or turned round.
const Comparison* planned_one(const std::vector<Comparison>& planned, const Comparison& asked) {
  const auto found = std::find_if(planned.begin(), planned.end(), [&](const Comparison& it) {
    if (it.number != asked.number) return false;
    return (it.first.cell == asked.first.cell && it.second.cell == asked.second.cell) ||
           (it.first.cell == asked.second.cell && it.second.cell == asked.first.cell);
  });
  return found == planned.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Comparison> asked_comparisons(const StudyResults& results, const std::vector<Comparison>& planned,
                                          const std::string& first, const std::string& second,
                                          const AskedPlaces& places) {
  const Cells of_first = cells_called(results, first, places), of_second = cells_called(results, second, places);
  const auto pairs = pairs_of(of_first, of_second);
  if (pairs.empty()) {
    fail_usage("'{}' and '{}' have no two cells with one task, protocol and variant; its cells are: {}", first, second,
               cells_there(results));
  }
  std::vector<Comparison> all;
  for (const ComparedQuantity quantity : {ComparedQuantity::test_accuracy, ComparedQuantity::steps_to_90}) {
    for (const auto& [a, b] : pairs) {
      std::vector<Comparison> own = {compare(*a, *b, {quantity})};
      adjust(own);
      if (const Comparison* as_planned = planned_one(planned, own.front())) {
        own.front().holm = as_planned->holm;
        own.front().family = as_planned->family;
      } else {
        own.front().post_hoc = true;
      }
      all.push_back(std::move(own.front()));
    }
  }
  return all;
}

}  // namespace phasor
