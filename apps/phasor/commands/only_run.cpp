#include "commands/only_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/threads.h"
#include "phasor/run/config_json.h"
#include "phasor/run/run_folder.h"
#include "phasor/study/carry_out/run_measures.h"
#include "phasor/study/summary/compared_number.h"
#include "phasor/study/summary/run_line.h"
#include "phasor/train/train_in_folder.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"
#include "terminal/training_progress.h"
#include "terminal/work_progress.h"

namespace phasor::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string title_of(const PlannedRun& run) {
  return fmt::format("{}: {}, seed {}, lr {}{}", run.id, text(run.cell), run.config.seed,
                     run.config.train.learning_rate, run.tuning ? ", which helps to choose a learning rate" : "");
}

// As in summary.csv, with a column for each length.
Json numbers_of(const PlannedRun& run, const fs::path& folder) {
  const RunRecord record = read_record(run, folder);
  Json json = write_json(run_line(record, run.cell));
  json.erase("extension");
  for (const LengthRecord& length : record.lengths) {
    json[name(ComparedNumber{ComparedQuantity::accuracy_at_length, length.factor})] = length.accuracy;
  }
  return json;
}

void train_and_measure(const PlannedRun& run, const fs::path& path, const StudyOptions& options) {
  set_thread_count(static_cast<int>(options.threads.value_or(thread_count())));
  const std::unique_ptr<Backend> backend = make_backend(options.device);
  catch_interrupts();
  expect_saving();
  {
    TrainingProgress line(text(run.cell), run.config.train.steps);
    const TrainingCallbacks callbacks{.update = [&](const Progress& p) { line.update(p); },
                                      .evaluation = [&](const Metrics& m) { line.evaluation(m); },
                                      .stop = interrupted};
    if (train_in_folder(*backend, run.config, RunFolder(path), callbacks).end != TrainingEnd::finished) {
      fail("interrupted; everything is saved; rerun the command to resume '{}'", path.string());
    }
  }
  WorkProgress line("measuring");
  const FolderClaim claim(path);
  const bool whole = measure_run(*backend, run, path, [&](std::string_view what, double share) {
    line.update(what, share);
    return !interrupted();
  });
  if (!whole) fail("interrupted; everything is saved; rerun the command to resume '{}'", path.string());
}

bool is_empty(const Json& value) { return value.is_null() || value == ""; }

// Against the run that the study's folder has; empty where it has none.
std::string comparison_text(const PlannedRun& run, const Json& numbers, const std::string& study) {
  const fs::path theirs = fs::path(study) / "runs" / run.id;
  if (study.empty() || !RunFolder(theirs).complete() || !is_measured(run, theirs)) return "";
  const Json other = numbers_of(run, theirs);
  std::vector<std::string> differing;
  for (const auto& [column, value] : numbers.items()) {
    // One of them may have been measured further: by 'phasor ablate', for example.
    const Json theirs_value = other.value(column, Json());
    if (is_empty(value) || is_empty(theirs_value)) continue;
    if (value != theirs_value) differing.push_back(column);
  }
  if (differing.empty()) return fmt::format("the same numbers as '{}'\n", theirs.string());
  return fmt::format("other numbers than '{}' (another machine or version?): {}\n", theirs.string(),
                     fmt::join(differing, ", "));
}

}  // namespace

void run_only(const StudyPlan& plan, const std::string& id, const StudyOptions& options, const std::string& study) {
  const PlannedRun run = find_run(plan, id);
  if (options.dry_run) {
    if (!options.json) print_out("{}\n", title_of(run));
    return print_out("{}", config_to_json(run.config));
  }
  const fs::path path = options.out.empty() ? "runs/only-" + run.id : options.out;
  const RunFolder folder(path);
  if (folder.exists() && config_id(folder.load_config()) != run.id) {
    fail_usage("'{}' holds another run; choose another --out", path.string());
  }
  say(title_of(run) + "\n");
  train_and_measure(run, path, options);
  const Json numbers = numbers_of(run, path);
  if (options.json) return print_out("{}\n", numbers.dump(1));
  for (const auto& [column, value] : numbers.items()) {
    if (!is_empty(value)) {
      print_out("{:<22}{}\n", column, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  print_out("{}run folder: {}\n", comparison_text(run, numbers, study), path.string());
}

}  // namespace phasor::app
