#pragma once
// The finished runs that a person points at.
#include <filesystem>
#include <vector>

namespace phasor {

// `folder` itself where it is a finished run, else every finished run below it, at most three levels down, in the order
// of their names. Throws UsageError where there is none.
std::vector<std::filesystem::path> finished_runs(const std::filesystem::path& folder);

}  // namespace phasor
