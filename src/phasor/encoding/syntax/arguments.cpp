#include "phasor/encoding/syntax/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include "phasor/base/suggest.h"
#include "phasor/encoding/syntax/canonical.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/other_spellings.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

using Kind = EncodingParameter::Kind;

// The term learned(...) of a value that is one, or null.
const Term* learned_term(const TermValue& value) {
  const Encoding* encoding = std::get_if<Encoding>(&value.content);
  if (encoding == nullptr || encoding->terms.size() != 1) return nullptr;
  const Term& term = encoding->terms.front();
  return term.name == "learned" && !term.has_brackets() ? &term : nullptr;
}

LearnableNumber learnable_number(const TermValue& value, std::string_view text) {
  if (const double* number = std::get_if<double>(&value.content)) return {.value = *number};
  const EncodingArguments arguments(*learned_term(value), learned_number_parameters(), text);
  return {.value = arguments.number("start"),
          .learned = true,
          .per_head = arguments.word("per") == "head",
          .least = arguments.number("min"),
          .most = arguments.number("max")};
}

// A term of this name in the encoding or within one of its terms, or null.
const Term* find_term(const Encoding& encoding, std::string_view name) {
  for (const Term& term : encoding.terms) {
    if (term.name == name) return &term;
    for (const TermArgument& argument : term.arguments) {
      const Encoding* nested = std::get_if<Encoding>(&argument.value.content);
      const Term* found = nested == nullptr ? nullptr : find_term(*nested, name);
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

// Comma-separated numbers; an empty text is an empty list. Returns false for anything else.
bool read_numbers(std::string_view text, std::vector<double>& numbers) {
  numbers.clear();
  if (text.empty()) return true;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    std::string_view item = text.substr(start, end - start);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    double number = 0.0;
    const std::from_chars_result status = std::from_chars(item.data(), item.data() + item.size(), number);
    if (status.ec != std::errc() || status.ptr != item.data() + item.size() || !std::isfinite(number)) return false;
    numbers.push_back(number == 0.0 ? 0.0 : number);
    start = end + 1;
  }
  return true;
}

// Which parameter each argument is meant for, or an error that points at the argument. Values come out in
// canonical form.
class Matcher {
 public:
  Matcher(const Term& term, const std::vector<EncodingParameter>& parameters, std::string_view text,
          OtherArguments others)
      : term_(term), parameters_(parameters), text_(text), others_(others), taken_(parameters.size(), false) {}

  // The parameter's number, or -1 for a formula's variable.
  int match(TermArgument& argument) {
    const int index = argument.key.empty() ? by_position(argument) : by_name(argument);
    if (index < 0) {
      check_variable(argument);
      return index;
    }
    const size_t i = static_cast<size_t>(index);
    if (taken_[i]) fail_at(argument.column, "argument '{}' is given twice", parameters_[i].name);
    taken_[i] = true;
    check(argument.value, parameters_[i]);
    return index;
  }

  void require_all() const {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i].required || taken_[i]) continue;
      fail_at(term_.column, "{} needs {}: {}", term_.name, parameters_[i].name, parameters_[i].help);
    }
  }

 private:
  int by_position(const TermArgument& argument) {
    if (named_) fail_at(argument.column, "an argument without a name cannot follow one with a name");
    if (next_ == parameters_.size()) {
      if (parameters_.empty()) fail_at(argument.column, "{} takes no arguments", term_.name);
      fail_at(argument.column, "{} takes no more than {} arguments", term_.name, parameters_.size());
    }
    return static_cast<int>(next_++);
  }

  int by_name(const TermArgument& argument) {
    named_ = true;
    std::vector<std::string> names;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].name == argument.key) return static_cast<int>(i);
      names.push_back(parameters_[i].name);
    }
    if (others_ == OtherArguments::formula_variables && has_formula()) return -1;
    if (names.empty()) fail_at(argument.column, "{} takes no arguments", term_.name);
    const std::string hint = argument_hint(argument.key);
    fail_at(argument.column, "{} has no argument '{}'{}", term_.name, argument.key,
            hint.empty() ? suggestion(argument.key, names) : hint);
  }

  // Variables belong to a formula: without one, an unknown name is a mistake.
  bool has_formula() const {
    return std::any_of(term_.arguments.begin(), term_.arguments.end(), [](const TermArgument& argument) {
      return std::holds_alternative<QuotedText>(argument.value.content);
    });
  }

  void check_variable(TermArgument& argument) {
    if (std::find(variables_.begin(), variables_.end(), argument.key) != variables_.end()) {
      fail_at(argument.column, "argument '{}' is given twice", argument.key);
    }
    variables_.push_back(argument.key);
    constexpr double kAny = 1e300;
    check_learnable(argument.value, learnable_parameter(argument.key, 0, -kAny, kAny, ""));
  }

  void check(TermValue& value, const EncodingParameter& parameter) const {
    switch (parameter.kind) {
      case Kind::word:
        return check_word(value, parameter);
      case Kind::number:
      case Kind::integer:
        return check_number(value, parameter);
      case Kind::learnable:
        return check_learnable(value, parameter);
      case Kind::formula:
        return check_formula(value, parameter);
      case Kind::numbers:
        return check_numbers(value, parameter);
      case Kind::words:
        return check_words(value, parameter);
      case Kind::encoding:
        return check_encoding(value, parameter);
    }
  }

  void check_word(const TermValue& value, const EncodingParameter& parameter) const {
    const std::string* word = value.word();
    if (word == nullptr) {
      fail_at(value.column, "{}: {} must be a word, not {}{}", term_.name, parameter.name, print_expression(value),
              suggestion("", parameter.choices));
    }
    if (std::find(parameter.choices.begin(), parameter.choices.end(), *word) != parameter.choices.end()) return;
    fail_at(value.column, "{}: unknown {} '{}'{}", term_.name, parameter.name, *word,
            suggestion(*word, parameter.choices));
  }

  void check_number(const TermValue& value, const EncodingParameter& parameter) const {
    const double* number = std::get_if<double>(&value.content);
    const bool whole = parameter.kind == Kind::integer;
    if (number == nullptr || (whole && std::floor(*number) != *number)) {
      fail_at(value.column, "{}: {} must be a {}, not {}", term_.name, parameter.name,
              whole ? "whole number" : "number", print_expression(value));
    }
    check_range(*number, value.column, parameter);
  }

  void check_range(double number, TextColumn column, const EncodingParameter& parameter) const {
    if (number >= parameter.least && number <= parameter.most) return;
    fail_at(column, "{}: {} must be from {} to {}, not {}", term_.name, parameter.name, print_number(parameter.least),
            print_number(parameter.most), print_number(number));
  }

  void check_learnable(TermValue& value, const EncodingParameter& parameter) const {
    if (std::holds_alternative<double>(value.content)) return check_number(value, parameter);
    if (learned_term(value) == nullptr) {
      fail_at(value.column, "{}: {} must be a number or learned(number), not {}", term_.name, parameter.name,
              print_expression(value));
    }
    Term& term = std::get<Encoding>(value.content).terms.front();
    const EncodingArguments arguments(term, learned_number_parameters(), text_);
    term.arguments = arguments.canonical();
    const LearnableNumber number = learnable_number(value, text_);
    check_range(number.value, value.column, parameter);
    if (number.least > number.value || number.value > number.most) {
      fail_at(value.column, "{}: {} starts from {}, which is not from {} to {}", term_.name, parameter.name,
              print_number(number.value), print_number(number.least), print_number(number.most));
    }
  }

  void check_formula(TermValue& value, const EncodingParameter& parameter) const {
    if (const std::string* word = value.word(); word != nullptr && !parameter.choices.empty()) {
      return check_word(value, parameter);
    }
    QuotedText* quoted = std::get_if<QuotedText>(&value.content);
    if (quoted == nullptr) {
      fail_at(value.column, "{}: {} must be a formula in quotes, not {}", term_.name, parameter.name,
              print_expression(value));
    }
    try {
      quoted->text = Formula::parse(quoted->text).print();
    } catch (const FormulaError& error) {
      // The formula starts behind its quote.
      fail_at({value.column.value + error.column()}, "{}: {}: {}", term_.name, parameter.name, error.reason());
    }
  }

  void check_numbers(TermValue& value, const EncodingParameter& parameter) const {
    QuotedText* quoted = std::get_if<QuotedText>(&value.content);
    std::vector<double> numbers;
    if (quoted == nullptr || !read_numbers(quoted->text, numbers)) {
      fail_at(value.column, "{}: {} must be numbers in quotes, such as \"1,1.5,2\", not {}", term_.name, parameter.name,
              print_expression(value));
    }
    quoted->text.clear();
    for (const double number : numbers) {
      check_range(number, value.column, parameter);
      if (!quoted->text.empty()) quoted->text += ',';
      quoted->text += print_number(number);
    }
  }

  // A lone word or number needs no quotes; canonical texts have them.
  void check_words(TermValue& value, const EncodingParameter& parameter) const {
    std::string text;
    if (const QuotedText* quoted = std::get_if<QuotedText>(&value.content)) {
      text = quoted->text;
    } else if (const std::string* word = value.word()) {
      text = *word;
    } else if (const double* number = std::get_if<double>(&value.content)) {
      text = print_number(*number);
    } else {
      fail_at(value.column, "{}: {} must be words of the task, such as \"0\" or \"separator,5-9\", not {}", term_.name,
              parameter.name, print_expression(value));
    }
    WordSet words;
    std::string reason;
    if (!read_words(text, words, reason)) {
      fail_at(value.column, "{}: {}: {}; words are given as \"0\" or \"separator,5-9\"", term_.name, parameter.name,
              reason);
    }
    value.content = QuotedText{print(words)};
  }

  void check_encoding(TermValue& value, const EncodingParameter& parameter) const {
    Encoding* encoding = std::get_if<Encoding>(&value.content);
    if (encoding == nullptr) {
      fail_at(value.column, "{}: {} must be an encoding, not {}", term_.name, parameter.name, print_expression(value));
    }
    // Says nothing that one of them alone would not say, and would take time without bound to read.
    if (const Term* same = find_term(*encoding, term_.name)) {
      fail_at(same->column, "{0} cannot stand within {0}", term_.name);
    }
    *encoding = canonical(*encoding, text_);
  }

  template <class... Args>
  [[noreturn]] void fail_at(TextColumn column, fmt::format_string<Args...> reason, Args&&... args) const {
    throw EncodingError(text_, column, fmt::format(reason, std::forward<Args>(args)...));
  }

  const Term& term_;
  const std::vector<EncodingParameter>& parameters_;
  std::string_view text_;
  OtherArguments others_;
  std::vector<bool> taken_;
  std::vector<std::string> variables_;
  size_t next_ = 0;
  bool named_ = false;
};

}  // namespace

EncodingArguments::EncodingArguments(const Term& term, const std::vector<EncodingParameter>& parameters,
                                     std::string_view text, OtherArguments others)
    : parameters_(&parameters), text_(text) {
  for (const EncodingParameter& parameter : parameters) values_.push_back(parameter.default_value);
  formulas_.resize(parameters.size());
  Matcher matcher(term, parameters, text, others);
  for (TermArgument argument : term.arguments) {
    const QuotedText* quoted = std::get_if<QuotedText>(&argument.value.content);
    std::string written = quoted == nullptr ? "" : quoted->text;
    const int index = matcher.match(argument);
    if (index < 0) {
      others_.push_back(std::move(argument));
    } else {
      values_[static_cast<size_t>(index)] = std::move(argument.value);
      formulas_[static_cast<size_t>(index)] = std::move(written);
    }
  }
  matcher.require_all();
  std::sort(others_.begin(), others_.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  for (const TermArgument& argument : others_) {
    variables_.push_back(
        {.name = argument.key, .number = learnable_number(argument.value, text_), .column = argument.column});
  }
}

bool EncodingArguments::given(std::string_view name) const {
  for (size_t i = 0; i < values_.size(); ++i) {
    if ((*parameters_)[i].name == name) return !(values_[i] == (*parameters_)[i].default_value);
  }
  return false;
}

double EncodingArguments::number(std::string_view name) const { return std::get<double>(value(name).content); }

int64_t EncodingArguments::integer(std::string_view name) const { return static_cast<int64_t>(number(name)); }

const std::string& EncodingArguments::word(std::string_view name) const { return *value(name).word(); }

const std::string* EncodingArguments::word_if(std::string_view name) const { return value(name).word(); }

LearnableNumber EncodingArguments::learnable(std::string_view name) const {
  return learnable_number(value(name), text_);
}

Formula EncodingArguments::formula(std::string_view name) const { return Formula::parse(formulas_[place(name)]); }

std::vector<double> EncodingArguments::numbers(std::string_view name) const {
  std::vector<double> result;
  read_numbers(std::get<QuotedText>(value(name).content).text, result);
  return result;
}

WordSet EncodingArguments::words(std::string_view name) const {
  WordSet result;
  std::string reason;
  read_words(std::get<QuotedText>(value(name).content).text, result, reason);
  return result;
}

const Encoding& EncodingArguments::encoding(std::string_view name) const {
  return std::get<Encoding>(value(name).content);
}

std::vector<TermArgument> EncodingArguments::canonical() const {
  std::vector<TermArgument> result;
  for (size_t i = 0; i < values_.size(); ++i) {
    const EncodingParameter& parameter = (*parameters_)[i];
    if (values_[i] == parameter.default_value && !parameter.required) continue;
    // What a term cannot do without needs no name: randomized(rope,max=512), learned(0.1).
    result.push_back(
        {.key = parameter.required && i == 0 ? "" : parameter.name, .value = values_[i], .column = values_[i].column});
  }
  result.insert(result.end(), others_.begin(), others_.end());
  return result;
}

size_t EncodingArguments::place(std::string_view name) const {
  const auto found = std::find_if(parameters_->begin(), parameters_->end(),
                                  [name](const EncodingParameter& parameter) { return parameter.name == name; });
  assert(found != parameters_->end());
  return static_cast<size_t>(found - parameters_->begin());
}

}  // namespace phasor
