#pragma once
// Gathers what the terms of an encoding put into its places. Input terms and biases add up, scales
// multiply; a place that holds one thing only refuses the second with an error that names both terms.
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/expression.h"
#include "phasor/encoding/resolved.h"

namespace phasor {

class EncodingPlaces {
 public:
  // `expression` is the text that the terms' columns point into.
  EncodingPlaces(const EncodingShape& shape, std::string expression);

  // What is filled from here on belongs to this term and goes to its heads and layers. The term must
  // outlive this object. Throws EncodingError for heads or layers that the shape does not have.
  void begin(const Term& term);

  const EncodingShape& shape() const { return resolved_.shape; }

  // [positions, width], added to the embeddings.
  void add_input(const Table& table);
  // Of positions x width numbers, added to the embeddings; starts as N(0, deviation^2).
  void add_learned_input(double deviation);
  void rotate(Rotation rotation);
  // [heads, 2 reach + 1] as in LayerEncoding::bias; rows of heads that are not the term's are unused.
  void add_bias(const Table& table);
  // One factor per head.
  void multiply_scale(const std::vector<double>& factors);

  // An error that points at the current term.
  [[noreturn]] void fail_term(std::string_view reason) const;

  ResolvedEncoding take();

 private:
  void require_unassigned() const;
  std::string clash(const Term& earlier, std::string_view what) const;
  template <class Function>
  void for_each_place(const Function& function);

  ResolvedEncoding resolved_;
  const Term* term_ = nullptr;
  const Term* learned_input_term_ = nullptr;
  std::vector<const Term*> rotation_terms_;  // [layers * heads]
};

}  // namespace phasor
