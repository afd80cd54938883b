#include "phasor/encoding/syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "phasor/base/suggest.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Recursive descent over the characters; one function per rule of the grammar.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Encoding parse() {
    if (text_.size() > kLongestExpression) {
      throw EncodingError(text_, {}, fmt::format("{} characters; the most is {}", text_.size(), kLongestExpression));
    }
    Encoding result = encoding();
    if (!at_end()) fail_here("expected '+' or the end");
    return result;
  }

 private:
  Encoding encoding() {
    Encoding result;
    do {
      result.terms.push_back(term());
    } while (accept('+'));
    return result;
  }

  Term term() {
    Term result;
    skip_blanks();
    result.column = column();
    result.name = word("the name of an encoding");
    if (accept('(')) result.arguments = arguments();
    while (accept('[')) brackets(result);
    return result;
  }

  // After the opening parenthesis.
  std::vector<TermArgument> arguments() {
    std::vector<TermArgument> result;
    if (++depth_ > kDeepestExpression) fail_here("more than {} parentheses within each other", kDeepestExpression);
    if (!accept(')')) {
      do {
        result.push_back(argument());
      } while (accept(','));
      if (!accept(')')) fail_here("expected ',' or ')'");
    }
    --depth_;
    return result;
  }

  TermArgument argument() {
    TermArgument result;
    skip_blanks();
    result.column = column();
    const size_t start = position_;
    if (is_letter(peek())) {
      result.key = word("a name");
      if (!accept('=')) {
        result.key.clear();
        position_ = start;
      }
    }
    result.value = value();
    return result;
  }

  TermValue value() {
    skip_blanks();
    TermValue result;
    result.column = column();
    const char c = peek();
    if (c == '"') {
      result.content = quoted();
    } else if (is_letter(c)) {
      result.content = encoding();
    } else {
      result.content = number();
    }
    return result;
  }

  QuotedText quoted() {
    const size_t end = text_.find('"', position_ + 1);
    if (end == std::string_view::npos) fail_here("this quote is not closed");
    const size_t start = position_ + 1;
    for (position_ = start; position_ < end; ++position_) {
      if (!is_printable(text_[position_])) fail_here("only printable ASCII characters can stand between quotes");
    }
    ++position_;
    return {std::string(text_.substr(start, end - start))};
  }

  double number() {
    size_t end = position_;
    if (at(end) == '-') ++end;
    if (!is_digit(at(end))) fail_here("expected a value");
    end = skip_digits(end);
    if (at(end) == '.' && is_digit(at(end + 1))) end = skip_digits(end + 1);
    if (at(end) == 'e' || at(end) == 'E') {
      const size_t digits = at(end + 1) == '-' || at(end + 1) == '+' ? end + 2 : end + 1;
      if (is_digit(at(digits))) end = skip_digits(digits);
    }
    double result = 0.0;
    const std::from_chars_result status = std::from_chars(text_.data() + position_, text_.data() + end, result);
    if (status.ec != std::errc()) fail_here("this number does not fit a double");
    position_ = end;
    return result == 0.0 ? 0.0 : result;  // -0 is 0, so that both print alike
  }

  // After the opening bracket.
  void brackets(Term& owner) {
    do {
      skip_blanks();
      const TextColumn start = column();
      const std::string key = word("'heads', 'layers', 'window' or 'chunk'");
      if (key == "heads" || key == "layers") {
        TermAssignment& assignment = key == "heads" ? owner.heads : owner.layers;
        if (!assignment.everything) fail_at(start, "{} is given twice", key);
        if (!accept('=')) fail_here("expected '='");
        assignment = {.everything = false, .indices = indices(), .column = start};
      } else if (key == "window" || key == "chunk") {
        TermMask& mask = key == "window" ? owner.window : owner.chunk;
        if (mask.tokens > 0) fail_at(start, "{} is given twice", key);
        if (!accept('=')) fail_here("expected '='");
        mask = {.tokens = tokens(), .column = start};
      } else {
        fail_at(start, "brackets take heads, layers, window or chunk, not '{}'{}", key,
                suggestion(key, {"heads", "layers", "window", "chunk"}));
      }
    } while (accept(','));
    if (!accept(']')) fail_here("expected ',' or ']'");
  }

  // A query sees itself, so there is at least one.
  int64_t tokens() {
    skip_blanks();
    const TextColumn start = column();
    if (!is_digit(peek())) fail_here("expected a number of tokens");
    const int64_t result = digits(kLargestMask);
    if (result == 0) fail_at(start, "a query sees itself: the least is 1");
    return result;
  }

  IndexSet indices() {
    skip_blanks();
    const TextColumn start = column();
    if (is_letter(peek())) {
      if (word("'none'") != "none") fail_at(start, "expected a number, a range or 'none'");
      return {};
    }
    std::vector<IndexRange> ranges;
    do {
      const TextColumn range_column = column();
      const int64_t first = index();
      const int64_t last = accept('-') ? index() : first;
      if (last < first) fail_at(range_column, "the range {}-{} runs backwards", first, last);
      ranges.push_back({first, last});
    } while (accept_comma_before_digit());
    return IndexSet(std::move(ranges));
  }

  int64_t index() {
    skip_blanks();
    if (!is_digit(peek())) fail_here("expected a number, a range or 'none'");
    return digits(kLargestIndex);
  }

  int64_t digits(int64_t most) {
    const size_t end = skip_digits(position_);
    int64_t result = 0;
    const std::from_chars_result status = std::from_chars(text_.data() + position_, text_.data() + end, result);
    if (status.ec != std::errc() || result > most) fail_here("numbers here go up to {}", most);
    position_ = end;
    return result;
  }

  // In `heads=0-1,3,layers=2` the first comma continues the ranges and the second ends them.
  bool accept_comma_before_digit() {
    const size_t start = position_;
    if (accept(',')) {
      skip_blanks();
      if (is_digit(peek())) return true;
    }
    position_ = start;
    return false;
  }

  std::string word(std::string_view what) {
    skip_blanks();
    if (!is_letter(peek())) fail_here("expected {}", what);
    const size_t start = position_;
    while (is_letter(peek()) || is_digit(peek())) ++position_;
    return std::string(text_.substr(start, position_ - start));
  }

  bool accept(char c) {
    skip_blanks();
    if (at_end() || peek() != c) return false;
    ++position_;
    return true;
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++position_;
  }

  size_t skip_digits(size_t from) const {
    while (is_digit(at(from))) ++from;
    return from;
  }

  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char peek() const { return at(position_); }
  bool at_end() const { return position_ >= text_.size(); }
  TextColumn column() const { return {static_cast<int>(position_) + 1}; }

  template <class... Args>
  [[noreturn]] void fail_at(TextColumn place, fmt::format_string<Args...> reason, Args&&... args) const {
    throw EncodingError(text_, place, fmt::format(reason, std::forward<Args>(args)...));
  }

  template <class... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> reason, Args&&... args) const {
    fail_at(column(), reason, std::forward<Args>(args)...);
  }

  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Encoding parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace phasor
