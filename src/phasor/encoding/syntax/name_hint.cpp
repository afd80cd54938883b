#include "phasor/encoding/syntax/name_hint.h"

#include <fmt/format.h>

namespace phasor {

std::string name_hint(std::string_view text, const std::function<bool(const std::string&)>& reads) {
  // rope(base=learned(5) lacks a parenthesis: it is no name.
  const size_t mark = text.find_first_of("([\"");
  if (mark != std::string_view::npos && reads(std::string(text.substr(0, mark)))) return "";
  for (size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    const std::string expression(text.substr(at + 1));
    if (!reads(expression)) continue;
    if (text.substr(0, at).find_first_of("()[]\"=") == std::string_view::npos) {
      return fmt::format("names belong to 'phasor study' and 'phasor compare'; the encoding alone is: {}", expression);
    }
    return R"(a name with brackets, quotes or '=' goes into a study file, as {"name": ..., "expression": ...})";
  }
  return "";
}

}  // namespace phasor
