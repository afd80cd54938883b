#include "phasor/encoding/encoding_error.h"

#include <fmt/format.h>

#include "phasor/encoding/printer.h"

namespace phasor {
namespace {

constexpr size_t kShownText = 200;

std::string shown(std::string_view text) {
  std::string result(text.substr(0, kShownText));
  for (char& c : result) {
    if (!is_printable(c)) c = '?';
  }
  if (text.size() > kShownText) result += "...";
  return result;
}

std::string sentence(std::string_view text, int column, std::string_view reason) {
  if (column == 0) return fmt::format("encoding '{}': {}", shown(text), reason);
  return fmt::format("encoding '{}': column {}: {}", shown(text), column, reason);
}

}  // namespace

EncodingError::EncodingError(std::string_view text, TextColumn column, std::string_view reason)
    : UsageError(sentence(text, column.value, reason)), text_(shown(text)), column_(column.value), reason_(reason) {}

}  // namespace phasor
