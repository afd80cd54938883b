#include "phasor/study/study_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/study/plan_json.h"
#include "phasor/study/run_measures.h"
#include "phasor/train/run_folder.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFailure = "failure.json";

struct Found {
  std::vector<RunRecord> records;
  std::vector<RunFailure> failures;
};

// A run whose files cannot be read is a failure like any other: it must not hide the rest.
Found read_runs(const StudyFolder& folder, const std::vector<PlannedRun>& runs) {
  Found found;
  for (const PlannedRun& run : runs) {
    const fs::path path = folder.run(run);
    try {
      if (const auto failure = folder.load_failure(run)) {
        found.failures.push_back(*failure);
      } else if (RunFolder(path).complete() && is_measured(run, path)) {
        found.records.push_back(read_record(run, path));
      }
    } catch (const Error& error) {
      found.failures.push_back({run.id, run.cell, run.config.seed, error.what()});
    }
  }
  return found;
}

}  // namespace

bool StudyFolder::exists() const { return fs::exists(file("study.json")); }

void StudyFolder::open(const StudyPlan& plan) const {
  if (fs::exists(path_) && !fs::is_directory(path_)) fail_usage("'{}' is a file, not a folder", path_.string());
  if (fs::exists(path_) && !fs::is_empty(path_) && !exists()) {
    fail_usage("'{}' holds something else already; choose another --out", path_.string());
  }
  make_directory(path_ / "runs");
  check_directory_writable(path_);
  check_directory_writable(path_ / "runs");
  write_file_atomically(file("study.json"), to_json(plan).dump(2) + "\n");
}

StudyPlan StudyFolder::load_plan() const {
  if (!exists()) fail_usage("'{}' holds no study: there is no study.json", path_.string());
  return plan_from_json(read_file(file("study.json")), file("study.json").string());
}

void StudyFolder::save_failure(const PlannedRun& planned, const std::string& what) const {
  make_directory(run(planned));
  const nlohmann::ordered_json json = {{"what", what}};
  write_file_atomically(run(planned) / kFailure,
                        json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void StudyFolder::clear_failure(const PlannedRun& planned) const {
  std::error_code ignored;
  fs::remove(run(planned) / kFailure, ignored);
}

std::optional<RunFailure> StudyFolder::load_failure(const PlannedRun& planned) const {
  const fs::path path = run(planned) / kFailure;
  if (!fs::exists(path)) return std::nullopt;
  const auto json = nlohmann::json::parse(read_file(path), nullptr, false);
  if (!json.is_object() || !json.contains("what") || !json["what"].is_string()) {
    throw FormatError(fmt::format("'{}' does not say why the run failed", path.string()));
  }
  return RunFailure{planned.id, planned.cell, planned.config.seed, json["what"]};
}

std::vector<RateChoice> load_rates(const StudyFolder& folder, const StudyPlan& plan) {
  return choose_rates(plan, read_runs(folder, tuning_runs(plan)).records);
}

StudyResults load_results(const StudyFolder& folder, const StudyPlan& plan) {
  const std::vector<RateChoice> rates = load_rates(folder, plan);
  const Found found = read_runs(folder, result_runs(plan, rates));
  return results_of(plan, rates, found.records, found.failures);
}

}  // namespace phasor
