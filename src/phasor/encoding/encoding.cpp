#include "phasor/encoding/encoding.h"

#include <fmt/format.h>

#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/syntax/canonical.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/parser.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {

Encoding parse_encoding(std::string_view text) {
  Encoding encoding = canonical(parse_expression(text), text);
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
  EncodingPlaces places(shape, text, sum.form());
  sum.fill(places);
  return places.take();
}

}  // namespace phasor
