#pragma once
// Today, for records.
#include <string>

namespace phasor {

std::string utc_date();  // "2026-11-18"

}  // namespace phasor
