#pragma once
// A run folder while somebody trains in it, claimed before anything in it is touched. A new run that fails before
// begin() leaves nothing behind, so that the corrected command finds the folder free.
#include <optional>

#include "phasor/base/folder_claim.h"
#include "phasor/run/run_folder.h"

namespace phasor {

class OpenRun {
 public:
  // Throws UsageError where the folder holds something else, or, without `resume`, a run; Error where another process
  // works in it, or it holds a run with other settings.
  OpenRun(const RunFolder& folder, const RunConfig& config, bool resume);
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;
  ~OpenRun();

  void begin();
  bool has_begun() const { return keep_; }
  // Throws Error when another process has taken the folder over.
  void require_claim() const { claim_->require(); }

 private:
  void create(const RunConfig& config);
  void leave();

  RunFolder folder_;
  bool keep_ = false;
  std::optional<FolderClaim> claim_;
};

}  // namespace phasor
