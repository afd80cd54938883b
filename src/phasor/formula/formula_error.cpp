#include "phasor/formula/formula.h"

namespace phasor {
namespace {

constexpr size_t kShownText = 200;

std::string shown(std::string_view text) {
  std::string result(text.substr(0, kShownText));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > kShownText) result += "...";
  return result;
}

std::string sentence(std::string_view text, int column, std::string_view reason) {
  if (column == 0) return fmt::format("formula '{}': {}", shown(text), reason);
  return fmt::format("formula '{}': column {}: {}", shown(text), column, reason);
}

}  // namespace

FormulaError::FormulaError(std::string_view text, int column, std::string_view reason)
    : UsageError(sentence(text, column, reason)), column_(column), reason_(reason) {}

}  // namespace phasor
