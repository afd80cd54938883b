#include "phasor/study/plan/study_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"

namespace phasor {
namespace {

PlannedRun planned(const PlannedCell& cell, double rate, uint64_t seed) {
  PlannedRun run{.cell = cell.cell, .config = cell.config, .measures = cell.measures};
  run.config.train.learning_rate = rate;
  run.config.seed = seed;
  if (cell.own_data) run.config.data.seed = seed;
  run.id = config_id(run.config);
  return run;
}

double rate_for(const PlannedCell& cell, const std::vector<RateChoice>& rates) {
  const CellName& source = cell.rate_of ? *cell.rate_of : cell.cell;
  const auto found =
      std::find_if(rates.begin(), rates.end(), [&](const RateChoice& choice) { return choice.cell == source; });
  return found == rates.end() ? cell.config.train.learning_rate : found->rate;
}

std::vector<PlannedRun> runs_of(const PlannedCell& cell, const std::vector<RateChoice>& rates) {
  std::vector<PlannedRun> runs;
  for (const uint64_t seed : cell.seeds) runs.push_back(planned(cell, rate_for(cell, rates), seed));
  return runs;
}

// More accurate, or as accurate at less loss; a trial that failed is worse than any other.
bool better(const RateChoice::Trial& a, const RateChoice::Trial& b) {
  if (!a.accuracy || !b.accuracy) return a.accuracy.has_value() && !b.accuracy.has_value();
  if (*a.accuracy != *b.accuracy) return *a.accuracy > *b.accuracy;
  return a.loss.value_or(0.0) < b.loss.value_or(0.0);
}

void check(const StudyPlan& plan, const PlannedCell& cell) {
  const std::string name = text(cell.cell);
  if (cell.seeds.empty()) fail_usage("{}: no seeds", name);
  if (std::set<uint64_t>(cell.seeds.begin(), cell.seeds.end()).size() != cell.seeds.size()) {
    fail_usage("{}: a seed is given twice", name);
  }
  if (!cell.rates.empty() && std::find(cell.seeds.begin(), cell.seeds.end(), kTuningSeed) != cell.seeds.end()) {
    fail_usage("{}: seed {} is the one that chooses learning rates; give it another", name, kTuningSeed);
  }
  if (!cell.rates.empty() && cell.config.data.validation_samples == 0) {
    fail_usage("{}: learning rates are chosen on the validation set, and data.validation is 0", name);
  }
  if (std::set<double>(cell.rates.begin(), cell.rates.end()).size() != cell.rates.size()) {
    fail_usage("{}: a learning rate to choose from is given twice", name);
  }
  if (cell.rate_of && (plan.find(*cell.rate_of) == nullptr || plan.find(*cell.rate_of)->rates.empty())) {
    fail_usage("{}: takes over the learning rate of {}, for which none is chosen", name, text(*cell.rate_of));
  }
}

}  // namespace

const PlannedCell* StudyPlan::find(const CellName& cell) const {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const PlannedCell& p) { return p.cell == cell; });
  return found == cells.end() ? nullptr : &*found;
}

const std::string& shown_name(const StudyPlan& plan) { return plan.title.empty() ? plan.name : plan.title; }

void check(const StudyPlan& plan) {
  if (plan.cells.empty()) fail_usage("the study '{}' has no runs", shown_name(plan));
  for (const PlannedCell& cell : plan.cells) {
    if (plan.find(cell.cell) != &cell) fail_usage("{} is in the study twice", text(cell.cell));
    check(plan, cell);
  }
}

void refuse_duplicates(const StudyPlan& plan) {
  std::map<std::string, std::string> owners;
  for (const PlannedCell& cell : plan.cells) {
    for (const PlannedRun& run : runs_of(cell, {})) {
      const auto [owner, is_new] = owners.emplace(run.id, text(cell.cell));
      if (is_new) continue;
      fail_usage("'{}' and '{}' ask for the same run (seed {}): every setting is equal", owner->second, text(cell.cell),
                 run.config.seed);
    }
  }
}

int64_t keep_shared_data(StudyPlan& plan, const StudyPlan& begun) {
  int64_t kept = 0;
  for (PlannedCell& cell : plan.cells) {
    const PlannedCell* earlier = begun.find(cell.cell);
    if (!cell.own_data || earlier == nullptr || earlier->own_data) continue;
    if (config_id(earlier->config) != config_id(cell.config)) continue;
    cell.own_data = false;
    ++kept;
  }
  return kept;
}

std::vector<PlannedRun> tuning_runs(const StudyPlan& plan) {
  std::vector<PlannedRun> runs;
  std::set<std::string> seen;
  for (const PlannedCell& cell : plan.cells) {
    for (const double rate : cell.rates) {
      PlannedRun run = planned(cell, rate, kTuningSeed);
      run.measures = {};
      run.tuning = true;
      if (seen.insert(run.id).second) runs.push_back(std::move(run));
    }
  }
  return runs;
}

std::vector<RateChoice> choose_rates(const StudyPlan& plan, const std::vector<RunRecord>& records) {
  std::vector<RateChoice> choices;
  for (const PlannedCell& cell : plan.cells) {
    if (cell.rates.empty()) continue;
    RateChoice choice{.cell = cell.cell, .rate = cell.config.train.learning_rate};
    for (const double rate : cell.rates) {
      RateChoice::Trial trial{.id = planned(cell, rate, kTuningSeed).id, .rate = rate};
      const auto record =
          std::find_if(records.begin(), records.end(), [&](const RunRecord& r) { return r.id == trial.id; });
      if (record != records.end()) {
        trial.accuracy = record->validation_accuracy;
        trial.loss = record->validation_loss;
      }
      choice.trials.push_back(std::move(trial));
    }
    const auto best = std::min_element(choice.trials.begin(), choice.trials.end(), better);
    if (best->accuracy) choice.rate = best->rate;
    choices.push_back(std::move(choice));
  }
  return choices;
}

std::vector<PlannedRun> result_runs(const StudyPlan& plan, const std::vector<RateChoice>& rates) {
  std::vector<PlannedRun> runs;
  std::map<std::string, size_t> places;
  for (const PlannedCell& cell : plan.cells) {
    for (PlannedRun& run : runs_of(cell, rates)) {
      const auto [place, is_new] = places.emplace(run.id, runs.size());
      if (is_new) {
        runs.push_back(std::move(run));
      } else {
        RunMeasures& measures = runs[place->second].measures;
        measures = united(measures, run.measures);
      }
    }
  }
  return runs;
}

std::vector<PlannedRun> possible_runs(const StudyPlan& plan) {
  std::vector<PlannedRun> runs = tuning_runs(plan);
  std::map<std::string, size_t> places;
  for (const PlannedCell& cell : plan.cells) {
    const PlannedCell* source = cell.rate_of ? plan.find(*cell.rate_of) : &cell;
    std::vector<double> rates = source == nullptr ? std::vector<double>() : source->rates;
    // Where all trials failed.
    if (std::find(rates.begin(), rates.end(), cell.config.train.learning_rate) == rates.end()) {
      rates.push_back(cell.config.train.learning_rate);
    }
    for (const double rate : rates) {
      for (const uint64_t seed : cell.seeds) {
        PlannedRun run = planned(cell, rate, seed);
        const auto [place, is_new] = places.emplace(run.id, runs.size());
        if (is_new) {
          runs.push_back(std::move(run));
        } else {
          runs[place->second].measures = united(runs[place->second].measures, run.measures);
        }
      }
    }
  }
  return runs;
}

PlannedRun find_run(const StudyPlan& plan, const std::string& id) {
  if (id.empty()) fail_usage("the id of a run is needed: its folder's name, or the first digits of it");
  std::string digits = id;  // hexadecimal, of either case
  for (char& c : digits) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::vector<PlannedRun> found;
  for (PlannedRun& run : possible_runs(plan)) {
    if (run.id.rfind(digits, 0) == 0) found.push_back(std::move(run));
  }
  if (found.empty()) {
    fail_usage("no run of '{}' has an id that begins with '{}'; --dry-run --json lists all ids", shown_name(plan), id);
  }
  if (found.size() == 1) return found.front();
  fail_usage("{} runs of '{}' have ids that begin with '{}', among them {} ({}, seed {}) and {} ({}, seed {})",
             found.size(), shown_name(plan), id, found[0].id, text(found[0].cell), found[0].config.seed, found[1].id,
             text(found[1].cell), found[1].config.seed);
}

StudyResults results_of(const StudyPlan& plan, const std::vector<RateChoice>& rates,
                        const std::vector<RunRecord>& records, const std::vector<RunFailure>& failures) {
  std::map<std::string, const RunRecord*> finished;
  std::map<std::string, const RunFailure*> failed;
  for (const RunRecord& record : records) finished.emplace(record.id, &record);
  for (const RunFailure& failure : failures) failed.emplace(failure.id, &failure);
  StudyResults results{.name = shown_name(plan), .preset = plan.preset, .rates = rates};
  for (const PlannedCell& cell : plan.cells) {
    CellRuns runs{.cell = cell.cell};
    for (const PlannedRun& run : runs_of(cell, rates)) {
      ++runs.planned;
      if (const auto found = finished.find(run.id); found != finished.end()) {
        runs.runs.push_back(*found->second);
        runs.runs.back().cell = cell.cell;
      } else if (const auto lost = failed.find(run.id); lost != failed.end()) {
        runs.failures.push_back(*lost->second);
        runs.failures.back().cell = cell.cell;
      }
    }
    std::sort(runs.runs.begin(), runs.runs.end(), [](const auto& a, const auto& b) { return a.seed < b.seed; });
    results.cells.push_back(std::move(runs));
  }
  return results;
}

}  // namespace phasor
