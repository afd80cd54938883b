#pragma once
// One line for the person at the terminal that is neither a result nor an error.
#include <functional>
#include <string>
#include <string_view>

namespace phasor {

// To stderr, unless a program has set another way. May be called by any thread.
void notice(std::string_view line);
void set_notice(std::function<void(std::string_view)> way);

}  // namespace phasor
