#pragma once
// The terms of an expression, made: the whole of it, or what stands within randomized() or concat().
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/component.h"
#include "phasor/encoding/syntax/expression.h"

namespace phasor {

class EncodingSum {
 public:
  // Canonical terms; `text` is what their columns point into.
  EncodingSum(const Encoding& encoding, std::string_view text);

  const std::vector<Term>& terms() const { return encoding_.terms; }
  const EncodingComponent& component(size_t term) const { return *components_[term]; }

  // What holds for the sum: it is relative where every term is, learnable where one is.
  EncodingTraits traits() const;
  // What becomes of positions beyond those of training, in words: a clause for each term.
  std::string beyond() const;
  TableForm form_for(const EncodingShape& shape) const;
  void fill(EncodingPlaces& places) const;

 private:
  Encoding encoding_;
  std::vector<std::unique_ptr<EncodingComponent>> components_;
};

}  // namespace phasor
