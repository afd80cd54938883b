#include "phasor/study/summary/study_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "phasor/ablation/ablation_csv.h"
#include "phasor/study/summary/cell_heads.h"
#include "phasor/study/summary/compared_number.h"

namespace phasor {
namespace {

constexpr const char* kColumns =
    "id,task,protocol,encoding,variant,seed,learning_rate,steps,parameters,converged,train_accuracy,test_accuracy,"
    "test_loss,validation_accuracy,steps_to_90,loss_area,position_verdict,position_max_share,position_n2,"
    "position_layer,importance_verdict,contraction_start,contraction_end,position_toeplitz";
constexpr size_t kNamed = 6;  // columns that a failed run has too

using CsvFields = std::vector<std::string>;

std::string field(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }
std::string field(int64_t value) { return fmt::format("{}", value); }
template <class Value>
std::string field(const std::optional<Value>& value) {
  return value ? field(*value) : std::string();
}

CsvFields named(const std::string& id, const CellName& cell, uint64_t seed) {
  return {csv_field(id),           csv_field(cell.task),   csv_field(cell.protocol), csv_field(cell.encoding),
          csv_field(cell.variant), fmt::format("{}", seed)};
}

const RunVerdict* verdict_of(const RunRecord& run, Question question) {
  return run.ablation && run.ablation->record(question) ? &run.ablation->record(question)->judged.run : nullptr;
}

std::string verdict_field(const RunVerdict* verdict) {
  return verdict != nullptr ? std::string(name(verdict->verdict)) : std::string();
}

CsvFields run_fields(const RunRecord& run, const CellName& cell, const std::set<double>& factors) {
  using enum ComparedQuantity;
  const auto number = [&](const ComparedNumber& wanted) { return field(value_of(run, wanted)); };
  const RunVerdict* position = verdict_of(run, Question::position);
  CsvFields fields = named(run.id, cell, run.seed);
  fields.insert(fields.end(), {field(run.learning_rate), field(run.steps), field(run.parameters),
                               run.converged ? "true" : "false", field(run.train_accuracy), field(run.test_accuracy),
                               field(run.test_loss), field(run.validation_accuracy), field(run.steps_to_90),
                               field(run.loss_area), verdict_field(position), number({position_max_share}),
                               number({position_n2}), position != nullptr ? field(position->layer) : std::string(),
                               verdict_field(verdict_of(run, Question::importance)), number({contraction_start}),
                               number({contraction_end}), number({position_toeplitz})});
  for (const double factor : factors) fields.push_back(number({accuracy_at_length, factor}));
  return fields;
}

std::set<double> factors_of(const StudyResults& results) {
  std::set<double> factors;
  for (const CellRuns& cell : results.cells) {
    for (const RunRecord& run : cell.runs) {
      for (const LengthRecord& length : run.lengths) factors.insert(length.factor);
    }
  }
  return factors;
}

}  // namespace

std::string study_csv(const StudyResults& results) {
  const std::set<double> factors = factors_of(results);
  std::string text = kColumns;
  for (const double factor : factors) {
    text.append(",").append(name(ComparedNumber{ComparedQuantity::accuracy_at_length, factor}));
  }
  const size_t columns = static_cast<size_t>(std::count(text.begin(), text.end(), ',')) + 1;
  text += '\n';
  for (const CellRuns& cell : results.cells) {
    for (const RunRecord& run : cell.runs) {
      text += fmt::format("{}\n", fmt::join(run_fields(run, cell.cell, factors), ","));
    }
    for (const RunFailure& failure : cell.failures) {
      text += fmt::format("{}{}\n", fmt::join(named(failure.id, cell.cell, failure.seed), ","),
                          std::string(columns - kNamed, ','));
    }
  }
  return text;
}

}  // namespace phasor
