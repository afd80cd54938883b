#pragma once
// Values of configuration keys as text: how each type is read and written. Every reader throws a
// UsageError that starts with the key's name and says what would be right.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

constexpr int64_t kNoMost = std::numeric_limits<int64_t>::max();

struct WholeRange {
  int64_t least = 0;
  int64_t most = kNoMost;
};

// Whether the ends belong to the range is part of what people are told.
struct RealRange {
  double least = 0.0;
  double most = std::numeric_limits<double>::infinity();
  bool least_included = true;
  bool most_included = true;
};

std::string describe(const WholeRange& range);
std::string describe(const RealRange& range);

int64_t read_whole(std::string_view key, std::string_view text, const WholeRange& range);
uint64_t read_seed(std::string_view key, std::string_view text);
double read_real(std::string_view key, std::string_view text, const RealRange& range);
bool read_flag(std::string_view key, std::string_view text);
// "100,500" in rising order and without repeats; "none" or nothing for the empty list.
std::vector<int64_t> read_list(std::string_view key, std::string_view text, const WholeRange& range);

// The shortest text that reads back as the same value.
std::string write_real(double value);
std::string write_flag(bool value);
std::string write_list(const std::vector<int64_t>& values);

}  // namespace phasor
