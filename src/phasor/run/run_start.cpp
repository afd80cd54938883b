#include "phasor/run/run_start.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"

namespace phasor {

namespace fs = std::filesystem;

fs::path default_folder(const RunConfig& config) {
  std::string encoding;
  for (const char c : config.model.encoding) encoding += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return fmt::format("runs/{}-{}-seed{}-{}", config.task, encoding.substr(0, 40), config.seed,
                     config_id(config).substr(0, 8));
}

void require_same_config(const RunFolder& folder, const RunConfig& stored, const RunConfig& asked) {
  const auto text = [](const RunConfig& config) { return "preset=" + config.preset + "\n" + canonical_text(config); };
  std::istringstream before(text(stored)), now(text(asked));
  std::string stored_line, asked_line;
  while (std::getline(before, stored_line) && std::getline(now, asked_line)) {
    if (stored_line == asked_line) continue;
    fail_usage("'{}' was started with {}, not {}; --resume without settings keeps it, or choose another --out",
               folder.path().string(), stored_line, asked_line);
  }
}

}  // namespace phasor
