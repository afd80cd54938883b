#include "run_start.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/train/config_json.h"

namespace phasor::app {
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

fs::path default_folder(const RunConfig& config) {
  std::string encoding;
  for (const char c : config.model.encoding) encoding += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return fmt::format("runs/{}-{}-seed{}-{}", config.task, encoding.substr(0, 40), config.seed,
                     config_id(config).substr(0, 8));
}

RunConfig resumed_config(const RunFolder& folder, const RunOptions& options) {
  RunConfig stored = folder.load_config();
  if (options.empty()) return stored;
  const RunConfig asked = options.builder(folder.file("config.json").string()).build();
  const auto text = [](const RunConfig& config) { return "preset=" + config.preset + "\n" + canonical_text(config); };
  std::istringstream before(text(stored)), now(text(asked));
  std::string stored_line, asked_line;
  while (std::getline(before, stored_line) && std::getline(now, asked_line)) {
    if (stored_line == asked_line) continue;
    fail_usage("'{}' was started with {}, not {}; --resume without settings keeps it, or choose another --out",
               folder.path().string(), stored_line, asked_line);
  }
  return stored;
}

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

}  // namespace phasor::app
