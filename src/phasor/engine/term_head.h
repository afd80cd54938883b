#pragma once
// The dense term of one head over one sequence (dense_term.h), in double and in host memory: what kernels and analyses
// share. Rows are the tokens of the sequence, matrices are row-major.
#include <complex>
#include <cstdint>
#include <vector>

#include "phasor/engine/dense_term.h"
#include "phasor/engine/key_mask.h"

namespace phasor {

// Queries and keys, [length, width]: as they come, and as the rotation turns them.
struct TermRows {
  const double* query = nullptr;
  const double* key = nullptr;
  const double* turned_query = nullptr;
  const double* turned_key = nullptr;
};

// Gradients by these and by what the term has. All are added to.
struct TermGradients {
  std::vector<double> query, key, turned_query, turned_key;  // [length, width]
  std::vector<double> vectors;                               // [most + 1, width]
  std::vector<double> directions, strengths;                 // [length, width], [length]
};

class TermHead {
 public:
  // The term's views are read here and in host memory. The sequence has tokens first .. first + length - 1.
  TermHead(const DenseTerm& term, int64_t head, int64_t first, int64_t length, int64_t width,
           const View<const int32_t, 2>& positions);

  // products[i, j] of the keys that query i sees; others are left alone.
  void products(const TermRows& rows, const KeyMask& mask, double* products) const;
  // logits[i, j] += what positions by gates add to it. `scaled` are the products with all their factors.
  void add_positions(const TermRows& rows, const KeyMask& mask, const double* scaled, double* logits) const;

  TermGradients no_gradients() const;
  // dscaled += what comes by way of the gates; gradients += what comes from the logits directly.
  void positions_back(const TermRows& rows, const KeyMask& mask, const double* scaled, const double* dlogits,
                      double* dscaled, TermGradients& gradients) const;
  void products_back(const TermRows& rows, const KeyMask& mask, const double* dproducts,
                     TermGradients& gradients) const;

  bool has_positions() const { return !vectors_.empty(); }
  bool has_reflections() const { return !strengths_.empty(); }
  bool has_far() const { return window_ > 0; }

 private:
  using Factors = std::vector<std::complex<double>>;  // [length, pairs]

  // Where p lies between whole numbers: `below`, and how far above it. Beyond `most` it no longer moves.
  struct Place {
    int64_t below = 0;
    double share = 0.0;
    bool moves = true;
  };
  Place place_of(double position) const;
  // Sums of gates, for the keys that query i sees; p[j] is not yet clipped.
  void sum_gates(const KeySpan& seen, int64_t i, const double* scaled, double* gates, double* sums) const;

  // H_t x, in place; returns <w_t, x>.
  double reflect(int64_t t, double* x) const;
  void reflected_products(const TermRows& rows, const KeyMask& mask, double* products) const;
  void reflected_back(const TermRows& rows, const KeyMask& mask, const double* dproducts,
                      TermGradients& gradients) const;

  bool is_far(int64_t i, int64_t j) const;
  bool looks_back(int64_t i, int64_t j) const {
    return positions_[static_cast<size_t>(j)] <= positions_[static_cast<size_t>(i)];
  }
  std::vector<double> far_rows(const double* rows, const Factors& factors) const;
  // The gradient by rows that were turned so, added to that by the rows.
  void add_far_back(const std::vector<double>& turned, const Factors& factors, std::vector<double>& gradient) const;

  int64_t length_ = 0, width_ = 0;
  int64_t most_ = 0;
  std::vector<double> vectors_;     // [most + 1, width]
  std::vector<double> directions_;  // w, [length, width]
  std::vector<double> norms_;       // sqrt(|x|^2 + floor), [length]
  std::vector<double> strengths_;   // 2 sigmoid(y), [length]
  int64_t window_ = 0;              // 0: nothing is far
  int64_t far_first_ = 0, far_pairs_ = 0;
  bool halves_ = false;
  std::vector<int64_t> positions_;  // [length]
  Factors query_back_, query_ahead_, far_key_;
};

// Throws where a sequence has more tokens than attention with a dense term takes.
void require_dense_length(int64_t tokens);

}  // namespace phasor
