#pragma once
// Did turning queries and keys multiply the logits by ONE matrix, S = A o T with A the logits without angles? The
// theorems on spectra of entrywise products speak of that form. Real rotary encodings have it in two cases: all
// channels turn alike, or all positions carry multiples of one content vector. In between every frequency has a content
// of its own, S = sum_m Re(W_m o E_m), and no such T exists. The form is found from queries and keys before and after
// turning, so that it holds for exported ones too.
#include <complex>
#include <string>
#include <vector>

#include "phasor/spectrum/head_logits.h"

namespace phasor {

struct HadamardForm {
  enum class Kind : uint8_t {
    unknown,      // queries and keys without angles are not given
    nothing,      // nothing is turned: T is 1
    one_factor,   // every channel turns by the same angle
    one_content,  // queries are multiples of one vector, keys of another
    several       // a content for each frequency
  };

  Kind kind = Kind::unknown;
  // Factors by which one_factor turns queries and keys, of modulus 1 to rounding where `unitary`.
  std::vector<std::complex<double>> query_factor, key_factor;
  bool unitary = false;
  bool real = false;  // S = content o factor: of one_factor where the content Gram is real, of one_content always
  Dense content;      // A [n, n], where `real`
  Dense left, right;  // T = left^T right [rank, n], where `real`
  std::string why;    // a sentence: what was found

  Dense factor() const;  // T
};

HadamardForm hadamard_form(const HeadLogits& head);

// Queries or keys as complex numbers, a + i b for each pair and then the channels that no pair has: two real matrices.
struct ComplexChannels {
  Dense real, imaginary;  // [n, pairs + channels in no pair]
};
ComplexChannels complex_channels(const Dense& x, const std::vector<std::pair<int64_t, int64_t>>& pairs);

// Singular values of the complex content Gram scale * sum_m q_m k_m^H before turning, falling.
std::vector<double> complex_gram_singular_values(const HeadLogits& head);

// The lengths scale * |q_m| |k_m| of the terms of sum_m Re(q_m k_m^H), one per pair, and of the channels in no pair
// together: their sum is what sigma_1 cannot exceed.
std::vector<double> term_norms(const HeadLogits& head);

// Pairs of channels that were turned between `plain` and `turned`: neighbours (2 m, 2 m + 1), or halves (m, M + m), of
// those channels that differ at all. Empty where neither keeps the lengths.
std::vector<std::pair<int64_t, int64_t>> find_rotary_pairs(const Dense& plain, const Dense& turned);

}  // namespace phasor
