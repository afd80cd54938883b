#pragma once
// What pictures of a report show of a cell beside its summary: a run that stands for it, its heads as curves, and how
// training went.
#include <complex>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/report/report_data.h"
#include "phasor/report/run_views.h"
#include "phasor/study/carry_out/head_curves.h"

namespace phasor {

struct ShownHead {
  int64_t layer = 0, head = 0;
  std::vector<double> singular;
  std::optional<std::vector<double>> plain;                      // nothing where nothing turns
  std::optional<std::vector<std::complex<double>>> eigenvalues;  // nothing where the logits are causal
  std::vector<int64_t> kernel_distance;
  std::vector<double> kernel_value;
  PartShares shares;
  double contraction = 1.0;
};

struct ShownLayer {
  int64_t layer = 0;
  PartShares shares;  // means over its heads
};

struct ShownRun {
  std::string id;
  uint64_t seed = 0;
  int64_t tokens = 0;
  double largest_singular = 0.0;  // mean over heads, as the next
  PartShares shares;
  std::vector<ShownLayer> layers;
  std::vector<ShownHead> heads;
};

struct ReportCell {
  nlohmann::ordered_json config;  // of the shown run; null where it cannot be read
  std::optional<std::string> command;
  std::optional<TelemetryCurves> telemetry;
  std::optional<ShownRun> head_curves;
};
const Fields<ReportCell>& json_fields(const ReportCell*);

// Files of pictures that are missing or damaged are left out. All is empty without a finished run.
ReportCell report_cell(const ReportSource& source, const CellRuns& cell);

}  // namespace phasor
