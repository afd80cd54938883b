#pragma once
// Ablations with known drops, without a model.
#include <vector>

#include "ablation/drop_world.h"
#include "phasor/ablation/run_ablation.h"

namespace phasor::testing_support {

// True mean drops [layers][heads] of the methods that answer the two questions; empty: not measured.
struct HandMade {
  std::vector<std::vector<double>> position, importance;
  uint32_t number = 0;     // of the noise
  double accuracy = 0.9;   // of the intact model
  double removed = 0.5;    // accuracy with p taken out of the stream, every layer
  double yardstick = 0.7;  // with random vectors taken out: this and 0.1 more
};

inline constexpr int64_t kHandMadeSamples = 60;

inline void add_drops(ScoreTable& table, AblationMethod method, const std::vector<std::vector<double>>& means,
                      uint32_t number) {
  for (size_t l = 0; l < means.size(); ++l) {
    DropWorld world = additive_world(means[l]);
    world.base = 0.02;
    world.slope = 0.2;
    const LayerDrops drops = draw_drops(world, kHandMadeSamples, number + 1000 * static_cast<uint32_t>(l));
    const auto add = [&](AblationExtent extent, int64_t head, const std::vector<double>& column) {
      SampleScores scores = table.intact;
      for (size_t i = 0; i < column.size(); ++i) scores.loss[i] += static_cast<float>(column[i]);
      table.conditions.push_back({static_cast<int64_t>(l), method, extent, head});
      table.scores.push_back(std::move(scores));
    };
    add(AblationExtent::whole, -1, drops.whole);
    for (size_t h = 0; h < drops.alone.size(); ++h) {
      add(AblationExtent::alone, static_cast<int64_t>(h), drops.alone[h]);
      add(AblationExtent::only, static_cast<int64_t>(h), drops.only[h]);
    }
  }
}

inline RunAblation ablation_of(const HandMade& made) {
  const std::vector<std::vector<double>>& shape = made.importance.empty() ? made.position : made.importance;
  RunAblation ablation;
  ablation.scores = ScoreTable(std::ssize(shape), std::ssize(shape.front()), kHandMadeSamples, {});
  ablation.scores.done = kHandMadeSamples;
  SampleScores& intact = ablation.scores.intact;
  for (size_t i = 0; i < intact.loss.size(); ++i) {
    intact.loss[i] = 0.125f;
    intact.correct[i] = static_cast<double>(i) < made.accuracy * static_cast<double>(kHandMadeSamples) ? 1.0f : 0.0f;
  }
  add_drops(ablation.scores, AblationMethod::zero, made.importance, made.number);
  add_drops(ablation.scores, AblationMethod::position_off, made.position, made.number + 500);
  ablation.context = {.floor_accuracy = 0.1, .guess_loss = 2.125};
  judge(ablation, {.resamples = 100, .flips = 99});
  for (int64_t l = 0; l < std::ssize(shape); ++l) {
    LayerRemoval removal{.layer = l};
    removal.means.accuracy = made.removed;
    removal.random = {{.accuracy = made.yardstick}, {.accuracy = made.yardstick + 0.1}};
    ablation.removal.layers.push_back(removal);
  }
  return ablation;
}

}  // namespace phasor::testing_support
