#include "phasor/study/summary/study_csv.h"

#include <set>

#include "phasor/base/csv.h"
#include "phasor/study/summary/compared_number.h"
#include "phasor/study/summary/run_line.h"

namespace phasor {
namespace {

std::set<double> factors_of(const StudyResults& results) {
  std::set<double> factors;
  for (const CellRuns& cell : results.cells) {
    for (const RunRecord& run : cell.runs) {
      for (const LengthRecord& length : run.lengths) factors.insert(length.factor);
    }
  }
  return factors;
}

ComparedNumber accuracy_at(double factor) { return {ComparedQuantity::accuracy_at_length, factor}; }

}  // namespace

std::string study_csv(const StudyResults& results) {
  const Fields<RunLine>& columns = fields_of<RunLine>();
  const std::set<double> factors = factors_of(results);
  std::string text = csv_titles(columns);
  for (const double factor : factors) text += "," + name(accuracy_at(factor));
  text += '\n';
  for (const CellRuns& cell : results.cells) {
    for (const RunRecord& run : cell.runs) {
      RunLine line = run_line(run, cell.cell);
      line.extension = cell.added_seeds.contains(run.seed);
      text += csv_line(line, columns);
      for (const double factor : factors) {
        text += "," + csv_field(JsonValue<std::optional<double>>::write(value_of(run, accuracy_at(factor))));
      }
      text += '\n';
    }
    for (const RunFailure& failure : cell.failures) {
      text += csv_line({.id = failure.id,
                        .cell = cell.cell,
                        .seed = failure.seed,
                        .extension = cell.added_seeds.contains(failure.seed)},
                       columns);
      text += std::string(factors.size(), ',') + "\n";
    }
  }
  return text;
}

}  // namespace phasor
