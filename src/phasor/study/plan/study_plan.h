#pragma once
// What a study is made of: cells, and the runs that each of them asks for.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/study/plan/named_encoding.h"
#include "phasor/study/plan/planned_run.h"
#include "phasor/study/records/study_results.h"

namespace phasor {

// The seed of runs that choose a learning rate: no result has it, so that no result profits from the choice.
inline constexpr uint64_t kTuningSeed = 1000;

struct PlannedCell {
  CellName cell;
  RunConfig config;       // but for the seed, and for the learning rate where that is chosen
  bool own_data = false;  // data.seed of every run is its seed; else it is config's, the same in all of them
  std::vector<uint64_t> seeds;
  RunMeasures measures;
  std::vector<double> rates;        // learning rates to choose from; empty: config's
  std::optional<CellName> rate_of;  // the cell whose rate this one takes over
};

struct StudyPlan {
  std::string name;
  std::string preset;
  std::vector<PlannedCell> cells;
  // What it and its encodings are called, which is no part of what is registered.
  std::string title = {};                 // empty: `name`
  std::vector<NamedEncoding> names = {};  // given by the author; expressions are canonical

  const PlannedCell* find(const CellName& cell) const;  // null: not part of it
};

// What people are told that it is called.
const std::string& shown_name(const StudyPlan& plan);

// Throws UsageError where two cells have one name, where seeds repeat, where a cell lacks seeds, where a result has the
// tuning seed, and where rate_of leads nowhere.
void check(const StudyPlan& plan);

// Throws UsageError, naming both, where two cells ask for the same run.
void refuse_duplicates(const StudyPlan& plan);

// Cells that `begun`, the plan of the folder that is continued, has with the same settings and with one data set for
// all runs keep it: else no run that is there would count. Returns how many.
int64_t keep_shared_data(StudyPlan& plan, const StudyPlan& begun);

// Runs that choose learning rates, in the plan's order.
std::vector<PlannedRun> tuning_runs(const StudyPlan& plan);

// By what tuning runs came to; `records` in any order. A cell whose trials all failed keeps its config's rate.
std::vector<RateChoice> choose_rates(const StudyPlan& plan, const std::vector<RunRecord>& records);

// The other runs, at the rates chosen, in the plan's order: every run once, with all that its cells want measured of
// it.
std::vector<PlannedRun> result_runs(const StudyPlan& plan, const std::vector<RateChoice>& rates);

// Every run that the plan may come to, once: at each rate that a cell's may turn out to be, and those that choose
// rates. The id of a run says which rate it had, so that an id alone is enough to repeat it.
std::vector<PlannedRun> possible_runs(const StudyPlan& plan);

// The one of them whose id begins with `id`. Throws UsageError where none or several do.
PlannedRun find_run(const StudyPlan& plan, const std::string& id);

// Each cell with its runs. A run that two cells ask for is in both.
StudyResults results_of(const StudyPlan& plan, const std::vector<RateChoice>& rates,
                        const std::vector<RunRecord>& records, const std::vector<RunFailure>& failures);

// What 'phasor study --dry-run' prints: every cell with its seeds, steps and learning rate, or those it is yet to be
// chosen from.
std::string plan_text(const StudyPlan& plan);

// A line for every task and protocol with the settings that all its runs without a variant have beside the preset's.
std::string sizes_text(const StudyPlan& plan);

}  // namespace phasor
