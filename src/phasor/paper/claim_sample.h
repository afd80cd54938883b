#pragma once
// One number of a cell's runs, as claims may use it: of converged runs alone, and at least three of them.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "phasor/study/records/study_results.h"

namespace phasor::paper {

inline constexpr size_t kLeastRuns = 3;

// NaN where the run does not have it.
using RunNumber = std::function<double(const RunRecord&)>;

// Why a cell cannot decide anything.
struct Lack {
  enum class Kind : uint8_t { none, cell, runs, number };
  Kind kind = Kind::none;
  std::string cell;    // "RoPE on distance"
  std::string detail;  // runs: which do not count; number: what was not measured

  bool operator==(const Lack&) const = default;
};

// "not part of this study: NoPE on distance, ALiBi on distance; fewer than 3 converged runs: ..."; empty where nothing
// lacks.
std::string text(const std::vector<Lack>& lacking);

struct ClaimSample {
  std::string label;           // "RoPE"
  std::vector<double> values;  // of the converged runs that have the number, by seed
  Lack lack;
  // "of 5 runs of RoPE 1 did not converge"; empty where all planned runs count.
  std::string left_out;

  bool decides() const { return lack.kind == Lack::Kind::none; }
};

// `what` names the number.
ClaimSample claim_sample(const StudyResults& results, const CellName& cell, const std::string& label,
                         const std::string& what, const RunNumber& number);

// The converged runs of a cell; none where it is not part of the study.
std::vector<const RunRecord*> converged_runs(const StudyResults& results, const CellName& cell);

// Of a cell of which `count` converged runs have what `what` names. Null: the study has no such cell.
Lack lack_of(const CellRuns* cell, const CellName& name, const std::string& label, const std::string& what,
             size_t count);
std::string left_out_of(const CellRuns* cell, const std::string& label);

}  // namespace phasor::paper
