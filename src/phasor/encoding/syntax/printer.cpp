#include "phasor/encoding/syntax/printer.h"

#include "phasor/base/error.h"

namespace phasor {
namespace {

std::string print_quoted(const QuotedText& quoted) {
  for (const char c : quoted.text) {
    if (c == '"' || !is_printable(c)) fail("a formula cannot hold the character with code {}", int{c});
  }
  return '"' + quoted.text + '"';
}

std::string print_assignments(const Term& term) {
  std::string text;
  if (!term.heads.everything) text += "heads=" + print(term.heads.indices);
  if (!term.layers.everything) {
    if (!text.empty()) text += ',';
    text += "layers=" + print(term.layers.indices);
  }
  return text.empty() ? text : '[' + text + ']';
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
  return text + print_assignments(term);
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
