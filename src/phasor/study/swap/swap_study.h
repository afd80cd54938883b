#pragma once
// What changing the encoding of trained models costs, over seeds: runs of one cell, each under a list of other
// encodings, with their weights as they are or after a few further steps, at several lengths.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/engine/backend.h"
#include "phasor/statistics/mean_difference.h"
#include "phasor/study/plan/named_encoding.h"
#include "phasor/study/plan/planned_run.h"
#include "phasor/study/summary/seed_interval.h"

namespace phasor {

struct SwapPlan {
  std::vector<NamedEncoding> swaps;         // with the weights as they are; may have {length} and {trained}
  std::vector<NamedEncoding> recalibrated;  // after further training under them; may have {trained}
  int64_t steps = 0;                        // of that training; 0: a tenth of the run's
  std::vector<double> factors = {1, 2, 4, 8, 16};
  int64_t samples = 1024;
  int64_t damage_samples = 8;
};

// Throws UsageError for what no run can be put under: no list at all, an expression that does not parse, {length} where
// a model is trained for all lengths, two of one name.
void check(const SwapPlan& plan, int64_t trained_length);

// One run under one encoding at one length.
struct SwapPoint {
  std::string run;  // its id
  uint64_t seed = 0;
  std::string task, protocol, base;
  std::string swap;        // what it is called; empty: the run's own encoding, as it was trained
  std::string expression;  // as asked for
  int64_t further_steps = 0;
  double factor = 1.0;
  int64_t longest = 0;
  std::string encoding;  // canonical, at this length
  std::optional<double> accuracy, loss, whole;
  std::optional<double> divergence, moved;  // of attention, over all heads
  std::optional<double> blind;              // accuracy without reading the tokens; of runs as they were trained
  int64_t samples = 0;
  std::string refused;  // why there is nothing; empty: there is
};
// The first columns of swap.csv, which has a line for each run and encoding.
const Fields<SwapPoint>& json_fields(const SwapPoint*);

// Both may be empty.
struct SwapCallbacks {
  std::function<void(std::string_view)> tell;  // hears which encoding comes next
  std::function<bool()> stop;                  // true: save the training that is going on, and throw Cancelled
};

// Of one finished run, in `folder`; models that are trained further are kept in `further`/<id of their settings>, and
// are not trained again where they are there.
std::vector<SwapPoint> measure_swaps(Backend& backend, const PlannedRun& run, const std::filesystem::path& folder,
                                     const std::filesystem::path& further, const SwapPlan& plan,
                                     const SwapCallbacks& callbacks = {});

// One encoding at one length, over seeds.
struct SwapCell {
  std::string swap, expression;
  int64_t further_steps = 0;
  double factor = 1.0;
  int64_t longest = 0;
  SeedInterval accuracy, loss;
  SeedInterval divergence, moved;
  std::optional<double> blind;  // likewise
  // Accuracy minus that of the same runs as they were trained, run by run on the same samples. Nothing for those, and
  // with fewer than two runs.
  std::optional<statistics::MeanDifference> change;
  statistics::DifferenceReading reading = statistics::DifferenceReading::open;
  std::optional<double> holm;  // of change's p, over all encodings at this length
  std::string refused;
};

struct SwapSummary {
  std::string task, base;
  int64_t trained_length = 0, seeds = 0, samples = 0;
  std::vector<SwapCell> cells;  // by encoding, then by length; the runs as they were trained in front
};

SwapSummary summarize(const std::vector<SwapPoint>& points, int64_t trained_length);

std::string to_text(const SwapSummary& summary);
const Fields<SwapSummary>& json_fields(const SwapSummary*);
nlohmann::ordered_json to_json(const SwapSummary& summary);
// Columns accuracy_at_<factor> and so on for every length.
std::string swap_csv(const std::vector<SwapPoint>& points);

}  // namespace phasor
