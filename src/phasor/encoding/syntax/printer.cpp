#include "phasor/encoding/syntax/printer.h"

#include <string>

#include "phasor/base/error.h"

namespace phasor {
namespace {

std::string print_quoted(const QuotedText& quoted) {
  for (const char c : quoted.text) {
    if (c == '"' || !is_printable(c)) fail("a formula cannot hold the character with code {}", int{c});
  }
  return '"' + quoted.text + '"';
}

std::string print_brackets(const Term& term) {
  std::string text;
  const auto add = [&text](const char* key, const std::string& value) {
    text.append(text.empty() ? "[" : ",").append(key).append("=").append(value);
  };
  if (!term.heads.everything) add("heads", print(term.heads.indices));
  if (!term.layers.everything) add("layers", print(term.layers.indices));
  if (term.window.tokens > 0) add("window", std::to_string(term.window.tokens));
  if (term.chunk.tokens > 0) add("chunk", std::to_string(term.chunk.tokens));
  return text.empty() ? text : text + ']';
}

}  // namespace

std::string print_expression(const TermValue& value) {
  if (const double* number = std::get_if<double>(&value.content)) return print_number(*number);
  if (const QuotedText* quoted = std::get_if<QuotedText>(&value.content)) return print_quoted(*quoted);
  return print_expression(std::get<Encoding>(value.content));
}

std::string print_expression(const Term& term) {
  std::string text = term.name;
  for (const TermArgument& argument : term.arguments) {
    text += &argument == &term.arguments.front() ? '(' : ',';
    if (!argument.key.empty()) text += argument.key + '=';
    text += print_expression(argument.value);
  }
  if (!term.arguments.empty()) text += ')';
  return text + print_brackets(term);
}

std::string print_expression(const Encoding& encoding) {
  std::string text;
  for (const Term& term : encoding.terms) {
    if (!text.empty()) text += '+';
    text += print_expression(term);
  }
  return text;
}

}  // namespace phasor
