#pragma once
// What charts draw of the runs of a cell beside its summary, with means and intervals, so that the page computes none.
#include <cstdint>
#include <optional>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {

// Curves over the steps at which some run was evaluated.
struct TelemetryCurves {
  std::vector<int64_t> steps;
  CurveColumns gradient_norm, test_loss;
  std::vector<double> learning_rate;  // the first run's
};
// Nothing where no run was evaluated.
std::optional<TelemetryCurves> telemetry_curves(const std::vector<RunRecord>& runs);
const Fields<TelemetryCurves>& json_fields(const TelemetryCurves*);

}  // namespace phasor
