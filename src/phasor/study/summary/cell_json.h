#pragma once
// A cell for programs: one element of `cells` in summary.json.
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "phasor/study/summary/cell_summary.h"

namespace phasor {

nlohmann::ordered_json to_json(const CellName& cell);
nlohmann::ordered_json to_json(const SeedInterval& interval);
nlohmann::ordered_json to_json(const CellSummary& cell);

// Parts of it. A curve is by columns, as a chart wants them: mean, low, high, and `seeds` of `runs` runs.
nlohmann::ordered_json curve_json(const std::vector<SeedInterval>& curve, size_t runs);
nlohmann::ordered_json curves_json(const LearningCurves& curves, size_t runs);
nlohmann::ordered_json lengths_json(const std::vector<LengthSummary>& lengths);
nlohmann::ordered_json spectrum_json(const std::optional<SpectrumSummary>& spectrum);

}  // namespace phasor
