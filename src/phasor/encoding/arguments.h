#pragma once
// The arguments of one term, checked against its entry's parameters, with the defaults filled in.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/expression.h"
#include "phasor/encoding/parameter.h"

namespace phasor {

class EncodingArguments {
 public:
  // Throws EncodingError for arguments that are unknown, doubled, of another kind or out of range.
  // `text` is what the term's columns point into; `parameters` must outlive this.
  EncodingArguments(const Term& term, const std::vector<EncodingParameter>& parameters, std::string_view text);

  double number(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  // By name, in the order of the parameters, without those that only repeat a default.
  std::vector<TermArgument> canonical() const;

 private:
  const TermValue& value(std::string_view name) const;

  const std::vector<EncodingParameter>* parameters_;
  std::vector<TermValue> values_;  // one per parameter
};

}  // namespace phasor
