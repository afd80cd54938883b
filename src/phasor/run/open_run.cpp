#include "phasor/run/open_run.h"

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/run/training_start.h"

namespace phasor {

namespace {

namespace fs = std::filesystem;

// What a run has before its first evaluation; removed in this order, so that what is left is a run for as long as
// possible.
constexpr const char* kFirstFiles[] = {"metrics.jsonl", "telemetry.jsonl", "state.safetensors",
                                       kStartFile,      "config.json",     nullptr};

}  // namespace

OpenRun::OpenRun(const RunFolder& folder, const RunConfig& config, bool resume) : folder_(folder) {
  // What is wrong for sure is said without touching the folder.
  if (!folder.exists() || !resume) folder.require_free();
  claim_.emplace(folder.path());
  remove_abandoned_files(folder.path());
  remove_abandoned_files(folder.path() / "snapshots");
  if (!resume || !folder.exists()) {
    create(config);
    return;
  }
  // Somebody else may have started a run since the caller looked.
  if (config_id(folder.load_config()) != config_id(config)) {
    fail("'{}' holds a run with other settings than this one; choose another --out", folder.path().string());
  }
  keep_ = true;
}

void OpenRun::create(const RunConfig& config) {
  try {
    claim_->set_temporary(kFirstFiles);
    folder_.create(config);
  } catch (...) {
    leave();
    throw;
  }
}

void OpenRun::begin() {
  keep_ = true;
  claim_->set_temporary(nullptr);
}

OpenRun::~OpenRun() {
  if (keep_ || !claim_->is_mine()) return;
  std::error_code ignored;
  for (const char* const* name = kFirstFiles; *name != nullptr; ++name) fs::remove(folder_.file(*name), ignored);
  leave();
}

void OpenRun::leave() {
  const bool made_folder = claim_->made_folder();
  claim_.reset();
  std::error_code ignored;
  if (made_folder) fs::remove(folder_.path(), ignored);  // unless something is in it
}

}  // namespace phasor
