#include "phasor/encoding/syntax/word_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace phasor {
namespace {

constexpr bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_in_number(char c) { return c >= '0' && c <= '9'; }

std::string_view without_blanks(std::string_view item) {
  while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
  while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
  return item;
}

bool read_word(std::string_view text, int64_t& word) {
  text = without_blanks(text);
  const std::from_chars_result status = std::from_chars(text.data(), text.data() + text.size(), word);
  return status.ec == std::errc() && status.ptr == text.data() + text.size() && word >= 0 && word <= kLargestWord;
}

bool is_name(std::string_view item) {
  return starts_name(item.front()) &&
         std::all_of(item.begin(), item.end(), [](char c) { return starts_name(c) || is_in_number(c); });
}

}  // namespace

bool read_words(std::string_view text, WordSet& words, std::string& reason) {
  words = {};
  std::vector<IndexRange> ranges;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string_view item = without_blanks(text.substr(start, end - start));
    start = end + 1;
    if (item.empty()) {
      reason = "a word is missing";
      return false;
    }
    if (is_name(item)) {
      words.names.emplace_back(item);
      continue;
    }
    const size_t dash = item.find('-');
    IndexRange range;
    const bool read = dash == std::string_view::npos ? read_word(item, range.first) && read_word(item, range.last)
                                                     : read_word(item.substr(0, dash), range.first) &&
                                                           read_word(item.substr(dash + 1), range.last);
    if (!read) {
      reason = fmt::format("'{}' is neither a name nor a number or range of numbers up to {}", item, kLargestWord);
      return false;
    }
    if (range.last < range.first) {
      reason = fmt::format("the range {} runs backwards", item);
      return false;
    }
    ranges.push_back(range);
  }
  std::sort(words.names.begin(), words.names.end());
  words.names.erase(std::unique(words.names.begin(), words.names.end()), words.names.end());
  words.numbers = IndexSet(std::move(ranges));
  return true;
}

std::string print(const WordSet& words) {
  std::string text;
  for (const std::string& name : words.names) text.append(text.empty() ? "" : ",").append(name);
  if (words.numbers.empty()) return text;
  return text.append(text.empty() ? "" : ",").append(print(words.numbers));
}

}  // namespace phasor
