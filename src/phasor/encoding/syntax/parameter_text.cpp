#include "phasor/encoding/syntax/parameter_text.h"

#include <fmt/format.h>

#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

constexpr double kNoBound = 1e300;

std::string range(const EncodingParameter& parameter) {
  if (parameter.least <= -kNoBound && parameter.most >= kNoBound) return "any number";
  return fmt::format("{} to {}", print_number(parameter.least), print_number(parameter.most));
}

std::string choices(const EncodingParameter& parameter, std::string_view quote) {
  std::string text;
  for (size_t i = 0; i < parameter.choices.size(); ++i) {
    const bool last = i + 1 == parameter.choices.size();
    if (i > 0) text += last ? " or " : ", ";
    text.append(quote).append(parameter.choices[i]).append(quote);
  }
  return text;
}

}  // namespace

std::string default_text(const EncodingParameter& parameter) {
  if (parameter.required) return "required";
  const auto* quoted = std::get_if<QuotedText>(&parameter.default_value.content);
  if (quoted != nullptr && quoted->text.empty()) return "none";
  return print_expression(parameter.default_value);
}

std::string accepted_text(const EncodingParameter& parameter, std::string_view quote) {
  switch (parameter.kind) {
    case EncodingParameter::Kind::number:
      return range(parameter);
    case EncodingParameter::Kind::integer:
      return fmt::format("{}, whole", range(parameter));
    case EncodingParameter::Kind::learnable:
      return fmt::format("{}, or {}learned(number){}", range(parameter), quote, quote);
    case EncodingParameter::Kind::word:
      return choices(parameter, quote);
    case EncodingParameter::Kind::formula:
      if (parameter.choices.empty()) return "a formula in quotes";
      return fmt::format("{}, or a formula in quotes", choices(parameter, quote));
    case EncodingParameter::Kind::numbers:
      return fmt::format("numbers in quotes, each {}", range(parameter));
    case EncodingParameter::Kind::words:
      return "words of the task in quotes: numbers, ranges of numbers, names";
    case EncodingParameter::Kind::encoding:
      return "an encoding";
  }
  return "";
}

}  // namespace phasor
