#pragma once
// The arguments of one term, checked against its entry's parameters, with the defaults filled in.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/syntax/expression.h"
#include "phasor/encoding/syntax/parameter.h"
#include "phasor/encoding/syntax/word_set.h"
#include "phasor/formula/formula.h"

namespace phasor {

// A number that may be trained.
struct LearnableNumber {
  double value = 0.0;  // what it is, or starts from
  bool learned = false;
  bool per_head = false;
  double least = 0.0, most = 0.0;  // where learned
};

// A name that a formula may use, given beside the entry's own parameters.
struct FormulaVariable {
  std::string name;
  LearnableNumber number;
  TextColumn column;
};

// What becomes of arguments that the entry has no parameter for.
enum class OtherArguments : uint8_t { refused, formula_variables };

class EncodingArguments {
 public:
  // Throws EncodingError for arguments that are unknown, doubled, of another kind or out of range.
  // `text` is what the term's columns point into; `parameters` must outlive this.
  EncodingArguments(const Term& term, const std::vector<EncodingParameter>& parameters, std::string_view text,
                    OtherArguments others = OtherArguments::refused);

  bool given(std::string_view name) const;  // and not the default
  double number(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  // Of a word, or of a formula that one of its words stands for; null where a formula is given.
  const std::string& word(std::string_view name) const;
  const std::string* word_if(std::string_view name) const;
  LearnableNumber learnable(std::string_view name) const;
  Formula formula(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  WordSet words(std::string_view name) const;
  const Encoding& encoding(std::string_view name) const;
  const std::vector<FormulaVariable>& variables() const { return variables_; }  // in the order of their names
  const std::string& text() const { return text_; }
  TextColumn column(std::string_view name) const { return value(name).column; }

  // By name, in the order of the parameters, without those that only repeat a default; then the variables.
  std::vector<TermArgument> canonical() const;

 private:
  size_t place(std::string_view name) const;
  const TermValue& value(std::string_view name) const { return values_[place(name)]; }

  const std::vector<EncodingParameter>* parameters_;
  std::string text_;
  std::vector<TermValue> values_;      // one per parameter
  std::vector<std::string> formulas_;  // one per parameter: as written, so that columns within them fit the text
  std::vector<TermArgument> others_;
  std::vector<FormulaVariable> variables_;
};

}  // namespace phasor
