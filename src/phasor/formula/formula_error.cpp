#include "phasor/base/shown_text.h"
#include "phasor/formula/formula.h"

namespace phasor {
namespace {

std::string sentence(std::string_view text, int column, std::string_view reason) {
  if (column == 0) return fmt::format("formula '{}': {}", shown_text(text), reason);
  return fmt::format("formula '{}': column {}: {}", shown_text(text), column, reason);
}

}  // namespace

FormulaError::FormulaError(std::string_view text, int column, std::string_view reason)
    : UsageError(sentence(text, column, reason)), column_(column), reason_(reason) {}

}  // namespace phasor
