#pragma once
// One number of a cell's runs, as claims may use it: of all finished runs, and at least three of them.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "phasor/statistics/mean_difference.h"
#include "phasor/study/records/study_results.h"

namespace phasor::paper {

inline constexpr size_t kLeastRuns = static_cast<size_t>(statistics::kLeastRunsToCompare);

// NaN where the run does not have it.
using RunNumber = std::function<double(const RunRecord&)>;

// Why a cell cannot decide anything.
struct Lack {
  enum class Kind : uint8_t { none, cell, runs, number };
  Kind kind = Kind::none;
  std::string cell;    // "RoPE on distance"
  std::string detail;  // runs: which are missing; number: what was not measured

  bool operator==(const Lack&) const = default;
};

// "not part of this study: NoPE on distance, ALiBi on distance; fewer than 3 finished runs: ..."; empty where nothing
// lacks.
std::string text(const std::vector<Lack>& lacking);

struct ClaimSample {
  std::string label;            // "RoPE"
  std::vector<double> values;   // of the finished runs that have the number, by seed
  std::vector<bool> improving;  // of each value: the run was still improving at its last step
  double variance_floor = 0.0;  // of the mean (statistics/mean_difference.h)
  Lack lack;
  // "of 5 runs of RoPE 1 failed, 1 was still improving at the end"; empty where there is nothing to say.
  std::string notes;

  bool decides() const { return lack.kind == Lack::Kind::none; }
  statistics::RunSample runs() const { return {values, variance_floor}; }
  // Without the runs that were still improving.
  std::vector<double> settled() const;
};

// `what` names the number.
ClaimSample claim_sample(const StudyResults& results, const CellName& cell, const std::string& label,
                         const std::string& what, const RunNumber& number);

// Test accuracy in per cent, with the floor that the number of test samples sets.
ClaimSample accuracy_sample(const StudyResults& results, const CellName& cell, const std::string& label);

// The finished runs of a cell; none where it is not part of the study.
std::vector<const RunRecord*> finished_runs(const StudyResults& results, const CellName& cell);

// Of a cell of which `count` finished runs have what `what` names. Null: the study has no such cell.
Lack lack_of(const CellRuns* cell, const CellName& name, const std::string& label, const std::string& what,
             size_t count);
// Failed, missing and still improving runs of a cell.
std::string notes_on(const CellRuns* cell, const std::string& label);

}  // namespace phasor::paper
