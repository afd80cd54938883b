#pragma once
// An encoding with the name that its author gives it: mine=bias("-abs(d)/8").
#include <string>
#include <string_view>

namespace phasor {

struct NamedEncoding {
  std::string name;        // empty: none was given
  std::string expression;  // as written

  bool operator==(const NamedEncoding&) const = default;
};

// "EXPR" or "NAME=EXPR": the first '=' outside parentheses, brackets and quotes separates, and blanks around both do
// not count. Throws UsageError for an empty expression and for what check_name refuses; the expression is not parsed.
NamedEncoding parse_named_encoding(std::string_view text);

// Throws UsageError, which contains `expression`, for a name that is empty, has a control character, is not UTF-8 or
// has more than kLongestName characters.
void check_name(std::string_view name, std::string_view expression);

inline constexpr size_t kLongestName = 100;

}  // namespace phasor
