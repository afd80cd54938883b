#include "phasor/study/summary/cell_heads.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "phasor/base/special_numbers.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/summary/cell_numbers.h"

namespace phasor {
namespace {

const HeadRecord* asked(const RunRecord& run, Question question) {
  if (!run.ablation || !run.ablation->record(question)) return nullptr;
  return &*run.ablation->record(question);
}

SeedHeads seed_heads(const RunRecord& run, const HeadRecord& heads) {
  return {.id = run.id,
          .seed = run.seed,
          .converged = run.converged,
          .samples = run.ablation->samples,
          .accuracy = run.ablation->accuracy,
          .floor_accuracy = run.ablation->floor_accuracy,
          .verdict = heads.judged.run,
          .loss_drops = heads.loss_drops,
          .accuracies = heads.accuracies};
}

double mean_random_accuracy(const LayerRemoval& layer) {
  double sum = 0.0;
  for (const RemovalScore& score : layer.random) sum += score.accuracy;
  return sum / static_cast<double>(layer.random.size());  // NaN without draws
}

// One number of a layer's removal in every run; NaN where the run has no such layer.
template <class Value>
std::vector<double> per_removal(const std::vector<RunRecord>& runs, size_t layer, const Value& value) {
  return per_run(runs, [&](const RunRecord& run) {
    if (!run.ablation || !run.ablation->removal || layer >= run.ablation->removal->layers.size()) return kNaN;
    return value(run.ablation->removal->layers[layer]);
  });
}

const AblationRecord* snapshot_at(const RunRecord& run, int64_t step) {
  const auto found = std::find_if(run.snapshots.begin(), run.snapshots.end(),
                                  [&](const AblationRecord& snapshot) { return snapshot.step == step; });
  return found == run.snapshots.end() ? nullptr : &*found;
}

// The finished model's key layer at `step`, and its top head.
struct EarlyLayer {
  const LayerEffect* effect = nullptr;  // null: no shares
  int64_t final_top = 0;
};

EarlyLayer early_layer(const RunRecord& run, int64_t step, Question question) {
  const HeadRecord* last = asked(run, question);
  const AblationRecord* early = snapshot_at(run, step);
  if (last == nullptr || early == nullptr || !early->record(question)) return {};
  const int64_t layer = last->judged.run.layer;
  const LayerEffect* finished = used_effect(last->judged.run, layer);
  if (finished == nullptr) return {};
  return {used_effect(early->record(question)->judged.run, layer), finished->top};
}

SnapshotShares snapshot_shares(const std::vector<RunRecord>& runs, int64_t step, Question question) {
  SnapshotShares result;
  std::vector<double> max_share, n2;
  double most_heads = 1.0;
  for (const RunRecord& run : runs) {
    const EarlyLayer layer = early_layer(run, step, question);
    max_share.push_back(layer.effect != nullptr ? layer.effect->max_share.value : kNaN);
    n2.push_back(layer.effect != nullptr ? layer.effect->n2.value : kNaN);
    if (layer.effect == nullptr) continue;
    most_heads = std::max(most_heads, static_cast<double>(layer.effect->heads.size()));
    if (layer.effect->top == layer.final_top) ++result.leading;
  }
  result.max_share = seed_interval(std::move(max_share), kShareRange);
  result.n2 = seed_interval(std::move(n2), statistics::Interval{1.0, most_heads});
  return result;
}

}  // namespace

const LayerEffect* used_effect(const RunVerdict& verdict, int64_t layer) {
  if (layer < 0 || layer >= std::ssize(verdict.layers)) return nullptr;
  const LayerVerdict& found = verdict.layers[static_cast<size_t>(layer)];
  const bool has_shares = found.verdict != Deposit::not_used && is_above_floor(found) && found.effect.shares.defined;
  return has_shares ? &found.effect : nullptr;
}

std::vector<std::vector<double>> sorted_drops(const std::vector<SeedHeads>& seeds) {
  std::vector<std::vector<std::vector<double>>> ranks;  // [layers][ranks][seeds]
  for (const SeedHeads& seed : seeds) {
    ranks.resize(std::max(ranks.size(), seed.loss_drops.size()));
    for (size_t l = 0; l < seed.loss_drops.size(); ++l) {
      std::vector<double> drops = seed.loss_drops[l];
      std::erase_if(drops, [](double drop) { return !std::isfinite(drop); });
      std::sort(drops.begin(), drops.end(), std::greater<>());
      ranks[l].resize(std::max(ranks[l].size(), drops.size()));
      for (size_t rank = 0; rank < drops.size(); ++rank) ranks[l][rank].push_back(drops[rank]);
    }
  }
  std::vector<std::vector<double>> means(ranks.size());
  for (size_t l = 0; l < ranks.size(); ++l) {
    for (const std::vector<double>& drops : ranks[l]) means[l].push_back(statistics::mean(drops));
  }
  return means;
}

std::optional<QuestionSummary> question_summary(const std::vector<RunRecord>& runs, Question question) {
  QuestionSummary result;
  std::vector<SeedRun> all;
  for (const RunRecord& run : runs) {
    const HeadRecord* heads = asked(run, question);
    if (heads == nullptr) continue;
    result.seeds.push_back(seed_heads(run, *heads));
    all.push_back(heads->judged);
  }
  if (all.empty()) return std::nullopt;
  result.verdict = judge_encoding(all);
  return result;
}

std::vector<RemovalSummary> removal_summary(const std::vector<RunRecord>& runs) {
  size_t layers = 0;
  for (const RunRecord& run : runs) {
    if (run.ablation && run.ablation->removal) layers = std::max(layers, run.ablation->removal->layers.size());
  }
  std::vector<RemovalSummary> result;
  for (size_t l = 0; l < layers; ++l) {
    const auto interval = [&](const auto& value, std::optional<statistics::Interval> range) {
      return seed_interval(per_removal(runs, l, value), range);
    };
    const auto input_term = [](const LayerRemoval& layer) {
      return layer.input_term ? layer.input_term->accuracy : kNaN;
    };
    result.push_back(
        {.layer = static_cast<int64_t>(l),
         .without_position = interval([](const LayerRemoval& layer) { return layer.means.accuracy; }, kShareRange),
         .without_input_term = interval(input_term, kShareRange),
         .random = interval(mean_random_accuracy, kShareRange),
         .excess = interval([](const LayerRemoval& layer) { return layer.excess.value; }, std::nullopt),
         .norm_share = interval([](const LayerRemoval& layer) { return layer.norm_share; }, kPositiveRange)});
  }
  return result;
}

std::vector<SnapshotSummary> snapshot_summary(const std::vector<RunRecord>& runs) {
  std::set<int64_t> steps;
  for (const RunRecord& run : runs) {
    for (const AblationRecord& snapshot : run.snapshots) steps.insert(snapshot.step);
  }
  std::vector<SnapshotSummary> result;
  for (const int64_t step : steps) {
    const auto accuracy = [&](const RunRecord& run) {
      const AblationRecord* snapshot = snapshot_at(run, step);
      return snapshot != nullptr ? snapshot->accuracy : kNaN;
    };
    result.push_back({.step = step,
                      .accuracy = seed_interval(per_run(runs, accuracy), kShareRange),
                      .position = snapshot_shares(runs, step, Question::position),
                      .importance = snapshot_shares(runs, step, Question::importance)});
  }
  return result;
}

}  // namespace phasor
