#pragma once
// Attention by plain loops in double: what those of attention_dense.cpp and attention_term.cpp have in common.
#include <cstdint>
#include <vector>

#include "phasor/engine/cpu/attention_head.h"
#include "phasor/engine/ops.h"

namespace phasor {

// All of one head, [n, n] row-major; masked logits are -infinity.
struct DenseHead {
  std::vector<double> logits, weights;
};

std::vector<double> element_row(const ConstMatrix& from, int64_t row, int64_t first, int64_t count);
// Token i of the sequence, as features and turned.
std::vector<double> turned_query(const Attention& a, const HeadPlace& place, int64_t i);
std::vector<double> turned_key(const Attention& a, const HeadPlace& place, int64_t j);
// In place: a gradient by a turned row becomes that by the row.
void turned_back(std::vector<double>& gradient, bool query, const Attention& a, const HeadPlace& place, int64_t i);
// b_h(p_i, p_j), 0 without a bias.
double bias_of(const Attention& a, const HeadPlace& place, int64_t i, int64_t j);
// -|c_i - c_j|, 0 without a prefix.
double prefix_of(const Attention& a, const HeadPlace& place, int64_t i, int64_t j);
// The factor that dropout puts on the weight from query i to key j.
double dropout_factor(const DropoutMask& mask, const HeadPlace& place, int64_t i, int64_t j);

}  // namespace phasor
