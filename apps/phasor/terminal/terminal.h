#pragma once
// The one way to stdout and stderr. Names and messages come from files and command lines: what would steer a terminal
// is shown as its code.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace phasor::app {

// Control characters other than ends of lines and tabs as \x1b.
std::string safe_text(std::string_view text);

// To stdout. Throws std::system_error where it cannot be written.
void write_out(std::string_view text);

template <class... Args>
void print_out(fmt::format_string<Args...> text, Args&&... args) {
  write_out(fmt::format(text, std::forward<Args>(args)...));
}

// To stderr; a closed terminal must not end the work. draw() is for lines that steer the terminal themselves.
void say(std::string_view text);
void draw(std::string_view text);

}  // namespace phasor::app
