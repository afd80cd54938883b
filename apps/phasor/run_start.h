#pragma once
// Where a run starts: its folder and its configuration, for a new run and for one that goes on.
#include <filesystem>
#include <optional>

#include "phasor/train/run_folder.h"
#include "run_lock.h"
#include "run_options.h"

namespace phasor::app {

// runs/distance-rope-seed0-1a2b3c4d: readable, and different for every configuration.
std::filesystem::path default_folder(const RunConfig& config);

// The folder's own configuration. Throws UsageError where the options ask for another value.
RunConfig resumed_config(const RunFolder& folder, const RunOptions& options);

// The folder while a run is in it. A new run that fails before begin() leaves nothing behind, so that the
// corrected command finds the folder free.
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

}  // namespace phasor::app
