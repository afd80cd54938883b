#include "phasor/base/shown_text.h"

namespace phasor {

std::string shown_text(std::string_view text) {
  constexpr size_t kLongest = 200;
  std::string result(text.substr(0, kLongest));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > kLongest) result += "...";
  return result;
}

}  // namespace phasor
