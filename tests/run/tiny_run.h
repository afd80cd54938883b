#pragma once
// A run of a few hundredths of a second that still has everything: dropout, evaluations, checkpoints, snapshots.
#include <initializer_list>

#include "phasor/run/config_builder.h"

namespace phasor::testing_support {

inline RunConfig tiny_run(std::initializer_list<const char*> changes = {}) {
  ConfigBuilder builder;
  for (const char* value :
       {"task.vocabulary=12", "task.gap=4", "task.sides=3", "model.layers=1", "model.width=16", "model.hidden=24",
        "model.heads=2", "model.dropout=0.1", "model.encoding=rope", "train.batch=8", "train.steps=20",
        "train.evaluate_every=5", "train.checkpoint_every=8", "train.snapshots=3,10", "train.lr=0.003", "data.train=64",
        "data.test=32", "data.validation=16", "train.evaluation_samples=40"}) {
    builder.add_set(value);
  }
  for (const char* value : changes) builder.add_set(value);
  return builder.build();
}

}  // namespace phasor::testing_support
