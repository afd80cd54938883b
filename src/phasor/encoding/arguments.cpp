#include "phasor/encoding/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "phasor/base/suggest.h"
#include "phasor/encoding/encoding_error.h"
#include "phasor/encoding/printer.h"

namespace phasor {
namespace {

using Kind = EncodingParameter::Kind;

// Which parameter each argument is meant for, or an error that points at the argument.
class Matcher {
 public:
  Matcher(const Term& term, const std::vector<EncodingParameter>& parameters, std::string_view text)
      : term_(term), parameters_(parameters), text_(text), taken_(parameters.size(), false) {}

  size_t match(const TermArgument& argument) {
    const size_t index = argument.key.empty() ? by_position(argument) : by_name(argument);
    if (taken_[index]) fail_at(argument.column, "argument '{}' is given twice", parameters_[index].name);
    taken_[index] = true;
    check(argument.value, parameters_[index]);
    return index;
  }

 private:
  size_t by_position(const TermArgument& argument) {
    if (named_) fail_at(argument.column, "an argument without a name cannot follow one with a name");
    if (next_ == parameters_.size()) {
      if (parameters_.empty()) fail_at(argument.column, "{} takes no arguments", term_.name);
      fail_at(argument.column, "{} takes no more than {} arguments", term_.name, parameters_.size());
    }
    return next_++;
  }

  size_t by_name(const TermArgument& argument) {
    named_ = true;
    std::vector<std::string> names;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].name == argument.key) return i;
      names.push_back(parameters_[i].name);
    }
    if (names.empty()) fail_at(argument.column, "{} takes no arguments", term_.name);
    fail_at(argument.column, "{} has no argument '{}'{}", term_.name, argument.key, suggestion(argument.key, names));
  }

  void check(const TermValue& value, const EncodingParameter& parameter) const {
    if (parameter.kind == Kind::word) {
      check_word(value, parameter);
    } else {
      check_number(value, parameter);
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
    if (*number >= parameter.least && *number <= parameter.most) return;
    fail_at(value.column, "{}: {} must be from {} to {}, not {}", term_.name, parameter.name,
            print_number(parameter.least), print_number(parameter.most), print_number(*number));
  }

  template <class... Args>
  [[noreturn]] void fail_at(TextColumn column, fmt::format_string<Args...> reason, Args&&... args) const {
    throw EncodingError(text_, column, fmt::format(reason, std::forward<Args>(args)...));
  }

  const Term& term_;
  const std::vector<EncodingParameter>& parameters_;
  std::string_view text_;
  std::vector<bool> taken_;
  size_t next_ = 0;
  bool named_ = false;
};

}  // namespace

EncodingArguments::EncodingArguments(const Term& term, const std::vector<EncodingParameter>& parameters,
                                     std::string_view text)
    : parameters_(&parameters) {
  for (const EncodingParameter& parameter : parameters) values_.push_back(parameter.default_value);
  Matcher matcher(term, parameters, text);
  for (const TermArgument& argument : term.arguments) values_[matcher.match(argument)] = argument.value;
}

double EncodingArguments::number(std::string_view name) const { return std::get<double>(value(name).content); }

int64_t EncodingArguments::integer(std::string_view name) const { return static_cast<int64_t>(number(name)); }

const std::string& EncodingArguments::word(std::string_view name) const { return *value(name).word(); }

std::vector<TermArgument> EncodingArguments::canonical() const {
  std::vector<TermArgument> result;
  for (size_t i = 0; i < values_.size(); ++i) {
    const EncodingParameter& parameter = (*parameters_)[i];
    if (values_[i] == parameter.default_value) continue;
    result.push_back({.key = parameter.name, .value = values_[i], .column = values_[i].column});
  }
  return result;
}

const TermValue& EncodingArguments::value(std::string_view name) const {
  const auto found = std::find_if(parameters_->begin(), parameters_->end(),
                                  [name](const EncodingParameter& parameter) { return parameter.name == name; });
  assert(found != parameters_->end());
  return values_[static_cast<size_t>(found - parameters_->begin())];
}

}  // namespace phasor
