#pragma once
// A run folder while somebody trains in it. A new run that fails before begin() leaves nothing behind, so that the
// corrected command finds the folder free.
#include <optional>

#include "phasor/train/run_folder.h"
#include "phasor/train/run_lock.h"

namespace phasor {

class OpenRun {
 public:
  OpenRun(const RunFolder& folder, const RunConfig& config, bool resume);
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;
  ~OpenRun();

  void begin() { keep_ = true; }
  bool has_begun() const { return keep_; }

 private:
  RunFolder folder_;
  bool made_folder_ = false;
  bool keep_ = false;
  std::optional<RunLock> lock_;
};

}  // namespace phasor
