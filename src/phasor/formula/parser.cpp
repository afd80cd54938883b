#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "phasor/base/suggest.h"
#include "phasor/formula/formula.h"
#include "phasor/formula/opcode.h"
#include "phasor/formula/syntax.h"

namespace phasor {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FormulaFunction& function : kFormulaFunctions) names.emplace_back(function.name);
  return names;
}

}  // namespace

// Recursive descent over the characters; one function per rule of the grammar, each of which returns the place of
// its node. Recursion is bounded by the limits on parentheses and on size.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Formula parse() {
    if (text_.size() > kLongestFormula) {
      throw FormulaError(text_, 0, fmt::format("{} characters; the most is {}", text_.size(), kLongestFormula));
    }
    skip_blanks();
    if (at_end()) fail_here("empty; a formula reads like -0.5*abs(d)");
    comparison();
    if (!at_end()) fail_after_value();
    Formula result;
    result.text_ = text_;
    result.nodes_ = std::move(nodes_);
    check_printed(result);
    return result;
  }

 private:
  struct Operation {
    FormulaOpcode opcode;
    int column;
  };

  int32_t comparison() {
    const int32_t left = sum();
    const std::optional<Operation> operation = accept_operator(FormulaLevel::comparison);
    if (!operation) return left;
    const int32_t right = sum();
    const int32_t result = push(*operation, left, right);
    if (const std::optional<Operation> next = accept_operator(FormulaLevel::comparison)) {
      fail_at(next->column, "comparisons cannot be chained; write (a<b)*(b<c) instead of a<b<c");
    }
    return result;
  }

  int32_t sum() {
    int32_t left = product();
    while (const std::optional<Operation> operation = accept_operator(FormulaLevel::sum)) {
      const int32_t right = product();
      left = push(*operation, left, right);
    }
    return left;
  }

  int32_t product() {
    int32_t left = minus();
    while (const std::optional<Operation> operation = accept_operator(FormulaLevel::product)) {
      const int32_t right = minus();
      left = push(*operation, left, right);
    }
    return left;
  }

  int32_t minus() {
    skip_blanks();
    const int start = column();
    if (!accept('-')) return power();
    count(start);
    const int32_t operand = minus();
    return push({FormulaOpcode::negate, start}, operand);
  }

  int32_t power() {
    const int32_t base = atom();
    const std::optional<Operation> operation = accept_operator(FormulaLevel::power);
    if (!operation) return base;
    const int32_t exponent = minus();
    return push(*operation, base, exponent);
  }

  int32_t atom() {
    skip_blanks();
    const int start = column();
    if (is_digit(peek())) return number();
    if (is_letter(peek())) return word();
    if (!accept('(')) fail_value();
    open(start);
    const int32_t result = comparison();
    close(start);
    return result;
  }

  int32_t number() {
    const int start = column();
    count(start);
    size_t end = skip_digits(position_);
    if (at(end) == '.') {
      if (!is_digit(at(end + 1))) fail_at(static_cast<int>(end) + 2, "expected a digit after '.'");
      end = skip_digits(end + 1);
    }
    if (at(end) == 'e' || at(end) == 'E') {
      const size_t digits = at(end + 1) == '-' || at(end + 1) == '+' ? end + 2 : end + 1;
      if (is_digit(at(digits))) end = skip_digits(digits);
    }
    double value = 0.0;
    const std::from_chars_result status = std::from_chars(text_.data() + position_, text_.data() + end, value);
    if (status.ec != std::errc()) fail_here("this number does not fit a double");
    position_ = end;
    nodes_.push_back({.constant = value, .column = start});
    return last();
  }

  int32_t word() {
    const int start = column();
    count(start);
    const size_t from = position_;
    while (is_letter(peek()) || is_digit(peek())) ++position_;
    const std::string name(text_.substr(from, position_ - from));
    const FormulaFunction* function = find_function(name);
    skip_blanks();
    const int parenthesis = column();
    if (accept('(')) {
      if (function == nullptr) fail_at(start, "unknown function '{}'{}", name, suggestion(name, function_names()));
      return call(*function, start, parenthesis);
    }
    if (function != nullptr) fail_here("expected '(' after the function '{}'", name);
    nodes_.push_back({.name = name, .column = start});
    return last();
  }

  // After the opening parenthesis.
  int32_t call(const FormulaFunction& function, int start, int parenthesis) {
    open(parenthesis);
    std::vector<int32_t> arguments;
    skip_blanks();
    if (peek() != ')') {
      do {
        arguments.push_back(comparison());
      } while (accept(','));
    }
    close(parenthesis);
    const size_t wanted = static_cast<size_t>(operand_count(function.opcode));
    if (arguments.size() != wanted) {
      fail_at(start, "{} takes {} argument{}, not {}", function.name, wanted, wanted == 1 ? "" : "s", arguments.size());
    }
    return push({function.opcode, start}, arguments[0], wanted == 2 ? arguments[1] : -1);
  }

  void open(int parenthesis) {
    if (++depth_ > kDeepestFormula) fail_at(parenthesis, "more than {} parentheses within each other", kDeepestFormula);
  }

  void close(int parenthesis) {
    if (!accept(')')) fail_after_value(parenthesis);
    --depth_;
  }

  std::optional<Operation> accept_operator(FormulaLevel level) {
    skip_blanks();
    for (const FormulaOperator& entry : kFormulaOperators) {
      if (entry.level != level || !text_.substr(position_).starts_with(entry.symbol)) continue;
      const Operation result{entry.opcode, column()};
      position_ += entry.symbol.size();
      if (entry.symbol == "*" && peek() == '*') fail_at(result.column, "a power is written '^', not '**'");
      count(result.column);
      return result;
    }
    return std::nullopt;
  }

  // Before a node is built, so that what is still open counts too.
  void count(int place) {
    if (++size_ > kLargestFormula) {
      fail_at(place, "more than {} numbers, names, operators and functions", kLargestFormula);
    }
  }

  int32_t push(Operation operation, int32_t a, int32_t b = -1) {
    nodes_.push_back({.opcode = operation.opcode, .a = a, .b = b, .column = operation.column});
    return last();
  }

  // Numbers can print longer than they were written (1e8), and what is printed has to be read again.
  void check_printed(const Formula& formula) const {
    const size_t length = formula.print().size();
    if (length <= kLongestFormula) return;
    throw FormulaError(
        text_, 0, fmt::format("{} characters with its numbers written out; the most is {}", length, kLongestFormula));
  }

  // Where a value should start and none does.
  [[noreturn]] void fail_value() const {
    if (at_end()) fail_here("expected a number, a name, a function or '(' but the formula ends");
    if (peek() == '+') fail_here("a value has no sign '+'; leave it out");
    if (peek() == '.' && is_digit(at(position_ + 1))) fail_here("a number starts with a digit: write 0.5, not .5");
    check_character();
    fail_here("expected a number, a name, a function or '('");
  }

  // Where a value has ended and what stands there cannot follow it. `parenthesis`: the column of the open one, or 0.
  [[noreturn]] void fail_after_value(int parenthesis = 0) const {
    const char c = peek();
    if (!at_end()) {
      if (is_letter(c) || is_digit(c) || c == '(') fail_here("expected an operator; a product is written with '*'");
      if (c == ')') fail_here("this ')' closes nothing");
      if (c == ',') fail_here("a ',' stands only between the arguments of min and max");
      if (c == '=') fail_here("'=' is no operator; equality is written '=='");
      if (c == '!') fail_here("'!' is no operator; inequality is written '!='");
      check_character();
    }
    if (parenthesis == 0) fail_here("expected an operator or the end");
    fail_here("expected ')' to close the '(' in column {}", parenthesis);
  }

  void check_character() const {
    const char c = peek();
    if (is_letter(c) || is_digit(c) || std::string_view("+-*/^<>=!(),.").find(c) != std::string_view::npos) return;
    if (c > ' ' && c <= '~') fail_here("'{}' has no meaning in a formula", c);
    fail_here("the byte {:#04x} has no meaning in a formula", static_cast<unsigned char>(c));
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
  int column() const { return static_cast<int>(position_) + 1; }
  int32_t last() const { return static_cast<int32_t>(nodes_.size()) - 1; }

  template <class... Args>
  [[noreturn]] void fail_at(int place, fmt::format_string<Args...> reason, Args&&... args) const {
    throw FormulaError(text_, place, fmt::format(reason, std::forward<Args>(args)...));
  }

  template <class... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> reason, Args&&... args) const {
    fail_at(column(), reason, std::forward<Args>(args)...);
  }

  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
  size_t size_ = 0;
  std::vector<Formula::Node> nodes_;
};

Formula Formula::parse(std::string_view text) { return FormulaParser(text).parse(); }

}  // namespace phasor
