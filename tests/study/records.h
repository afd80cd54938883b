#pragma once
// Hand-made runs of a study.
#include <numeric>
#include <string>
#include <vector>

#include "ablation/drop_world.h"
#include "phasor/ablation/verdict.h"
#include "phasor/study/records/study_results.h"

namespace phasor::testing_support {

inline const CellName kRope{.task = "distance", .protocol = "clean", .encoding = "rope"};
inline const CellName kAlibi{.task = "distance", .protocol = "clean", .encoding = "alibi"};

inline RunRecord run_record(const CellName& cell, uint64_t seed, double accuracy) {
  RunRecord run;
  run.id = cell.encoding + "-" + std::to_string(seed);
  run.cell = cell;
  run.seed = seed;
  run.learning_rate = 1e-3;
  run.steps = 2000;
  run.parameters = 1000;
  run.layers = 2;
  run.heads = 4;
  run.train_accuracy = run.test_accuracy = accuracy;
  run.test_loss = 1.0 - accuracy;
  run.converged = true;
  run.floors.chance = 0.04;
  run.seconds = 12.5;
  run.device = "a machine";
  return run;
}

// Seeds 0, 1, ...
inline CellRuns cell_runs(const CellName& cell, const std::vector<double>& accuracies) {
  CellRuns result{.cell = cell, .planned = std::ssize(accuracies)};
  for (const double accuracy : accuracies) result.runs.push_back(run_record(cell, result.runs.size(), accuracy));
  return result;
}

// alone: mean drops [layers][heads], which the samples scatter about. Layers of zeros are not used.
inline HeadRecord head_record(const std::vector<std::vector<double>>& alone, uint32_t number = 0) {
  constexpr size_t kSamples = 60;
  RunEvidence evidence;
  for (size_t l = 0; l < alone.size(); ++l) {
    DropWorld world = additive_world(alone[l]);
    world.slope = 0.1;
    RunEvidence layer = draw_run(world, kSamples, number + 100 * static_cast<uint32_t>(l));
    if (l == 0) {
      evidence = layer;
    } else {
      evidence.layers.push_back(layer.layers[0]);
      for (size_t m = 0; m < layer.others.size(); ++m) evidence.others[m].drops.push_back(layer.others[m].drops[0]);
    }
  }
  HeadRecord record;
  record.judged.run = judge_run(evidence, {.resamples = 100, .flips = 99});
  record.judged.key_layer = evidence.layers[static_cast<size_t>(record.judged.run.layer)];
  record.loss_drops = alone;
  record.accuracies = alone;
  for (std::vector<double>& layer : record.accuracies) {
    for (double& head : layer) head = 0.9 - 0.1 * head;
  }
  return record;
}

inline AblationRecord ablation_record(int64_t step, double accuracy, HeadRecord position) {
  AblationRecord record;
  record.step = step;
  record.samples = 60;
  record.accuracy = accuracy;
  record.floor_accuracy = 0.1;
  record.position = std::move(position);
  return record;
}

// One head of the second layer has it all.
inline HeadRecord concentrated(uint32_t number = 0) {
  return head_record({{0, 0, 0, 0}, {0.02, 0.02, 1.0, 0.02}}, number);
}
inline HeadRecord even(uint32_t number = 0) { return head_record({{0, 0, 0, 0}, {0.3, 0.3, 0.3, 0.3}}, number); }

}  // namespace phasor::testing_support
