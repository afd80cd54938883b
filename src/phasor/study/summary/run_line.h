#pragma once
// A run as one line of summary.csv: the numbers of it that tables and pages quote. What was not measured or is not
// defined is nothing.
#include <cstdint>
#include <optional>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/plan/cell_name.h"
#include "phasor/study/records/run_record.h"

namespace phasor {

// What a question asked of the heads came to, in the layer that matters most.
struct HeadLine {
  std::string verdict;
  std::optional<double> max_share, n2;
  std::optional<int64_t> layer, head;
  std::string drops;  // "0.5 0.01 / 0 0": heads of the first layer / of the second
};

struct RunLine {
  std::string id;
  CellName cell;
  uint64_t seed = 0;
  // Nothing from here on where the run failed.
  std::optional<uint64_t> data_seed;
  std::optional<double> learning_rate;
  std::optional<int64_t> steps, parameters;
  std::optional<bool> converged;
  std::optional<double> train_accuracy, test_accuracy;
  std::optional<int64_t> test_samples;
  std::optional<double> blind_accuracy, ceiling, test_loss, validation_accuracy;
  std::optional<int64_t> steps_before_90, steps_to_90;
  std::optional<double> loss_area, loss_spikes, gradient_variation;
  HeadLine position, importance;
  std::optional<double> contraction_start, contraction_end, position_toeplitz;
  std::optional<double> logit_interaction, content_share, product_share, positional_share;
  std::optional<double> stream_interaction, inner_interaction;
  bool extension = false;  // an extension of the study added it
};

// Of a finished run of `cell`; its accuracies on longer sequences have columns of their own.
RunLine run_line(const RunRecord& run, const CellName& cell);

// The columns, in their order.
const Fields<RunLine>& json_fields(const RunLine*);

}  // namespace phasor
