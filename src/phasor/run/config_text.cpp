#include "phasor/run/config_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "phasor/base/error.h"

namespace phasor {
namespace {

// The standard's reader: the same in every locale, and it takes the whole text or nothing.
template <class T>
bool read_number(std::string_view text, T& value, std::errc& problem) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  problem = error;
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

}  // namespace

std::string describe(const WholeRange& range) {
  if (range.most == kNoMost) return fmt::format("at least {}", range.least);
  return fmt::format("{} to {}", range.least, range.most);
}

std::string describe(const RealRange& range) {
  std::string text = fmt::format("{} {}", range.least_included ? "at least" : "above", range.least);
  if (std::isfinite(range.most))
    text += fmt::format(" and {} {}", range.most_included ? "at most" : "below", range.most);
  return text;
}

int64_t read_whole(std::string_view key, std::string_view text, const WholeRange& range) {
  int64_t value = 0;
  std::errc problem{};
  if (!read_number(text, value, problem)) fail_usage("{}: '{}' is not a whole number", key, text);
  if (problem != std::errc{} || value < range.least || value > range.most) {
    fail_usage("{}: {} is out of range, {}", key, text, describe(range));
  }
  return value;
}

uint64_t read_seed(std::string_view key, std::string_view text) {
  uint64_t value = 0;
  std::errc problem{};
  if (!read_number(text, value, problem)) {
    int64_t negative = 0;
    if (!read_number(text, negative, problem)) fail_usage("{}: '{}' is not a whole number", key, text);
    problem = std::errc::result_out_of_range;
  }
  if (problem != std::errc{}) {
    fail_usage("{}: {} is out of range, 0 to {}", key, text, std::numeric_limits<uint64_t>::max());
  }
  return value;
}

double read_real(std::string_view key, std::string_view text, const RealRange& range) {
  double value = 0.0;
  std::errc problem{};
  if (!read_number(text, value, problem) || std::isnan(value)) fail_usage("{}: '{}' is not a number", key, text);
  const bool low = range.least_included ? value < range.least : value <= range.least;
  const bool high = range.most_included ? value > range.most : value >= range.most;
  if (problem != std::errc{} || low || high || std::isinf(value)) {
    fail_usage("{}: {} is out of range, {}", key, text, describe(range));
  }
  return value + 0.0;  // -0 and 0 are one value, with one text
}

bool read_flag(std::string_view key, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  fail_usage("{}: '{}' is neither true nor false", key, text);
}

std::vector<int64_t> read_list(std::string_view key, std::string_view text, const WholeRange& range) {
  std::vector<int64_t> values;
  if (text.empty() || text == "none") return values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    values.push_back(read_whole(key, text.substr(begin, comma - begin), range));
    begin = comma + 1;
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::string write_real(double value) { return fmt::format("{}", value); }

std::string write_flag(bool value) { return value ? "true" : "false"; }

std::string write_list(const std::vector<int64_t>& values) {
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, ","));
}

}  // namespace phasor
