#include "phasor/study/carry_out/run_measures.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/run/run_folder.h"
#include "phasor/run/session.h"
#include "phasor/study/carry_out/head_curves.h"
#include "phasor/study/carry_out/measured_file.h"
#include "phasor/study/carry_out/study_lengths.h"
#include "phasor/study/carry_out/study_spectrum.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

// What is going on within a measure, and the share of it that is done. False stops.
using Tell = std::function<bool(std::string_view what, double share)>;

// The run's model, with the weights that a measure is about.
class RunModel {
 public:
  RunModel(Backend& backend, const RunConfig& config, const fs::path& folder)
      : folder_(folder), session_(backend, config, {.training = false}) {}

  Session& trained() { return loaded("model.safetensors"); }
  Session& at(int64_t step) { return loaded(snapshot_name(step)); }
  Session& before_training() {
    Transformer& model = session_.model();
    model.load_parameters(model.layout().initial_values(session_.config().seed));
    return session_;
  }

 private:
  Session& loaded(const std::string& name) {
    folder_.check_model(session_.config(), name);
    session_.model().load_parameters(folder_.load_model(session_.model().layout(), name));
    return session_;
  }

  RunFolder folder_;
  Session session_;
};

// One thing to measure.
struct Measure {
  std::string name;
  double cost = 0.0;  // in samples that pass through the model, roughly
  std::function<bool()> is_there;
  std::function<bool(RunModel& model, const Tell& tell)> make;  // false when stopped
};

// The file is there and holds what it should: one that is damaged is measured again.
template <class Read>
bool is_readable(const fs::path& path, const Read& read) {
  if (!fs::exists(path)) return false;
  try {
    read(path);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

AblationOptions ablation_options(const PlannedRun& run) {
  AblationOptions options;
  options.sweep.samples = run.measures.ablation_samples;
  options.sweep.batch = std::min(run.config.train.batch, kAblationBatch);
  options.replace = true;
  return options;
}

double ablation_cost(const PlannedRun& run, const AblationOptions& options) {
  const ModelConfig& model = run.config.model;
  const auto conditions = static_cast<double>(sweep_conditions(options.sweep, model.layers, model.heads).size());
  // A condition goes on from its layer, on average from the middle of the model.
  return 0.5 * conditions * static_cast<double>(std::min(options.sweep.samples, run.config.data.test_samples));
}

Measure ablation_measure(const PlannedRun& run, const fs::path& folder, SnapshotStep snapshot) {
  const AblationOptions options = ablation_options(run);
  const auto measure = [=](RunModel& model, const Tell& tell) {
    Session& session = snapshot ? model.at(*snapshot) : model.trained();
    // What is replaced goes first, now that it can be: beside new scores it would say that all is done.
    fs::remove(folder / (ablation_stem(snapshot) + ".json"));
    const auto progress = [&](std::string_view what, double share) {
      constexpr double kHeads = 0.79, kStream = 0.19;
      if (what == "heads") return tell(what, kHeads * share);
      return tell(what, what == "stream" ? kHeads + kStream * share : kHeads + kStream);
    };
    return ablate_to_files(session, folder, snapshot, options, progress).has_value();
  };
  return {.name = snapshot ? fmt::format("ablation at step {}", *snapshot) : "ablation",
          .cost = ablation_cost(run, options),
          .is_there = [=] { return has_ablation(folder, snapshot, options); },
          .make = measure};
}

Measure published_measure(const PlannedRun& run, const fs::path& folder) {
  const RunConfig& config = run.config;
  const auto measure = [=](RunModel& model, const Tell& tell) {
    const auto progress = [&](double share) { return tell("heads", share); };
    return ablate_as_published_to_file(model.trained(), folder, {}, progress).has_value();
  };
  const auto is_there = [=] {
    return is_readable(folder / "ablation_published.json", [](const fs::path& path) {
      read_measured_file(path, kAblationFormat, read_members<StoredPublished>);
    });
  };
  const int64_t turns = config.model.layers * config.model.heads;
  const int64_t samples = config.data.train_samples + config.data.test_samples;
  return {.name = "ablation as published",
          .cost = 0.5 * static_cast<double>(turns * samples),
          .is_there = is_there,
          .make = measure};
}

Measure spectrum_measure(const PlannedRun& run, const fs::path& folder) {
  const fs::path path = folder / kStudySpectrumFile, curves = folder / kHeadCurvesFile;
  const std::string id = config_id(run.config);
  const auto measure = [=](RunModel& model, const Tell& tell) {
    SpectrumRecord record;
    if (!tell("before training", 0.0)) return false;
    measure_start(model.before_training(), record);
    if (!tell("after training", 0.3)) return false;
    Session& trained = model.trained();
    write_head_curves(measure_head_curves(trained, measure_end(trained, record)), curves, id);
    if (!tell("streams", 0.6)) return false;
    measure_streams(trained, record);
    write_study_spectrum(record, path, id);
    return true;
  };
  return {.name = "spectrum",
          .cost = 100.0 * static_cast<double>(run.config.model.layers * run.config.model.heads),
          .is_there =
              [=] {
                return is_readable(path, [&](const fs::path& file) { read_study_spectrum(file, id); }) &&
                       is_readable(curves, [&](const fs::path& file) { read_head_curves(file, id); });
              },
          .make = measure};
}

std::vector<MeasuredLength> earlier_lengths(const fs::path& path, const std::string& id) {
  const bool is_there = is_readable(path, [&](const fs::path& file) { read_study_lengths(file, id); });
  return is_there ? read_study_lengths(path, id) : std::vector<MeasuredLength>();
}

Measure lengths_measure(const PlannedRun& run, const fs::path& folder) {
  const fs::path path = folder / kStudyLengthsFile;
  const std::string id = config_id(run.config);
  const std::vector<double> factors = run.measures.lengths;
  const double all = std::accumulate(factors.begin(), factors.end(), 0.0);
  const auto measure = [=](RunModel& model, const Tell& tell) {
    std::vector<MeasuredLength> lengths = earlier_lengths(path, id);
    Session& trained = model.trained();
    double done = 0.0;
    for (const double factor : factors) {
      const double before = std::exchange(done, done + factor);
      if (has_length(lengths, factor)) continue;
      if (!tell(fmt::format("{:g} times as long", factor), before / all)) return false;
      lengths.push_back(measure_length(trained, factor));
      write_study_lengths(lengths, path, id);
    }
    return true;
  };
  const auto is_there = [=] {
    const std::vector<MeasuredLength> lengths = earlier_lengths(path, id);
    return std::all_of(factors.begin(), factors.end(), [&](double factor) { return has_length(lengths, factor); });
  };
  // Twice: the samples are drawn first, and attention grows with the square.
  return {.name = "lengths",
          .cost = 2.0 * all * static_cast<double>(kLengthSamples),
          .is_there = is_there,
          .make = measure};
}

std::vector<Measure> measures_of(const PlannedRun& run, const fs::path& folder) {
  const RunMeasures& wanted = run.measures;
  std::vector<Measure> measures;
  if (wanted.ablation) measures.push_back(ablation_measure(run, folder, {}));
  if (wanted.snapshots) {
    for (const int64_t step : measured_snapshots(run.config.train)) {
      measures.push_back(ablation_measure(run, folder, step));
    }
  }
  if (wanted.published) measures.push_back(published_measure(run, folder));
  if (wanted.spectrum) measures.push_back(spectrum_measure(run, folder));
  if (!wanted.lengths.empty()) measures.push_back(lengths_measure(run, folder));
  return measures;
}

}  // namespace

bool measure_run(Backend& backend, const PlannedRun& run, const fs::path& folder, const MeasureProgress& progress) {
  if (!RunFolder(folder).complete()) fail("'{}' holds no finished run to measure", folder.string());
  const std::vector<Measure> measures = measures_of(run, folder);
  double all = 0.0, done = 0.0, told = 0.0;
  for (const Measure& measure : measures) all += measure.cost;
  std::optional<RunModel> model;
  for (const Measure& measure : measures) {
    if (!measure.is_there()) {
      const auto tell = [&](std::string_view what, double share) {
        if (!progress) return true;
        told = std::max(told, (done + share * measure.cost) / all);  // never backwards
        return progress(fmt::format("{}: {}", measure.name, what), told);
      };
      if (!tell("opening the model", 0.0)) return false;
      if (!model) model.emplace(backend, run.config, folder);
      if (!measure.make(*model, tell)) return false;
    }
    done += measure.cost;
  }
  return true;
}

bool is_measured(const PlannedRun& run, const fs::path& folder) {
  const std::vector<Measure> measures = measures_of(run, folder);
  return std::all_of(measures.begin(), measures.end(), [](const Measure& measure) { return measure.is_there(); });
}

std::vector<int64_t> measured_snapshots(const TrainConfig& train) {
  std::vector<int64_t> steps = train.snapshots;
  std::erase_if(steps, [&](int64_t step) { return step <= 0 || step >= train.steps; });
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace phasor
