#include "phasor/encoding/beyond.h"

#include "phasor/encoding/encoding.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {

std::string beyond_words(std::string_view expression) {
  const Encoding encoding = parse_encoding(expression);
  const std::string canonical = print(encoding);
  return EncodingSum(parse_encoding(canonical), canonical).beyond();
}

std::string beyond_words(const EncodingEntry& entry) { return beyond_words(shown_expression(entry)); }

}  // namespace phasor
