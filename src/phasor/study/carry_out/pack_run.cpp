#include "phasor/study/carry_out/pack_run.h"

#include <algorithm>
#include <map>

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/question.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/run/finished_run.h"
#include "phasor/run/learned_tensors.h"
#include "phasor/run/run_list.h"
#include "phasor/study/carry_out/run_measures.h"
#include "phasor/study/records/study_folder.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

int64_t bytes_in(const fs::path& folder) {
  int64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
  }
  return bytes;
}

// Verdicts are made by these methods alone.
bool is_judged(const Condition& condition) {
  return condition.method == judged_method(Question::position) ||
         condition.method == judged_method(Question::importance);
}

// The scores without conditions that no verdict is made from; false where none are left out.
bool pack_scores(const fs::path& path) {
  StoredScores stored = load_scores(path);
  if (std::all_of(stored.table.conditions.begin(), stored.table.conditions.end(), is_judged)) return false;
  std::vector<Condition> conditions;
  std::vector<SampleScores> scores;
  for (size_t i = 0; i < stored.table.conditions.size(); ++i) {
    if (!is_judged(stored.table.conditions[i])) continue;
    conditions.push_back(stored.table.conditions[i]);
    scores.push_back(std::move(stored.table.scores[i]));
  }
  stored.table.conditions = std::move(conditions);
  stored.table.scores = std::move(scores);
  save_scores(stored, path);
  return true;
}

std::vector<std::string> large_files(const RunConfig& config) {
  std::vector<std::string> names = {"model.safetensors", "state.safetensors"};
  for (const int64_t step : config.train.snapshots) names.push_back(snapshot_name(step));
  return names;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// What the study wants of its runs, if a study has the run at `path`.
std::vector<PlannedRun> planned_beside(const fs::path& path) {
  const StudyFolder study(path.parent_path().parent_path());
  if (!study.exists()) return {};
  const StudyPlan plan = study.load_plan();
  return result_runs(plan, load_rates(study, plan));
}

}  // namespace

RunsToPack runs_to_pack(const fs::path& folder) {
  RunsToPack found;
  std::map<fs::path, std::vector<PlannedRun>> planned;  // by the folder of the runs
  for (const fs::path& path : finished_runs(folder)) {
    const fs::path whole = fs::absolute(path / ".").lexically_normal().parent_path();
    const auto [runs, is_new] = planned.try_emplace(whole.parent_path());
    if (is_new) runs->second = planned_beside(whole);
    const auto run = std::find_if(runs->second.begin(), runs->second.end(),
                                  [&](const PlannedRun& it) { return it.id == whole.filename().string(); });
    const bool measured = run == runs->second.end() || is_measured(*run, path);
    (measured ? found.runs : found.unmeasured).push_back(path);
  }
  return found;
}

PackedRun pack_run(const fs::path& path) {
  const RunFolder folder(path);
  if (!folder.complete()) fail_usage("'{}' holds no finished run", path.string());
  const FolderClaim claim(path);
  FinishedRun run = read_finished_run(folder);
  PackedRun packed{.left_out = run.result.packed, .bytes_before = bytes_in(path)};
  const std::vector<std::string> large = large_files(run.config);
  for (const std::string& name : large) {
    if (fs::exists(folder.file(name))) add_once(packed.left_out, name);
  }
  // First the mark: whoever is killed in between leaves a run that can be packed again.
  run.result.packed = packed.left_out;
  if (fs::exists(folder.file("model.safetensors")))
    run.result.learned = kept_numbers(learned_tensors(folder, run.config));
  write_file_atomically(folder.file("result.json"), to_json(run.result));
  for (const std::string& name : large) fs::remove(folder.file(name));
  std::error_code not_empty;
  fs::remove(folder.file("snapshots"), not_empty);
  std::vector<std::string> stems = {ablation_stem()};
  for (const int64_t step : measured_snapshots(run.config.train)) stems.push_back(ablation_stem(step));
  for (const std::string& stem : stems) {
    // Only where they are finished: what goes on needs them all.
    if (fs::exists(path / (stem + ".json")) && fs::exists(path / (stem + ".safetensors"))) {
      pack_scores(path / (stem + ".safetensors"));
    }
  }
  packed.bytes_after = bytes_in(path);
  return packed;
}

}  // namespace phasor
