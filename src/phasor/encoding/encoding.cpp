#include "phasor/encoding/encoding.h"

#include <fmt/format.h>

#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/syntax/canonical.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/name_hint.h"
#include "phasor/encoding/syntax/parser.h"
#include "phasor/encoding/syntax/printer.h"
#include "phasor/encoding/syntax/quote_hint.h"

namespace phasor {
namespace {

Encoding read_canonical(std::string_view text) { return canonical(parse_expression(text), text); }

bool reads(const std::string& text) {
  try {
    read_canonical(text);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// What quotes have to do with the error comes first where they are the error.
[[noreturn]] void fail_with_hint(std::string_view text, const EncodingError& error) {
  if (const std::string hint = name_hint(text, reads); !hint.empty()) {
    throw EncodingError(text, {error.column()}, fmt::format("{}; {}", error.reason(), hint));
  }
  const std::string hint = quote_hint(text, reads);
  if (hint.empty()) throw error;
  if (const int quote = foreign_quote(text); quote > 0) throw EncodingError(text, {quote}, hint);
  throw EncodingError(text, {error.column()}, fmt::format("{}; {}", error.reason(), hint));
}

}  // namespace

Encoding parse_encoding(std::string_view text) {
  Encoding encoding;
  try {
    encoding = read_canonical(text);
  } catch (const EncodingError& error) {
    fail_with_hint(text, error);
  }
  // Naming the arguments makes a text longer; what is printed must be readable again.
  const size_t length = print_expression(encoding).size();
  if (length > kLongestExpression) {
    throw EncodingError(text, {},
                        fmt::format("{} characters in canonical form; the most is {}", length, kLongestExpression));
  }
  return encoding;
}

std::string print(const Encoding& encoding) {
  // Parsed again so that the columns of an error fit the text it shows, also for a tree built by hand.
  if (encoding.terms.empty()) return print_expression(canonical(encoding, ""));
  return print_expression(parse_encoding(print_expression(encoding)));
}

ResolvedEncoding resolve(const Encoding& encoding, const EncodingShape& shape) {
  const std::string text = print(encoding);
  const Encoding terms = parse_encoding(text);
  const EncodingSum sum(terms, text);
  EncodingPlaces places(shape, text, sum.form_for(shape));
  sum.fill(places);
  return places.take();
}

}  // namespace phasor
