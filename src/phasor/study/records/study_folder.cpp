#include "phasor/study/records/study_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/seal.h"
#include "phasor/run/run_folder.h"
#include "phasor/study/carry_out/run_measures.h"
#include "phasor/study/plan/plan_json.h"

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
    } catch (const std::exception& error) {  // the file system's too
      found.failures.push_back({run.id, run.cell, run.config.seed, error.what()});
    }
  }
  return found;
}

// Of study.json; what it has not is empty.
template <class T>
T read_member(const fs::path& path, const char* member) {
  return read_sealed_file(path, [&](const std::string& text) -> T {
    try {
      const auto json = nlohmann::ordered_json::parse(text);
      if (!json.is_object() || !json.contains(member)) return {};
      return read_json<T>(json[member], JsonPath(JsonPath(), member));
    } catch (const nlohmann::json::exception& error) {
      throw FormatError(fmt::format("'{}' is not a study: {}", path.string(), error.what()));
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("'{}': {}", path.string(), error.what()));
    }
  });
}

}  // namespace

bool StudyFolder::exists() const { return fs::exists(file("study.json")); }

void StudyFolder::require_free_or_study() const {
  if (fs::exists(path_) && !fs::is_directory(path_)) fail_usage("'{}' is a file, not a folder", path_.string());
  const bool is_free = !fs::exists(path_) || is_free_folder(path_, "runs");
  if (!is_free && !exists()) {
    fail_usage("'{}' holds something else already; choose another --out", path_.string());
  }
}

bool StudyFolder::has_runs() const {
  std::error_code ignored;
  return fs::directory_iterator(path_ / "runs", ignored) != fs::directory_iterator();
}

void StudyFolder::open(const StudyPlan& plan, const std::optional<Registration>& registration) const {
  require_free_or_study();
  make_directory(path_);
  nlohmann::ordered_json json = to_json(plan);
  const bool begun = exists() && has_runs();
  json[kRegisteredMember] = write_json(begun ? load_registration() : registration);
  if (begun) {
    std::vector<StudyExtension> extensions = load_extensions();
    if (std::optional<StudyExtension> latest = extension_of(load_plan(), plan)) extensions.push_back(*latest);
    if (!extensions.empty()) json[kExtensionsMember] = write_json(extensions);
  }
  write_file_atomically(file("study.json"), sealed(json.dump(2) + "\n"));
  make_directory(path_ / "runs");
  check_directory_writable(path_ / "runs");
}

StudyPlan StudyFolder::load_plan() const {
  if (!exists()) fail_usage("'{}' holds no study: there is no study.json", path_.string());
  const fs::path path = file("study.json");
  return read_sealed_file(path, [&](const std::string& text) { return plan_from_json(text, path.string()); });
}

std::optional<Registration> StudyFolder::load_registration() const {
  return read_member<std::optional<Registration>>(file("study.json"), kRegisteredMember);
}

std::vector<StudyExtension> StudyFolder::load_extensions() const {
  return read_member<std::vector<StudyExtension>>(file("study.json"), kExtensionsMember);
}

void StudyFolder::save_failure(const PlannedRun& planned, const std::string& what) const {
  make_directory(run(planned));
  const nlohmann::ordered_json json = {{"what", what}};
  write_file_atomically(run(planned) / kFailure,
                        sealed(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
}

void StudyFolder::clear_failure(const PlannedRun& planned) const {
  std::error_code ignored;
  fs::remove(run(planned) / kFailure, ignored);
}

std::optional<RunFailure> StudyFolder::load_failure(const PlannedRun& planned) const {
  const fs::path path = run(planned) / kFailure;
  if (!fs::exists(path)) return std::nullopt;
  const auto json =
      read_sealed_file(path, [](const std::string& text) { return nlohmann::json::parse(text, nullptr, false); });
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
  StudyResults results = results_of(plan, rates, found.records, found.failures);
  for (const StudyExtension& extension : folder.load_extensions()) {
    for (const ExtendedCell& added : extension.added) {
      for (CellRuns& cell : results.cells) {
        if (cell.cell == added.cell) cell.added_seeds.insert(added.seeds.begin(), added.seeds.end());
      }
    }
  }
  return results;
}

}  // namespace phasor
