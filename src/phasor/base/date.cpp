#include "phasor/base/date.h"

#include <fmt/format.h>

#include <ctime>

namespace phasor {

std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace phasor
