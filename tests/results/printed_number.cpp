#include "results/printed_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <initializer_list>

namespace phasor::results {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Which characters are read: not those of `code` and of the targets of links.
std::vector<bool> readable(std::string_view line) {
  std::vector<bool> result(line.size(), true);
  bool code = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') code = !code;
    result[i] = !code && line[i] != '`';
  }
  for (size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 1)) {
    const size_t close = line.find(')', at);
    for (size_t i = at; i < std::min(close, line.size()); ++i) result[i] = false;
  }
  return result;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.ends_with(word)) return true;
  }
  return false;
}

// "Assumptions 3.1 and 3.2" -> "Assumptions"
std::string_view without_list(std::string_view text) {
  while (!text.empty()) {
    if (text.ends_with("and ")) {
      text.remove_suffix(4);
    } else if (text.find_last_of("0123456789., ") == text.size() - 1) {
      text.remove_suffix(1);
    } else {
      break;
    }
  }
  return text;
}

bool is_figure(std::string_view before, std::string_view after, bool decimal) {
  const bool share = starts_with_any(after, {" %", "%", " per cent", " points"});
  const bool named = ends_with_any(
      without_list(before), {"arXiv", "ssumption", "ssumptions", "ection", "Sec", "heorem", "Lemma", "Definition",
                             "Fig", "Figs", "Table", "version", "PyTorch", "oneDNN", "g++", "Debian", "phasor"});
  if (named && !share) return false;
  // The level of an interval.
  if (starts_with_any(after, {" % interval", " % bound", " % level", " % confidence", " % one-sided"})) return false;
  return decimal || share;
}

}  // namespace

bool PrintedNumber::agrees_with(double number) const {
  const double unit = std::pow(10.0, -digits);
  // The sum of a few doubles may lie a little beside what it should be.
  return std::abs(number - value) <= 0.5 * unit * (1.0 + 1e-9) + 1e-12 * std::abs(number);
}

std::string PrintedNumber::with(double number) const {
  std::string text = fmt::format("{:.{}f}", std::abs(number), digits);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  if (has_commas) {
    const size_t point = std::min(text.find('.'), text.size());
    for (size_t at = point; at > 3; at -= 3) text.insert(at - 3, ",");
  }
  if (number < 0.0 && !zero) return "-" + text;
  return is_signed && !zero ? "+" + text : text;
}

std::vector<PrintedNumber> printed_numbers(std::string_view line, size_t from, size_t to) {
  const std::vector<bool> read = readable(line);
  std::vector<PrintedNumber> numbers;
  for (size_t i = from; i < to;) {
    if (!is_digit(line[i]) || !read[i]) {
      ++i;
      continue;
    }
    size_t end = i, dots = 0, commas = 0;
    const auto digit_at = [&](size_t at) { return at < to && is_digit(line[at]); };
    while (digit_at(end) || (end < to && (line[end] == '.' || line[end] == ',') && digit_at(end + 1))) {
      const bool thousands =
          line[end] == ',' && digit_at(end + 2) && digit_at(end + 3) && !digit_at(end + 4) && dots == 0;
      if (line[end] == ',' && !thousands) break;
      dots += line[end] == '.' ? 1 : 0;
      commas += line[end] == ',' ? 1 : 0;
      ++end;
    }
    const size_t begin = i;
    i = end;
    // Parts of names, dates and versions are no numbers.
    const bool named = (begin > 0 && is_word(line[begin - 1])) || (end < to && is_word(line[end]));
    const bool dated = end < to && line[end] == '-' && digit_at(end + 1) && end - begin == 4;
    if (dated) {
      while (i < to && (is_digit(line[i]) || line[i] == '-')) ++i;
      continue;
    }
    if (named || dots > 1) continue;
    PrintedNumber number{.begin = begin, .end = end, .has_commas = commas > 0};
    std::string text(line.substr(begin, end - begin));
    std::erase(text, ',');
    number.value = std::strtod(text.c_str(), nullptr);
    const size_t point = text.find('.');
    number.digits = point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
    const char sign = begin > from ? line[begin - 1] : ' ';
    const bool free = begin < 2 || begin - 1 == from || (!is_word(line[begin - 2]) && line[begin - 2] != ')');
    if ((sign == '-' || sign == '+') && free) {
      number.begin = begin - 1;
      number.is_signed = sign == '+';
      if (sign == '-') number.value = -number.value;
    }
    number.is_figure = is_figure(line.substr(from, number.begin - from), line.substr(end), dots == 1);
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace phasor::results
