#include "phasor/study/carry_out/open_study.h"

#include "phasor/ablation/run_ablation.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

// What writers left that were killed, in the study and in its runs.
void sweep(const fs::path& study) {
  remove_abandoned_files(study);
  remove_abandoned_files(study / "runs");
  std::error_code ignored;
  for (fs::directory_iterator run(study / "runs", ignored), end; !ignored && run != end; run.increment(ignored)) {
    sweep_folder(run->path());
    remove_abandoned_files(run->path() / "snapshots");
    remove_superseded_scores(run->path());
  }
}

}  // namespace

OpenStudy::OpenStudy(const StudyFolder& folder, const StudyPlan& plan,
                     const std::optional<Registration>& registration) {
  folder.require_free_or_study();
  claim_.emplace(folder.path());
  try {
    sweep(folder.path());
    folder.open(plan, registration);
  } catch (...) {
    const bool made_folder = claim_->made_folder();
    claim_.reset();
    std::error_code ignored;
    if (made_folder && !folder.exists()) {
      fs::remove(folder.path() / "runs", ignored);
      fs::remove(folder.path(), ignored);  // unless something is in it
    }
    throw;
  }
}

}  // namespace phasor
