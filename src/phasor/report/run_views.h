#pragma once
// What charts draw of the runs of a cell, with means and intervals, so that the page computes none: telemetry, and
// everything again for converged runs alone.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
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

// Curves, lengths, spectrum, removal, snapshots and telemetry of converged runs alone, as in the summary's cell. Null
// where that leaves out nothing.
nlohmann::ordered_json converged_json(const CellRuns& cell);

}  // namespace phasor
