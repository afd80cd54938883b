#pragma once
// A configuration brought to life: the task, its data and the model. What train, evaluate, export and bench share.
#include <memory>
#include <optional>

#include "phasor/model/transformer.h"
#include "phasor/run/config.h"
#include "phasor/task/dataset.h"

namespace phasor {

struct SessionOptions {
  bool training = true;
  bool data = true;  // generate the train and test sets
};

class Session {
 public:
  Session(Backend& backend, const RunConfig& config, const SessionOptions& options);

  const RunConfig& config() const { return config_; }
  const Task& task() const { return *task_; }
  const Split& data() const { return *split_; }
  Transformer& model() { return *model_; }

  // The batch of update number `step` (from 1).
  const Batch& training_batch(int64_t step);

 private:
  void make_data();

  RunConfig config_;
  std::unique_ptr<Task> task_;
  std::unique_ptr<Split> split_;
  std::optional<EpochOrder> order_;     // of a fixed set
  std::optional<SampleStream> stream_;  // else
  std::optional<Transformer> model_;
  Batch batch_;
};

}  // namespace phasor
