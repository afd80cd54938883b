#pragma once
// Everything that defines a run. Each field is one typed key (`train.lr`, `model.width`, ...), with
// one meaning in --set, in files and in config.json. See config_keys.h for the table of keys.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/model/config.h"
#include "phasor/run/start_config.h"
#include "phasor/task/sample_rules.h"
#include "phasor/task/task.h"

namespace phasor {

struct TrainConfig {
  int64_t steps = 2000;
  int64_t batch = 128;
  double learning_rate = 1e-3;
  double warmup = 0.06;  // share of the steps
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
  double clip = 0.0;  // largest gradient norm; 0: no clipping
  int64_t evaluate_every = 50;
  int64_t evaluation_samples = 4096;  // of the training set, at each evaluation
  int64_t evaluation_tests = 0;       // of the test set, likewise; 0: all. The run's result is over all in any case
  int64_t checkpoint_every = 500;     // steps between saves of state.safetensors
  std::vector<int64_t> snapshots;     // steps at which model weights are kept
  Dtype precision = Dtype::f32;
};

// Epochs over a fixed set, or samples that never come again.
enum class DataSource : uint8_t { fixed, stream };

struct DataConfig {
  DataSource source = DataSource::fixed;
  int64_t train_samples = 20000;
  int64_t test_samples = 4096;
  int64_t validation_samples = 2048;
  uint64_t seed = 0;
};

// What is measured while a run trains, beside its evaluations. It changes nothing else.
struct TelemetryConfig {
  int64_t spectrum = 0;  // steps between measurements of every head; 0: none
};

enum class AblationSet : uint8_t { test, all };
// Each head alone; or as the released code does it: the last head of a layer stays off while deeper ones are measured,
// or columns of latents go off in place of heads.
enum class HeadAblation : uint8_t { alone, cumulative, latent };

// How the released code's choices differ from the clean ones, beyond model and optimiser.
struct ProtocolConfig {
  SampleRules samples;
  AblationSet ablation_set = AblationSet::test;
  HeadAblation head_ablation = HeadAblation::alone;
};

struct RunConfig {
  std::string preset = "quick";
  std::string protocol = "clean";
  ProtocolConfig switches;  // of the protocol, each of which may be set alone
  std::string task = "distance";
  TaskValues task_values;  // in the order of the task's options
  ModelConfig model;
  TrainConfig train;
  DataConfig data;
  TelemetryConfig telemetry;
  StartConfig start;
  uint64_t seed = 0;  // of initialisation and dropout
};

// At each evaluation.
inline int64_t tested_samples(const RunConfig& config) {
  return config.train.evaluation_tests > 0 ? config.train.evaluation_tests : config.data.test_samples;
}

}  // namespace phasor
