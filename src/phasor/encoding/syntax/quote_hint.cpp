#include "phasor/encoding/syntax/quote_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace phasor {
namespace {

// A straight single quote, a grave accent, and the curly quotes that editors and papers make of straight ones.
constexpr std::array<std::string_view, 6> kForeign = {"'", "`", "\u2018", "\u2019", "\u201c", "\u201d"};
// What stands before a formula.
constexpr std::array<std::string_view, 3> kBeforeFormula = {"bias(", "input(", "frequencies="};

std::string_view foreign_at(std::string_view text, size_t at) {
  for (const std::string_view quote : kForeign) {
    if (text.substr(at, quote.size()) == quote) return quote;
  }
  return {};
}

std::string with_quotes_as(std::string_view text, std::string_view replacement) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const std::string_view quote = foreign_at(text, at);
    result += quote.empty() ? text.substr(at, 1) : replacement;
    at += std::max<size_t>(1, quote.size());
  }
  return result;
}

// To the comma or parenthesis that ends an argument.
size_t argument_end(std::string_view text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && depth-- == 0) break;
    if (text[at] == ',' && depth == 0) break;
  }
  return at;
}

// With double quotes around every formula that has none.
std::string with_formulas_quoted(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const auto before = std::find_if(kBeforeFormula.begin(), kBeforeFormula.end(), [&](std::string_view start) {
      return text.substr(at, start.size()) == start && text.substr(at + start.size(), 8) != "formula=";
    });
    if (before == kBeforeFormula.end()) {
      result += text[at++];
      continue;
    }
    const size_t start = at + before->size();
    const size_t end = argument_end(text, start);
    result += fmt::format("{}\"{}\"", *before, text.substr(start, end - start));
    at = end;
  }
  return result;
}

}  // namespace

int foreign_quote(std::string_view text) {
  bool within = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') within = !within;
    if (!within && !foreign_at(text, at).empty()) return static_cast<int>(at) + 1;
  }
  return 0;
}

std::string quote_hint(std::string_view text, const std::function<bool(const std::string&)>& reads) {
  const auto shown = [](const std::string& right) { return fmt::format("{}; in a shell: '{}'", right, right); };
  if (foreign_quote(text) == 0) {
    if (text.find('"') != std::string_view::npos) return "";
    const std::string right = with_formulas_quoted(text);
    if (right == text || !reads(right)) return "";
    return fmt::format(
        "a formula stands in double quotes, which a shell takes away unless single ones stand around "
        "it all: '{}'",
        right);
  }
  const std::string right = with_quotes_as(text, "\"");
  if (reads(right)) return "a formula stands in double quotes: " + shown(right);
  const std::string bare = with_quotes_as(text, "");
  if (reads(bare)) return "no quotes are needed: " + bare;
  return "a formula stands in double quotes, such as bias(\"-d\"); in a shell: 'bias(\"-d\")'";
}

}  // namespace phasor
