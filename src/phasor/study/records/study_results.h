#pragma once
// What a study has come to so far: the finished runs, those that failed, and how learning rates were chosen.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/study/records/run_record.h"

namespace phasor {

struct RunFailure {
  std::string id;
  CellName cell;
  uint64_t seed = 0;
  std::string what;
};

// The rate with the best accuracy on the validation set, by one run each; the lower loss where accuracies are equal.
struct RateChoice {
  struct Trial {
    std::string id;
    double rate = 0.0;
    std::optional<double> accuracy, loss;  // of validation; nothing where the run failed
  };
  CellName cell;
  double rate = 0.0;
  std::vector<Trial> trials;

  // "highest" or "lowest" where the rate is that of at least two that were tried: a better one may lie beyond.
  std::string_view edge() const;
};

struct CellRuns {
  CellName cell;
  int64_t planned = 0;          // runs
  std::vector<RunRecord> runs;  // finished, by seed; tuning runs are not among them
  std::vector<RunFailure> failures;
  std::set<uint64_t> added_seeds;  // by an extension of the study: plan/extension.h

  // A result of this cell rests on runs that were added later.
  bool is_extended() const;
};

struct StudyResults {
  std::string name;
  std::string preset;
  std::vector<CellRuns> cells;  // in the plan's order
  std::vector<RateChoice> rates;

  const CellRuns* find(const CellName& cell) const;  // null: not part of the study
  int64_t missing() const;                           // planned runs that neither finished nor failed
  // What went wrong, naming the first of the failures; nothing where all went well.
  std::optional<std::string> failure_text() const;
};

}  // namespace phasor
