#include "phasor/study/swap/swap_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/run/config_json.h"
#include "phasor/run/trained_model.h"
#include "phasor/run/training_start.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/study/summary/learned.h"
#include "phasor/study/swap/swap_evaluation.h"
#include "phasor/train/train_in_folder.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

const std::string& swap_name(const NamedEncoding& encoding) {
  return encoding.name.empty() ? encoding.expression : encoding.name;
}

std::string further_name(const NamedEncoding& encoding, int64_t steps) {
  return fmt::format("{}, {} more steps", swap_name(encoding), steps);
}

int64_t further_steps(const SwapPlan& plan, const RunConfig& config) {
  return plan.steps > 0 ? plan.steps : std::max<int64_t>(1, config.train.steps / 10);
}

// All points of one run.
class RunSwaps {
 public:
  RunSwaps(Backend& backend, const PlannedRun& run, const fs::path& folder, const SwapPlan& plan)
      : run_(run), plan_(plan), source_(folder), session_(open_trained_model(backend, source_)) {}

  const RunFolder& source() const { return source_; }
  std::vector<SwapPoint> take() { return std::move(points_); }

  void add_own() {
    for (const double factor : plan_.factors) add(session_, "", session_.config().model.encoding, 0, factor, false);
  }

  void add_swap(const NamedEncoding& swap) {
    for (const double factor : plan_.factors) add(session_, swap_name(swap), swap.expression, 0, factor, true);
  }

  void add_recalibrated(Session& session, const NamedEncoding& swap, int64_t steps) {
    for (const double factor : plan_.factors) {
      add(session, further_name(swap, steps), session.config().model.encoding, steps, factor, false);
    }
  }

 private:
  void add(Session& session, const std::string& name, const std::string& expression, int64_t steps, double factor,
           bool with_damage) {
    SwapPoint point{.run = run_.id,
                    .seed = run_.config.seed,
                    .task = run_.config.task,
                    .protocol = run_.config.protocol,
                    .base = run_.config.model.encoding,
                    .swap = name,
                    .expression = expression,
                    .further_steps = steps,
                    .factor = factor};
    try {
      const SwapOptions options{.factors = {factor},
                                .samples = plan_.samples,
                                .damage_samples = with_damage ? plan_.damage_samples : 0,
                                .own = false,
                                .floors = name.empty(),
                                .run = source_.path().string()};
      const SwapEvaluation found = evaluate_swap(session, expression, options);
      fill(point, found.lengths.front(), found.whole_answers);
    } catch (const UsageError& error) {
      point.refused = error.what();
    }
    points_.push_back(std::move(point));
  }

  static void fill(SwapPoint& point, const SwappedLength& length, bool whole_answers) {
    const Scores& scores = length.swapped.scores;
    point.longest = length.longest;
    point.encoding = length.encoding;
    point.accuracy = scores.accuracy;
    point.loss = scores.loss;
    if (whole_answers) point.whole = scores.whole;
    if (point.swap.empty()) point.blind = blind_accuracy(length.floors);
    point.samples = scores.answers;
    if (length.damage.empty()) return;
    const DamageSum damage = damage_of(length.damage);
    point.divergence = damage.divergence();
    point.moved = damage.moved();
  }

  const PlannedRun& run_;
  const SwapPlan& plan_;
  RunFolder source_;
  Session session_;
  std::vector<SwapPoint> points_;
};

// The folder of the run's weights after further training, which is made where it is not there.
RunFolder recalibrated(Backend& backend, const RunFolder& source, const fs::path& further,
                       const std::string& expression, int64_t steps, const SwapCallbacks& callbacks) {
  RunConfig asked = starting_config(source);
  asked.model.encoding = print(parse_encoding(encoding_at_length(expression, 1.0, asked.model.max_length)));
  asked.train.steps = steps;
  const TrainingStart start = start_from(source, {}, asked);
  RunFolder folder(further / config_id(start.config));
  const TrainingOutcome outcome = train_in_folder(backend, start, folder, {.stop = callbacks.stop});
  if (outcome.end == TrainingEnd::stopped) throw Cancelled("stopped");
  return folder;
}

double spread_of_samples(double accuracy, int64_t samples) {
  return statistics::accuracy_variance_floor(accuracy, samples);
}

struct Values {
  std::vector<double> accuracy, loss, divergence, moved;
  std::vector<std::optional<double>> by_run;  // accuracies in the order of the runs
  int64_t samples = 0;
};

using CellKey = std::pair<std::string, double>;  // name and factor

void add_changes(SwapSummary& summary, const std::map<CellKey, Values>& values) {
  std::map<double, std::vector<size_t>> families;
  for (size_t c = 0; c < summary.cells.size(); ++c) {
    SwapCell& cell = summary.cells[c];
    if (cell.swap.empty()) continue;
    const Values& own = values.at({"", cell.factor});
    const Values& swapped = values.at({cell.swap, cell.factor});
    std::vector<double> changes;
    for (size_t r = 0; r < swapped.by_run.size(); ++r) {
      if (swapped.by_run[r] && own.by_run[r]) changes.push_back(*swapped.by_run[r] - *own.by_run[r]);
    }
    if (changes.size() < 2) continue;
    // Both sides are shares of the same samples; what that says of their difference is at most the sum.
    const double floor = spread_of_samples(cell.accuracy.mean, swapped.samples) +
                         spread_of_samples(seed_interval(own.accuracy).mean, own.samples);
    cell.change = statistics::mean_of_runs({changes, floor}).within(kDifferenceRange.low, kDifferenceRange.high);
    constexpr double kMargin = 0.01;  // as of all accuracies
    cell.reading = statistics::read(*cell.change, kMargin);
    families[cell.factor].push_back(c);
  }
  for (const auto& [factor, family] : families) {
    std::vector<double> p;
    for (const size_t c : family) {
      p.push_back(summary.cells[c].change->decides() ? summary.cells[c].change->p : 1.0);
    }
    const std::vector<double> adjusted = statistics::holm(p);
    for (size_t i = 0; i < family.size(); ++i) summary.cells[family[i]].holm = adjusted[i];
  }
}

}  // namespace

void check(const SwapPlan& plan, int64_t trained_length) {
  if (plan.swaps.empty() && plan.recalibrated.empty()) fail_usage("--swap or --recalibrate: no encoding to change to");
  std::set<std::string> names;
  const auto check_one = [&](const NamedEncoding& encoding, const std::string& name) {
    if (!names.insert(name).second) fail_usage("'{}' is asked for twice", name);
    parse_encoding(encoding_at_length(encoding.expression, 2.0, trained_length));
  };
  for (const NamedEncoding& swap : plan.swaps) check_one(swap, swap_name(swap));
  for (const NamedEncoding& swap : plan.recalibrated) {
    if (goes_by_length(swap.expression)) {
      fail_usage(
          "--recalibrate {}: {{length}} differs from length to length, and a model is trained under one encoding",
          swap.expression);
    }
    check_one(swap, swap_name(swap) + ", more steps");
  }
}

std::vector<SwapPoint> measure_swaps(Backend& backend, const PlannedRun& run, const fs::path& folder,
                                     const fs::path& further, const SwapPlan& plan, const SwapCallbacks& callbacks) {
  const auto say = [&](std::string_view what) {
    stop_if_cancelled();
    if (callbacks.tell) callbacks.tell(what);
  };
  RunSwaps swaps(backend, run, folder, plan);
  say("as trained");
  swaps.add_own();
  for (const NamedEncoding& swap : plan.swaps) {
    say(swap_name(swap));
    swaps.add_swap(swap);
  }
  const int64_t steps = further_steps(plan, run.config);
  for (const NamedEncoding& swap : plan.recalibrated) {
    say(further_name(swap, steps));
    const RunFolder trained = recalibrated(backend, swaps.source(), further, swap.expression, steps, callbacks);
    Session session = open_trained_model(backend, trained);
    swaps.add_recalibrated(session, swap, steps);
  }
  return swaps.take();
}

SwapSummary summarize(const std::vector<SwapPoint>& points, int64_t trained_length) {
  SwapSummary summary{.trained_length = trained_length};
  if (points.empty()) return summary;
  summary.task = points.front().task;
  summary.base = points.front().base;
  std::vector<std::string> runs;
  std::map<CellKey, Values> values;
  std::map<CellKey, size_t> places;
  for (const SwapPoint& point : points) {
    if (std::find(runs.begin(), runs.end(), point.run) == runs.end()) runs.push_back(point.run);
  }
  for (const SwapPoint& point : points) {
    const CellKey key(point.swap, point.factor);
    const auto [place, is_new] = places.try_emplace(key, summary.cells.size());
    if (is_new) {
      summary.cells.push_back({.swap = point.swap,
                               .expression = point.expression,
                               .further_steps = point.further_steps,
                               .factor = point.factor});
    }
    SwapCell& cell = summary.cells[place->second];
    Values& own = values[key];
    own.by_run.resize(runs.size());
    if (!point.refused.empty()) cell.refused = point.refused;
    if (!point.accuracy) continue;
    cell.longest = point.longest;
    cell.blind = point.blind;
    own.accuracy.push_back(*point.accuracy);
    own.loss.push_back(*point.loss);
    if (point.divergence) own.divergence.push_back(*point.divergence);
    if (point.moved) own.moved.push_back(*point.moved);
    own.by_run[static_cast<size_t>(std::find(runs.begin(), runs.end(), point.run) - runs.begin())] = point.accuracy;
    own.samples += point.samples;
    summary.samples = point.samples;
  }
  summary.seeds = std::ssize(runs);
  for (SwapCell& cell : summary.cells) {
    const Values& own = values.at({cell.swap, cell.factor});
    cell.accuracy = seed_interval(own.accuracy, kShareRange);
    cell.loss = seed_interval(own.loss, kPositiveRange);
    cell.divergence = seed_interval(own.divergence, kPositiveRange);
    cell.moved = seed_interval(own.moved, kShareRange);
  }
  add_changes(summary, values);
  return summary;
}

}  // namespace phasor
