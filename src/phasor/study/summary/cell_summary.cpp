#include "phasor/study/summary/cell_summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "phasor/base/special_numbers.h"

namespace phasor {
namespace {

SeedOutcome outcome_of(const RunRecord& run) {
  return {.id = run.id,
          .seed = run.seed,
          .learning_rate = run.learning_rate,
          .steps = run.steps,
          .parameters = run.parameters,
          .converged = run.converged,
          .validation_accuracy = run.validation_accuracy,
          .validation_loss = run.validation_loss};
}

template <class Number>
std::vector<Number> distinct(const std::vector<RunRecord>& runs, Number RunRecord::*member) {
  std::set<Number> values;
  for (const RunRecord& run : runs) values.insert(run.*member);
  return {values.begin(), values.end()};
}

std::vector<SeedPublished> published_of(const std::vector<RunRecord>& runs) {
  std::vector<SeedPublished> result;
  for (const RunRecord& run : runs) {
    if (run.published) result.push_back({run.id, run.seed, *run.published});
  }
  return result;
}

}  // namespace

LearningCurves learning_curves(const std::vector<RunRecord>& runs) {
  std::map<int64_t, std::pair<std::vector<double>, std::vector<double>>> at;  // test and train accuracy by step
  for (size_t r = 0; r < runs.size(); ++r) {
    for (const Metrics& metrics : runs[r].curve) {
      auto& [test, train] = at[metrics.step];
      test.resize(runs.size(), kNaN);
      train.resize(runs.size(), kNaN);
      test[r] = metrics.test_accuracy;
      train[r] = metrics.train_accuracy;
    }
  }
  LearningCurves curves;
  for (auto& [step, values] : at) {
    curves.steps.push_back(step);
    curves.test_accuracy.push_back(seed_interval(std::move(values.first), kShareRange));
    curves.train_accuracy.push_back(seed_interval(std::move(values.second), kShareRange));
  }
  return curves;
}

std::vector<LengthSummary> length_summary(const std::vector<RunRecord>& runs) {
  std::map<double, LengthSummary> by_factor;
  for (size_t r = 0; r < runs.size(); ++r) {
    for (const LengthRecord& length : runs[r].lengths) {
      LengthSummary& summary = by_factor[length.factor];
      summary.factor = length.factor;
      summary.longest = length.longest;
      summary.accuracy.values.resize(runs.size(), kNaN);
      summary.accuracy.values[r] = length.accuracy;
    }
  }
  std::vector<LengthSummary> result;
  for (auto& [factor, summary] : by_factor) {
    summary.accuracy = seed_interval(std::move(summary.accuracy.values), kShareRange);
    result.push_back(std::move(summary));
  }
  return result;
}

std::optional<SpectrumSummary> spectrum_summary(const std::vector<RunRecord>& runs) {
  if (std::none_of(runs.begin(), runs.end(), [](const RunRecord& run) { return run.spectrum.has_value(); })) {
    return std::nullopt;
  }
  const auto interval = [&](const auto& value) {
    return seed_interval(
        per_run(runs, [&](const RunRecord& run) { return run.spectrum ? value(*run.spectrum) : kNaN; }));
  };
  const auto number = [&](double SpectrumRecord::*member) {
    return interval([member](const SpectrumRecord& spectrum) { return spectrum.*member; });
  };
  const auto fact = [&](SpectralFacts SpectrumRecord::*when, double SpectralFacts::*member) {
    return interval([when, member](const SpectrumRecord& spectrum) { return spectrum.*when.*member; });
  };
  SpectrumSummary result{.contraction_start = fact(&SpectrumRecord::start, &SpectralFacts::contraction),
                         .contraction_end = fact(&SpectrumRecord::end, &SpectralFacts::contraction),
                         .product_norm_start = fact(&SpectrumRecord::start, &SpectralFacts::product_norm),
                         .product_norm_end = fact(&SpectrumRecord::end, &SpectralFacts::product_norm),
                         .relative_r2 = number(&SpectrumRecord::relative_r2),
                         .position_toeplitz = number(&SpectrumRecord::position_toeplitz),
                         .logit_interaction = number(&SpectrumRecord::logit_interaction),
                         .content_share = number(&SpectrumRecord::content_share),
                         .product_share = interval([](const SpectrumRecord& spectrum) {
                           return 1.0 - spectrum.content_share - spectrum.positional_share;
                         }),
                         .positional_share = number(&SpectrumRecord::positional_share),
                         .stream_position = number(&SpectrumRecord::stream_position),
                         .stream_interaction = number(&SpectrumRecord::stream_interaction),
                         .stream_interaction_deviation = number(&SpectrumRecord::stream_interaction_deviation)};
  for (const RunRecord& run : runs) {
    const SpectrumRecord& spectrum = run.spectrum.value_or(SpectrumRecord{});
    result.head_contractions_start.push_back(spectrum.start_contractions);
    result.head_contractions_end.push_back(spectrum.end_contractions);
  }
  return result;
}

CellSummary summarize(const CellRuns& cell) {
  CellSummary summary{.cell = cell.cell,
                      .planned = cell.planned,
                      .learning_rates = distinct(cell.runs, &RunRecord::learning_rate),
                      .parameters = distinct(cell.runs, &RunRecord::parameters),
                      .numbers = numbers_of(cell),
                      .curves = learning_curves(cell.runs),
                      .lengths = length_summary(cell.runs),
                      .spectrum = spectrum_summary(cell.runs),
                      .position = question_summary(cell.runs, Question::position),
                      .importance = question_summary(cell.runs, Question::importance),
                      .removal = removal_summary(cell.runs),
                      .snapshots = snapshot_summary(cell.runs),
                      .published = published_of(cell.runs),
                      .learned = learned_summary(cell.runs)};
  for (const RunRecord& run : cell.runs) {
    summary.runs.push_back(outcome_of(run));
    if (cell.added_seeds.contains(run.seed)) summary.added_seeds.push_back(run.seed);
    if (!run.converged) summary.unconverged.push_back(run.id);
  }
  for (const RunFailure& failure : cell.failures) summary.failed.push_back(failure.id);
  if (!cell.runs.empty()) {
    summary.layers = cell.runs.front().layers;
    summary.heads = cell.runs.front().heads;
    summary.floors = cell.runs.front().floors;
  }
  return summary;
}

}  // namespace phasor
