#include "phasor/run/run_list.h"

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/run/run_folder.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;

void collect(const fs::path& folder, int depth, std::vector<fs::path>& runs) {
  const RunFolder run(folder);
  if (run.exists()) {
    if (run.complete()) runs.push_back(folder);
    return;
  }
  if (depth == kDeepest) return;
  std::error_code unreadable;
  for (fs::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable)) {
    std::error_code looping;
    if (entry->is_directory(looping)) collect(entry->path(), depth + 1, runs);
  }
}

}  // namespace

std::vector<fs::path> finished_runs(const fs::path& folder) {
  if (!fs::is_directory(folder)) fail_usage("'{}' is not a folder", folder.string());
  std::vector<fs::path> runs;
  collect(folder, 0, runs);
  if (runs.empty()) fail_usage("'{}' holds no finished run, nor does a folder in it", folder.string());
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace phasor
