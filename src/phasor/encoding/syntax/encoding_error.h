#pragma once
// A mistake in an encoding's text, with the place where it stands: a program can draw a caret there.
#include <string>
#include <string_view>

#include "phasor/base/error.h"
#include "phasor/encoding/syntax/expression.h"

namespace phasor {

// what() is "encoding '<text>': column <column>: <reason>".
class EncodingError : public UsageError {
 public:
  EncodingError(std::string_view text, TextColumn column, std::string_view reason);

  // As what() shows it: bytes that are not printable are '?', and a long text is cut short.
  const std::string& text() const { return text_; }
  int column() const { return column_; }  // from 1; 0: of the whole
  const std::string& reason() const { return reason_; }

 private:
  std::string text_;
  int column_ = 0;
  std::string reason_;
};

}  // namespace phasor
