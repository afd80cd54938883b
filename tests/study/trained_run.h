#pragma once
// A run of a fraction of a second, trained, with everything asked of it.
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "phasor/base/file.h"
#include "phasor/run/config_json.h"
#include "phasor/study/carry_out/run_measures.h"
#include "phasor/train/trainer.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor::testing_support {

struct TrainedRun {
  TemporaryFolder temporary;
  PlannedRun plan;
  std::filesystem::path folder;

  explicit TrainedRun(const std::vector<std::string>& changes = {}) {
    ConfigBuilder builder;
    for (const char* value :
         {"task.vocabulary=12", "task.gap=4", "task.sides=3", "model.layers=2", "model.width=16", "model.hidden=24",
          "model.heads=2", "model.encoding=rope", "train.batch=16", "train.steps=40", "train.evaluate_every=5",
          "train.snapshots=30,10,0,40", "train.lr=0.003", "data.train=128", "data.test=48", "data.validation=16",
          "train.evaluation_samples=40"}) {
      builder.add_set(value);
    }
    for (const std::string& value : changes) builder.add_set(value);
    plan.config = builder.build();
    plan.id = config_id(plan.config);
    plan.cell = {plan.config.task, plan.config.protocol, plan.config.model.encoding, "tiny"};
    plan.measures = {.ablation = true,
                     .snapshots = true,
                     .published = true,
                     .spectrum = true,
                     .lengths = {1.0, 2.0},
                     .ablation_samples = 40};
    folder = temporary / "run";
    const RunFolder run(folder);
    run.create(plan.config);
    train(test_backend(), plan.config, run, {});
  }

  bool measure(const MeasureProgress& progress = {}) const {
    return measure_run(test_backend(), plan, folder, progress);
  }

  // The same run before anything was measured.
  std::filesystem::path copy(const std::string& name) const {
    std::filesystem::copy(folder, temporary / name, std::filesystem::copy_options::recursive);
    return temporary / name;
  }
};

// The content of every file in a folder, by name.
inline std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      all[std::filesystem::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
  }
  return all;
}

inline void expect_same_files(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto first = contents(a), second = contents(b);
  for (const auto& [name, content] : first) {
    ASSERT_TRUE(second.contains(name)) << name << " is missing in " << b;
    EXPECT_TRUE(second.at(name) == content) << name << " differs";
  }
  EXPECT_EQ(first.size(), second.size());
}

}  // namespace phasor::testing_support
