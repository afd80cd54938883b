#pragma once
// A cell for programs: one element of `cells` in summary.json.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/plan/encoding_labels.h"
#include "phasor/study/summary/cell_summary.h"

namespace phasor {

std::string_view json_name(const CellName*);
const Fields<CellName>& json_fields(const CellName*);
const Fields<CellName>& cell_identity_fields();  // without what it is called
const Fields<EncodingLabel>& json_fields(const EncodingLabel*);
std::string_view json_name(const SeedInterval*);
const Fields<SeedInterval>& json_fields(const SeedInterval*);
std::string_view json_name(const CellNumbers*);
const Fields<CellNumbers>& json_fields(const CellNumbers*);
const Fields<LengthSummary>& json_fields(const LengthSummary*);
const Fields<SpectrumSummary>& json_fields(const SpectrumSummary*);
std::string_view json_name(const CellSummary*);
const Fields<CellSummary>& json_fields(const CellSummary*);

nlohmann::ordered_json to_json(const CellName& cell);
nlohmann::ordered_json to_json(const CellSummary& cell);

// A curve by columns, as a chart wants them.
struct CurveColumns {
  std::vector<double> mean;  // [steps], as the next two
  std::vector<std::optional<double>> low, high;
  std::vector<std::vector<double>> seeds;  // [runs][steps]
};
CurveColumns curve_columns(const std::vector<SeedInterval>& curve, size_t runs);
std::string_view json_name(const CurveColumns*);
const Fields<CurveColumns>& json_fields(const CurveColumns*);

struct CurveTable {
  std::vector<int64_t> steps;
  CurveColumns test_accuracy, train_accuracy;
};
CurveTable curve_table(const LearningCurves& curves, size_t runs);
const Fields<CurveTable>& json_fields(const CurveTable*);

}  // namespace phasor
