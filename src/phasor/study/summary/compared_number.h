#pragma once
// The numbers of a run that two cells can be compared by, and the words for them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/statistics/sample.h"
#include "phasor/study/records/run_record.h"

namespace phasor {

enum class ComparedQuantity : uint8_t {
  test_accuracy,
  test_loss,
  generalisation_gap,
  steps_to_90,  // a run that never reached 90 % counts as one step more than it had
  loss_area,
  loss_spikes,
  gradient_variation,
  position_max_share,  // of the key layer; nothing where that is not used
  position_n2,
  importance_max_share,
  importance_n2,
  accuracy_at_length,
  contraction_start,
  contraction_end,
  position_toeplitz,
  logit_interaction,
};

struct ComparedNumber {
  ComparedQuantity quantity = ComparedQuantity::test_accuracy;
  double factor = 1.0;  // accuracy_at_length only: times the longest sequence of training

  bool operator==(const ComparedNumber&) const = default;
};

std::string name(const ComparedNumber& number);   // for files: "test_accuracy", "accuracy_at_2"
std::string title(const ComparedNumber& number);  // for people: "test accuracy", "accuracy at 2 times the length"

// Nothing where it was not measured or is not defined for this run.
std::optional<double> value_of(const RunRecord& run, const ComparedNumber& number);

// The smallest difference that anybody would care about: 1 point for accuracies. docs/statistics.md has all of them.
double margin_of(const ComparedNumber& number);

// Where a difference of two means can lie.
statistics::Interval difference_range(const ComparedNumber& number);

// The floor of the variance of a mean over these runs: the binomial error of their test samples for accuracies, the
// grid of evaluations for steps, else 0.
double variance_floor_of(const std::vector<RunRecord>& runs, const ComparedNumber& number, double mean);

struct ComparedWords {
  const char* larger;   // "is better than"
  const char* smaller;  // "is worse than"
  double scale = 1.0;   // people read accuracies in per cent
  const char* unit;     // of a difference, after scaling: " points"; empty where the title has to say what it is
  int digits = 3;       // behind the point
};
const ComparedWords& words(const ComparedNumber& number);

}  // namespace phasor
