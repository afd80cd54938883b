#include "phasor/encoding/syntax/expression.h"

namespace phasor {

bool Encoding::operator==(const Encoding& other) const { return terms == other.terms; }

bool TermValue::operator==(const TermValue& other) const { return content == other.content; }

TermValue TermValue::of_word(std::string word) {
  Encoding encoding;
  encoding.terms.push_back(Term{.name = std::move(word)});
  return TermValue{.content = std::move(encoding)};
}

const std::string* TermValue::word() const {
  const Encoding* encoding = std::get_if<Encoding>(&content);
  if (encoding == nullptr || encoding->terms.size() != 1) return nullptr;
  const Term& term = encoding->terms.front();
  const bool lone = term.arguments.empty() && !term.has_brackets();
  return lone ? &term.name : nullptr;
}

}  // namespace phasor
