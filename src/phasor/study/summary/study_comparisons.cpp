#include "phasor/study/summary/study_comparisons.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace phasor {

std::vector<Comparison> compare_with_first(const StudyResults& results) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const CellRuns*>> groups;
  for (const CellRuns& cell : results.cells) {
    groups[{cell.cell.task, cell.cell.protocol, cell.cell.variant}].push_back(&cell);
  }
  std::vector<Comparison> all;
  for (const ComparedQuantity quantity : {ComparedQuantity::test_accuracy, ComparedQuantity::steps_to_90}) {
    for (const auto& [key, cells] : groups) {
      std::vector<Comparison> family;
      for (size_t i = 1; i < std::min(cells.size(), kMostComparisons + 1); ++i) {
        family.push_back(compare(*cells.front(), *cells[i], {quantity}));
      }
      adjust(family);
      all.insert(all.end(), family.begin(), family.end());
    }
  }
  return all;
}

}  // namespace phasor
