#pragma once
// Errors carry a sentence for the person at the terminal: what was wrong, where, and what would be
// right. The library throws; only apps/ prints and chooses an exit code.
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace phasor {

// Something could not be done: exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The request itself was wrong: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A file does not hold what its format promises.
class FormatError : public Error {
 public:
  using Error::Error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw UsageError(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace phasor
