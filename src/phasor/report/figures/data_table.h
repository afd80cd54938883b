#pragma once
// The numbers of a figure as CSV: a row per mark, with all digits.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace phasor {

// Nothing is an empty field; so is a number that is not finite.
class Datum {
 public:
  Datum() = default;
  // NOLINTBEGIN(google-explicit-constructor): a row is written as a list of what it holds
  Datum(double value) : value_(value) {}
  Datum(std::optional<double> value) {
    if (value) value_ = *value;
  }
  Datum(int64_t value) : value_(value) {}
  Datum(uint64_t value) : value_(static_cast<int64_t>(value)) {}
  Datum(std::string value) : value_(std::move(value)) {}
  Datum(std::string_view value) : value_(std::string(value)) {}
  Datum(const char* value) : value_(std::string(value)) {}
  // NOLINTEND(google-explicit-constructor)

  std::string text() const;

 private:
  std::variant<std::monostate, double, int64_t, std::string> value_;
};

struct FigureColumn {
  std::string_view name;
  std::string_view what;
};

using DataRows = std::vector<std::vector<Datum>>;

// Throws Error for a row of another length.
std::string csv_text(const std::vector<FigureColumn>& columns, const DataRows& rows);

}  // namespace phasor
