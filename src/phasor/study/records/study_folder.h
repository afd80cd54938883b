#pragma once
// The files of a study: study.json (what it is made of), runs/<id>/ (run folders), summary.json, summary.csv,
// claims.csv, summary.md, report.html.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "phasor/study/plan/study_plan.h"
#include "phasor/study/records/registration.h"

namespace phasor {

// In a study's folder: the command that its latest sitting was started by.
inline constexpr const char* kCommandFile = "command.txt";

class StudyFolder {
 public:
  explicit StudyFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  std::filesystem::path run(const PlannedRun& run) const { return path_ / "runs" / run.id; }
  bool exists() const;  // holds a study

  // Throws UsageError where the folder holds something that is no study. What was killed before it had written its
  // first file, study.json, left nothing that counts.
  void require_free_or_study() const;
  // Makes the folder where there is none and writes study.json first: it is what makes a folder a study. Runs of an
  // earlier plan stay: those that the new one asks for too are taken over. What was registered stays as well, once
  // there are runs; from then on a plan that has more than the one before is noted as an extension.
  void open(const StudyPlan& plan, const std::optional<Registration>& registration = std::nullopt) const;
  // All throw FormatError that names the file.
  StudyPlan load_plan() const;
  std::optional<Registration> load_registration() const;  // nothing: a study of an older version
  std::vector<StudyExtension> load_extensions() const;    // in the order in which they were made
  bool has_runs() const;

  // Why a run failed, in its folder, until it succeeds.
  void save_failure(const PlannedRun& planned, const std::string& what) const;
  void clear_failure(const PlannedRun& planned) const;
  std::optional<RunFailure> load_failure(const PlannedRun& planned) const;

 private:
  std::filesystem::path path_;
};

// Everything that a study's folder says now: complete runs with all their measures, and failures.
StudyResults load_results(const StudyFolder& folder, const StudyPlan& plan);
std::vector<RateChoice> load_rates(const StudyFolder& folder, const StudyPlan& plan);

}  // namespace phasor
