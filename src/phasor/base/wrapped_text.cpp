#include "phasor/base/wrapped_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "phasor/base/display_width.h"

namespace phasor {
namespace {

bool looks_like_a_list(std::string_view word) {
  if (word == "-" || word == "+" || word == "*" || word == ">" || word == "=" || word.starts_with('#')) return true;
  size_t digits = 0;
  while (digits < word.size() && std::isdigit(static_cast<unsigned char>(word[digits])) != 0) ++digits;
  return digits > 0 && digits + 1 == word.size() && (word.back() == '.' || word.back() == ')');
}

// Words of one line; those that must not begin a line hang on to the word before.
std::vector<std::string> pieces(std::string_view line) {
  std::vector<std::string> result;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (!word.empty()) {
      if (!result.empty() && looks_like_a_list(word)) {
        result.back().append(" ").append(word);
      } else {
        result.emplace_back(word);
      }
    }
    at = end + 1;
  }
  return result;
}

}  // namespace

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  const size_t room = width > indent ? width - indent : 0;
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back();
    for (const std::string& piece : pieces(text.substr(at, end - at))) {
      if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(piece) > room) lines.emplace_back();
      if (!lines.back().empty()) lines.back() += ' ';
      lines.back() += piece;
    }
    at = end + 1;
  }
  std::string result = lines.front();
  for (size_t i = 1; i < lines.size(); ++i) {
    result += '\n';
    if (!lines[i].empty()) result.append(indent, ' ').append(lines[i]);
  }
  return result;
}

}  // namespace phasor
