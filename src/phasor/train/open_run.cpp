#include "phasor/train/open_run.h"

#include <string_view>
#include <vector>

namespace phasor {
namespace {

namespace fs = std::filesystem;

// What a process left that was killed while it wrote: 'state.safetensors.partial1234'.
bool is_partial(const fs::path& file) {
  constexpr std::string_view kMark = ".partial";
  const std::string name = file.filename().string();
  const size_t mark = name.rfind(kMark);
  if (mark == std::string::npos || mark + kMark.size() == name.size()) return false;
  return name.find_first_not_of("0123456789", mark + kMark.size()) == std::string::npos;
}

void remove_partial_files(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> partial;
  for (const fs::path& place : {folder, folder / "snapshots"}) {
    for (fs::directory_iterator it(place, ignored), end; !ignored && it != end; it.increment(ignored)) {
      if (it->is_regular_file(ignored) && is_partial(it->path())) partial.push_back(it->path());
    }
  }
  for (const fs::path& file : partial) fs::remove(file, ignored);
}

}  // namespace

OpenRun::OpenRun(const RunFolder& folder, const RunConfig& config, bool resume) : folder_(folder), keep_(resume) {
  const fs::path& path = folder.path();
  std::error_code ignored;
  if (!folder.exists()) {
    const bool was_there = fs::exists(path, ignored);
    if (was_there) {
      lock_.emplace(path);
      remove_partial_files(path);
    }
    try {
      folder.create(config);
    } catch (...) {
      if (!was_there) fs::remove(path, ignored);
      throw;
    }
    made_folder_ = !was_there;
    keep_ = false;
    if (!lock_) lock_.emplace(path);
    return;
  }
  if (!resume) folder.create(config);  // says why it cannot
  lock_.emplace(path);
  remove_partial_files(path);
}

OpenRun::~OpenRun() {
  if (keep_) return;
  std::error_code ignored;
  for (const char* name : {"config.json", "metrics.jsonl", "telemetry.jsonl", "state.safetensors"})
    fs::remove(folder_.file(name), ignored);
  if (made_folder_) fs::remove(folder_.path(), ignored);
}

}  // namespace phasor
