#include "phasor/paper/paper_study.h"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <string>

#include "phasor/base/error.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/run/config_builder.h"
#include "phasor/run/parameter_match.h"
#include "phasor/study/plan/encoding_labels.h"

namespace phasor::paper {
namespace {

// A task as a size has it, where that is not as its preset does.
struct TaskSize {
  ConfigBundle task;
  ConfigBundle clean;     // of clean runs alone
  ConfigBundle released;  // of released ones, and of all that the audit compares with them
  std::string steps;      // of clean runs; empty: the size's
  int64_t seeds = 0;      // of clean runs; 0: the size's
};

// What a size stands for beyond the preset of single runs.
struct StudySize {
  int64_t seeds = 5;
  std::map<std::string, TaskSize> tasks;    // by name; none: the preset's
  std::string clean_steps, released_steps;  // empty: the preset's
  ConfigBundle settings;                    // of both protocols
  ConfigBundle clean_settings;              // of clean runs alone
  ConfigBundle released_settings;           // of released ones, and of all that the audit compares with them
  // Where none is chosen; empty: that of preset and protocol.
  std::string clean_rate, released_rate;
  std::vector<double> rates;
  std::string snapshots;           // on distance, of clean runs
  std::string released_snapshots;  // and of rope as released
  std::string telemetry;           // steps between measurements of spectra, of some clean runs on distance
  int64_t ablation_samples = 1024;
  std::vector<double> lengths = {1.0, 1.5, 2.0, 4.0};
};

// The tasks of quick size, chosen by a pilot (docs/results/quick_pilot.md). The length of a sequence says nothing about
// the answer. Clean runs have so few samples to learn from that the better encodings stay below the ceiling; released
// ones have all of them, since they learn slowly. Both answer the same questions. Samples of released runs are filled
// up by as large a share as the paper's, 120 tokens to 128. This is the one place to change them.
std::map<std::string, TaskSize> quick_tasks() {
  const TaskSize distance{.task = {{"task.gap", "10"}, {"task.sides", "3"}, {"task.length", "fixed"}},
                          .clean = {{"data.train", "350"}, {"train.evaluate_every", "25"}},
                          .released = {{"data.train", "8000"}, {"protocol.padded_length", "19"}},
                          .steps = "800",
                          .seeds = 10};
  const TaskSize indirect{.task = {{"task.length", "16"}, {"task.reach", "5"}}, .seeds = 10};
  const TaskSize counting{.task = {{"task.length", "16"}, {"task.most", "12"}},
                          .clean = {{"data.train", "400"}},
                          .released = {{"data.train", "8000"}, {"protocol.padded_length", "18"}},
                          .steps = "800"};
  const TaskSize joint{.task = {{"task.gap", "10"}, {"task.sides", "3"}, {"task.length", "18"}, {"task.most", "12"}},
                       .clean = {{"data.train", "800"}},
                       .steps = "800"};
  const TaskSize index{.task = {{"task.length", "16"}}, .clean = {{"data.train", "4000"}}, .steps = "600"};
  return {{kDistance, distance}, {kIndirect, indirect}, {kCounting, counting}, {kJoint, joint}, {kIndex, index}};
}

StudySize size_of(const std::string& preset) {
  if (preset == "demo") {
    // Sizes at which the encodings differ, in as few steps as show it: docs/results/demo.md has the pilot. In so few
    // steps a higher rate gets further, for every encoding of the demo.
    const TaskSize indirect{.task = {{"task.length", "16"}, {"task.reach", "5"}}, .steps = "700"};
    const TaskSize distance{.task = {{"task.gap", "12"}, {"task.sides", "4"}, {"task.length", "fixed"}},
                            .clean = {{"train.evaluate_every", "25"}},
                            .steps = "300"};
    return {.seeds = 3,
            .tasks = {{kIndirect, indirect}, {kDistance, distance}},
            .settings = {{"train.evaluation_samples", "256"}, {"train.evaluation_tests", "512"}, {"data.test", "2048"}},
            .clean_rate = "0.003",
            .ablation_samples = 512,
            .lengths = {1.0, 2.0}};
  }
  if (preset == "quick") {
    return {.tasks = quick_tasks(),
            .clean_steps = "1000",
            .released_steps = "1000",
            .settings = {{"train.batch", "64"}, {"train.evaluation_samples", "256"}},
            .clean_settings = {{"train.evaluation_tests", "512"}},
            // Rarer, since none of them is fast. Ten are the fewest that show convergence, and that takes all tests.
            .released_settings = {{"train.evaluate_every", "100"}, {"train.evaluation_tests", "0"}},
            .released_rate = "0.0004",
            .rates = {1e-3, 3e-3, 1e-2},
            .snapshots = "50,100,200,400",
            .released_snapshots = "100,250,500",
            .telemetry = "50",
            .ablation_samples = 1024};
  }
  if (preset == "paper") {
    return {.settings = {{"train.evaluate_every", "137"}},
            .rates = {1e-4, 3e-4, 1e-3},
            .snapshots = "137,685,1370,3425",
            .released_snapshots = "137,685,1370,3425",
            .telemetry = "685",
            .ablation_samples = 4096};
  }
  fail_usage("there is no study at size '{}'; sizes are demo, quick and paper", preset);
}

std::string name_of(const std::string& preset) { return fmt::format("arXiv 2505.13027 at {} size", preset); }

class Builder {
 public:
  explicit Builder(const PaperStudyOptions& options) : options_(options), size_(size_of(options.preset)) {
    if (options.seeds > 0) size_.seeds = options.seeds;
    if (!options.rates.empty()) size_.rates = options.rates;
    plan_.preset = options.preset;
    plan_.name = name_of(options.preset);
  }

  StudyPlan plan() {
    if (options_.preset == "demo") {
      demo();
    } else {
      if (options_.protocols != Protocols::released) clean();
      if (options_.protocols != Protocols::clean) released();
      if (options_.protocols == Protocols::both && options_.audit) audit();
    }
    return std::move(plan_);
  }

 private:
  bool wants(Protocols protocol) const {
    return options_.protocols == protocol || options_.protocols == Protocols::both;
  }

  // Whose steps, rate and samples a run has.
  enum class Budget : uint8_t { clean, released };
  static Budget own_budget(const CellName& cell) { return cell.protocol == kClean ? Budget::clean : Budget::released; }

  RunConfig config(const CellName& cell, const ConfigBundle& settings, Budget budget) const {
    ConfigBuilder builder;
    builder.add_option("--preset", "preset", options_.preset);
    builder.add_option("--task", "task", cell.task);
    builder.add_option("--protocol", "protocol", cell.protocol);
    builder.add_option("--encoding", "model.encoding", cell.encoding);
    const auto set = [&](const std::string& key, const std::string& value) { builder.add_set(key + "=" + value); };
    for (const auto& [key, value] : task_size(cell.task).task) set(key, value);
    for (const auto& [key, value] : size_.settings) set(key, value);
    for (const auto& [key, value] : budget == Budget::clean ? clean_budget(cell.task) : released_budget(cell.task)) {
      set(key, value);
    }
    for (const auto& [key, value] : settings) set(key, value);
    return builder.build();
  }

  // Updates and learning rate, where they are not those of preset and protocol.
  ConfigBundle budget(const std::string& steps, const std::string& rate) const {
    ConfigBundle bundle;
    if (options_.steps > 0) {
      bundle.emplace_back("train.steps", std::to_string(options_.steps));
    } else if (!steps.empty()) {
      bundle.emplace_back("train.steps", steps);
    }
    if (!rate.empty()) bundle.emplace_back("train.lr", rate);
    return bundle;
  }

  TaskSize task_size(const std::string& task) const {
    const auto found = size_.tasks.find(task);
    return found == size_.tasks.end() ? TaskSize() : found->second;
  }

  ConfigBundle clean_budget(const std::string& task) const {
    const TaskSize own = task_size(task);
    ConfigBundle bundle = budget(own.steps.empty() ? size_.clean_steps : own.steps, size_.clean_rate);
    bundle.insert(bundle.end(), own.clean.begin(), own.clean.end());
    bundle.insert(bundle.end(), size_.clean_settings.begin(), size_.clean_settings.end());
    return bundle;
  }

  ConfigBundle released_budget(const std::string& task) const {
    ConfigBundle bundle = budget(size_.released_steps, size_.released_rate);
    const ConfigBundle of_task = task_size(task).released;
    bundle.insert(bundle.end(), of_task.begin(), of_task.end());
    bundle.insert(bundle.end(), size_.released_settings.begin(), size_.released_settings.end());
    return bundle;
  }

  // None after the last step: they would never be written.
  ConfigBundle snapshots(const std::string& steps) const {
    if (steps.empty() || options_.steps > 0) return {};
    return {{"train.snapshots", steps}};
  }

  PlannedCell& add(const CellName& cell, const RunMeasures& measures, const ConfigBundle& settings = {}) {
    return add(cell, measures, settings, own_budget(cell));
  }

  PlannedCell& add(const CellName& cell, const RunMeasures& measures, const ConfigBundle& settings, Budget budget) {
    plan_.cells.push_back({.cell = cell,
                           .config = config(cell, settings, budget),
                           .own_data = true,
                           .seeds = seeds(cell.task, budget),
                           .measures = measures});
    plan_.cells.back().measures.ablation_samples = size_.ablation_samples;
    return plan_.cells.back();
  }

  std::vector<uint64_t> seeds(const std::string& task, Budget budget) const {
    const int64_t of_task = budget == Budget::clean && options_.seeds <= 0 ? task_size(task).seeds : 0;
    std::vector<uint64_t> all(static_cast<size_t>(of_task > 0 ? of_task : size_.seeds));
    std::iota(all.begin(), all.end(), uint64_t{0});
    return all;
  }

  int64_t heads() const { return plan_.cells.front().config.model.heads; }

  // Measured is what a claim asks for: heads on counting and snapshots of RoPE alone.
  void clean() {
    for (const PaperEncoding& encoding : paper_encodings()) {
      ConfigBundle settings;
      if (encoding.name == "RoPE") settings = snapshots(size_.snapshots);
      const RunMeasures measures{
          .ablation = true, .snapshots = !settings.empty(), .spectrum = true, .lengths = size_.lengths};
      if (is_watched(encoding.name)) settings.emplace_back("telemetry.spectrum", size_.telemetry);
      add(cell_of(encoding, kDistance, kClean), measures, settings).rates = size_.rates;
    }
    for (const PaperEncoding& encoding : paper_encodings()) {
      if (encoding.name == "RoPE+Absolute") continue;
      add(cell_of(encoding, kCounting, kClean), {.ablation = encoding.name == "RoPE"}).rates = size_.rates;
    }
    position_sensitive(kIndirect);
    position_sensitive(kJoint);
    position_sensitive(kIndex);
    position_sensitive(kIndex, kFromTheEnd, {{"task.from", "end"}});
    principle(kDistance);
    principle(kIndirect);
    rotary_heads(kDistance, kClean);
    rotary_heads(kCounting, kClean);
    const CellName rope{kDistance, kClean, "rope", ""};
    const int64_t hidden = matching_hidden(config(rope, {}, Budget::clean), paper_encoding("MLA").clean);
    add(matched_cell(), {.ablation = true}, {{"model.hidden", std::to_string(hidden)}}).rate_of = rope;
  }

  // Whose spectra are followed while they train.
  static bool is_watched(const std::string& encoding) {
    return encoding == "NoPE" || encoding == "Absolute" || encoding == "ALiBi" || encoding == "RoPE";
  }

  // RoPE and its rivals on a task that asks for positions.
  void position_sensitive(const std::string& task, const std::string& variant = "", const ConfigBundle& settings = {}) {
    for (const char* name : {"NoPE", "Absolute", "Random", "Relative", "ALiBi", "RoPE"}) {
      add(cell_of(paper_encoding(name), task, kClean, variant), {}, settings).rates = size_.rates;
    }
  }

  // The two that the paper's encodings do not have.
  void principle(const std::string& task) {
    const PrincipleEncodings& four = principle_encodings();
    for (const PrincipleEncoding* entry : {&four.multiplied_random, &four.added_random}) {
      add({task, kClean, entry->encoding, ""}, {}).rates = size_.rates;
    }
  }

  // Clean ones take over the rate that rope has on the task, and show what few heads cost on longer sequences.
  void rotary_heads(const std::string& task, const std::string& protocol) {
    for (int64_t k = 1; k < heads(); ++k) {
      const bool looked_into = protocol == kClean && task == kDistance;
      RunMeasures measures{.ablation = looked_into};
      if (looked_into) measures.lengths = size_.lengths;
      PlannedCell& cell = add(rotary_heads_cell(k, heads(), task, protocol), measures);
      if (protocol == kClean) cell.rate_of = CellName{task, kClean, "rope", ""};
    }
  }

  void released() {
    for (const char* task : {kDistance, kCounting}) {
      for (const PaperEncoding& encoding : paper_encodings()) {
        // Ablations of counting models were published for RoPE alone.
        const bool on_distance = task == std::string(kDistance);
        const bool ablated = on_distance || encoding.name == "RoPE";
        ConfigBundle snapshots;
        if (on_distance && encoding.name == "RoPE") snapshots = this->snapshots(size_.released_snapshots);
        add(cell_of(encoding, task, kReleased),
            {.ablation = ablated, .snapshots = !snapshots.empty(), .published = ablated, .spectrum = on_distance},
            snapshots);
      }
    }
    rotary_heads(kDistance, kReleased);
  }

  // All of it with the steps, the rate, the samples and the evaluations of `released`, and nothing tuned: the confounds
  // alone make the difference.
  void audit() {
    for (const std::string& encoding : audited_encodings()) {
      const RunMeasures measures{.ablation = true};
      add(audit_base_cell(encoding, kClean), measures, {}, Budget::released);
      for (const std::string base : {kReleased, kClean}) {
        for (const Confound& confound : confounds()) {
          const ConfigBundle& settings = base == kClean ? confound.released : confound.clean;
          add(audit_cell(encoding, base, confound), measures, settings, Budget::released);
        }
      }
    }
  }

  // The task that sets all apart first, and on it the two encodings that lie farthest apart: the first lines already
  // say something.
  void demo() {
    const RunMeasures looked_into{.ablation = true, .spectrum = true, .lengths = size_.lengths};
    if (wants(Protocols::clean)) {
      for (const char* name : {"RoPE", "NoPE", "Absolute", "ALiBi", "Random", "Relative"}) {
        add(cell_of(paper_encoding(name), kIndirect, kClean), {.lengths = size_.lengths}).rates = size_.rates;
      }
      for (const char* name : {"RoPE", "NoPE", "Absolute", "ALiBi"}) {
        add(cell_of(paper_encoding(name), kDistance, kClean), looked_into).rates = size_.rates;
      }
    }
    if (wants(Protocols::released)) {
      for (const char* name : {"RoPE", "NoPE", "Absolute", "ALiBi"}) {
        add(cell_of(paper_encoding(name), kDistance, kReleased), {.ablation = true, .spectrum = true});
      }
    }
  }

  PaperStudyOptions options_;
  StudySize size_;
  StudyPlan plan_;
};

}  // namespace

StudyPlan paper_study(const PaperStudyOptions& options) {
  StudyPlan plan = Builder(options).plan();
  label_cells(plan);
  check(plan);
  return plan;
}

bool is_paper_study(const StudyPlan& plan) { return plan.name == name_of(plan.preset); }

}  // namespace phasor::paper
