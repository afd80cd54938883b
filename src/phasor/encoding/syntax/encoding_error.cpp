#include "phasor/encoding/syntax/encoding_error.h"

#include <fmt/format.h>

#include "phasor/base/shown_text.h"

namespace phasor {
namespace {

std::string sentence(std::string_view text, int column, std::string_view reason) {
  if (column == 0) return fmt::format("encoding '{}': {}", shown_text(text), reason);
  return fmt::format("encoding '{}': column {}: {}", shown_text(text), column, reason);
}

}  // namespace

EncodingError::EncodingError(std::string_view text, TextColumn column, std::string_view reason)
    : UsageError(sentence(text, column.value, reason)),
      text_(shown_text(text)),
      column_(column.value),
      reason_(reason) {}

}  // namespace phasor
