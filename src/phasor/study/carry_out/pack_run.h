#pragma once
// A finished run without what takes room: weights, snapshots and state go, and of the scores of samples those stay that
// summaries are made from. The run's own record, result.json, names what was left out on purpose; a file that is
// missing and not named there is damage. Every number of a report or a study's summary stays the same.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace phasor {

struct PackedRun {
  std::vector<std::string> left_out;  // names of files in the folder, now and before
  int64_t bytes_before = 0, bytes_after = 0;
};

// The finished runs at or below a folder, but for those of a study whose measures are not all there: these need the
// weights, and stay as they are.
struct RunsToPack {
  std::vector<std::filesystem::path> runs, unmeasured;
};
RunsToPack runs_to_pack(const std::filesystem::path& folder);

// Packing twice changes nothing. Throws Error where the run is not finished or damaged, or another process works in it.
PackedRun pack_run(const std::filesystem::path& path);

}  // namespace phasor
