#include "phasor/paper/paper_study.h"

#include <fmt/format.h>

#include <numeric>

#include "phasor/base/error.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/train/config_builder.h"
#include "phasor/train/parameter_match.h"

namespace phasor::paper {
namespace {

// What a size stands for beyond the preset of single runs.
struct StudySize {
  int64_t seeds = 5;
  std::string clean_steps, released_steps;  // empty: the preset's
  ConfigBundle evaluation;                  // of both protocols
  std::string clean_rate;                   // where none is chosen; empty: the preset's
  std::vector<double> rates;
  std::string snapshots;  // of clean runs on distance
  int64_t ablation_samples = 1024;
  std::vector<double> lengths = {1.0, 1.5, 2.0, 4.0};
};

StudySize size_of(const std::string& preset) {
  if (preset == "demo") {
    // In so few steps a higher rate gets further, for every encoding of the demo.
    return {.seeds = 3,
            .evaluation = {{"train.evaluation_samples", "512"}, {"data.test", "2048"}},
            .clean_rate = "0.003",
            .snapshots = "none",
            .ablation_samples = 512,
            .lengths = {1.0, 2.0}};
  }
  if (preset == "quick") {
    // Clean runs are done with after some hundred steps at their own best rate; released ones learn slowly.
    return {.clean_steps = "1000",
            .released_steps = "2000",
            .evaluation = {{"train.evaluation_samples", "1024"}},
            .rates = {3e-4, 1e-3, 3e-3},
            .snapshots = "100,200,400"};
  }
  if (preset == "paper") {
    return {.evaluation = {{"train.evaluate_every", "137"}},
            .rates = {1e-4, 3e-4, 1e-3},
            .snapshots = "137,685,1370,3425",
            .ablation_samples = 4096};
  }
  fail_usage("there is no study at size '{}'; sizes are demo, quick and paper", preset);
}

// Evaluations of released runs can be rarer: none of them is fast.
constexpr const char* kReleasedEvaluations = "100";

class Builder {
 public:
  explicit Builder(const PaperStudyOptions& options) : options_(options), size_(size_of(options.preset)) {
    if (options.seeds > 0) size_.seeds = options.seeds;
    if (!options.rates.empty()) size_.rates = options.rates;
    seeds_.resize(static_cast<size_t>(size_.seeds));
    std::iota(seeds_.begin(), seeds_.end(), uint64_t{0});
    plan_.preset = options.preset;
    plan_.name = fmt::format("arXiv 2505.13027 at {} size", options.preset);
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

  RunConfig config(const CellName& cell, const ConfigBundle& settings) const {
    ConfigBuilder builder;
    builder.add_option("--preset", "preset", options_.preset);
    builder.add_option("--task", "task", cell.task);
    builder.add_option("--protocol", "protocol", cell.protocol);
    builder.add_option("--encoding", "model.encoding", cell.encoding);
    const auto set = [&](const std::string& key, const std::string& value) { builder.add_set(key + "=" + value); };
    const bool is_clean = cell.protocol == kClean;
    const std::string& steps = is_clean ? size_.clean_steps : size_.released_steps;
    if (options_.steps > 0) {
      set("train.steps", std::to_string(options_.steps));
    } else if (!steps.empty()) {
      set("train.steps", steps);
    }
    for (const auto& [key, value] : size_.evaluation) set(key, value);
    if (is_clean && !size_.clean_rate.empty()) set("train.lr", size_.clean_rate);
    if (!is_clean && options_.preset == "quick") set("train.evaluate_every", kReleasedEvaluations);
    for (const auto& [key, value] : settings) set(key, value);
    return builder.build();
  }

  // Snapshots after the last step would never be written.
  ConfigBundle snapshots() const {
    if (size_.snapshots == "none" || options_.steps > 0) return {};
    return {{"train.snapshots", size_.snapshots}};
  }

  PlannedCell& add(const CellName& cell, const RunMeasures& measures, const ConfigBundle& settings = {}) {
    plan_.cells.push_back({.cell = cell, .config = config(cell, settings), .seeds = seeds_, .measures = measures});
    plan_.cells.back().measures.ablation_samples = size_.ablation_samples;
    return plan_.cells.back();
  }

  int64_t heads() const { return plan_.cells.front().config.model.heads; }

  void clean() {
    const RunMeasures on_distance{.ablation = true, .snapshots = true, .spectrum = true, .lengths = size_.lengths};
    for (const PaperEncoding& encoding : paper_encodings()) {
      RunMeasures measures = on_distance;
      measures.snapshots = !snapshots().empty() && encoding.name != "NoPE";
      add(cell_of(encoding, kDistance, kClean), measures, snapshots()).rates = size_.rates;
    }
    for (const PaperEncoding& encoding : paper_encodings()) {
      if (encoding.name == "RoPE+Absolute") continue;
      add(cell_of(encoding, kCounting, kClean), {.ablation = true, .spectrum = true}).rates = size_.rates;
    }
    for (const char* encoding : {"nope", "sinusoidal", "learned(init=1)", "rope"}) {
      add({kIndex, kClean, encoding, ""}, {.spectrum = true}).rates = size_.rates;
    }
    rotary_heads(kDistance, kClean);
    rotary_heads(kCounting, kClean);
    const CellName rope{kDistance, kClean, "rope", ""};
    const int64_t hidden = matching_hidden(config(rope, {}), paper_encoding("MLA").clean);
    add(matched_cell(), {.ablation = true}, {{"model.hidden", std::to_string(hidden)}}).rate_of = rope;
  }

  // Clean ones take over the rate that rope has on the task.
  void rotary_heads(const std::string& task, const std::string& protocol) {
    for (int64_t k = 1; k < heads(); ++k) {
      PlannedCell& cell = add(rotary_heads_cell(k, heads(), task, protocol), {.ablation = protocol == kClean});
      if (protocol == kClean) cell.rate_of = CellName{task, kClean, "rope", ""};
    }
  }

  void released() {
    for (const char* task : {kDistance, kCounting}) {
      for (const PaperEncoding& encoding : paper_encodings()) {
        // Ablations of counting models were published for RoPE alone.
        const bool published = task == std::string(kDistance) || encoding.name == "RoPE";
        add(cell_of(encoding, task, kReleased), {.ablation = true, .published = published, .spectrum = true});
      }
    }
    rotary_heads(kDistance, kReleased);
  }

  void audit() {
    for (const std::string& encoding : audited_encodings()) {
      for (const std::string base : {kReleased, kClean}) {
        for (const Confound& confound : confounds(options_.preset)) {
          PlannedCell& cell = add(audit_cell(encoding, base, confound), {.ablation = true},
                                  base == kClean ? confound.released : confound.clean);
          // The rate is chosen as for the base, but where it is itself the switch.
          if (base == kClean && !confound.sets_rate()) {
            cell.rate_of = CellName{kDistance, kClean, encoding, ""};
          }
        }
      }
    }
  }

  void demo() {
    const auto add_all = [&](const std::string& protocol) {
      RunMeasures on_distance{.ablation = true, .spectrum = true};
      std::vector<double> rates;
      if (protocol == kClean) {
        on_distance.lengths = size_.lengths;
        rates = size_.rates;
      }
      for (const char* name : {"NoPE", "Absolute", "ALiBi", "RoPE", "MLA"}) {
        add(cell_of(paper_encoding(name), kDistance, protocol), on_distance).rates = rates;
      }
      for (const char* name : {"NoPE", "RoPE"}) {
        add(cell_of(paper_encoding(name), kCounting, protocol), {.ablation = true, .spectrum = true}).rates = rates;
      }
    };
    if (wants(Protocols::clean)) add_all(kClean);
    if (wants(Protocols::released)) add_all(kReleased);
  }

  PaperStudyOptions options_;
  StudySize size_;
  std::vector<uint64_t> seeds_;
  StudyPlan plan_;
};

}  // namespace

StudyPlan paper_study(const PaperStudyOptions& options) {
  StudyPlan plan = Builder(options).plan();
  check(plan);
  return plan;
}

}  // namespace phasor::paper
