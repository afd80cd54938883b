#pragma once
// Attention with a dense term (dense_term.h): one head of one sequence at a time, everything materialised and in
// double.
#include <cstdint>
#include <vector>

#include "phasor/engine/cpu/attention_dense.h"
#include "phasor/engine/ops.h"
#include "phasor/engine/term_head.h"

namespace phasor {

class TermAttention {
 public:
  // Throws where the term cannot be applied.
  TermAttention(const Attention& attention, const HeadPlace& place);

  int64_t length() const { return place_.length; }
  int64_t width() const { return width_; }
  const KeyMask& mask() const { return mask_; }
  const TermHead& term() const { return term_; }
  TermRows rows() const { return {query_.data(), key_.data(), turned_query_.data(), turned_key_.data()}; }
  const double* turned_query() const { return turned_query_.data(); }
  const double* turned_key() const { return turned_key_.data(); }
  const double* value(int64_t j) const { return &value_[static_cast<size_t>(j) * value_width_]; }
  // On the products of query i.
  double row_factor(int64_t i) const { return factors_[static_cast<size_t>(i)]; }
  const std::vector<double>& products() const { return products_; }  // [n, n]; hidden ones are 0
  const std::vector<double>& scaled() const { return scaled_; }      // times row_factor
  const std::vector<double>& weights() const { return head_.weights; }
  double log_sum(int64_t i) const { return log_sums_[static_cast<size_t>(i)]; }
  double sink_weight(int64_t i) const { return sink_weights_[static_cast<size_t>(i)]; }
  DenseHead take() { return std::move(head_); }

 private:
  void attend();

  const Attention& attention_;
  HeadPlace place_;
  int64_t width_;
  size_t value_width_;
  KeyMask mask_;
  TermHead term_;
  std::vector<double> query_, key_, turned_query_, turned_key_, value_, factors_;
  std::vector<double> products_, scaled_, log_sums_, sink_weights_;
  DenseHead head_;
};

void attend_with_term(const AttentionForward& op);
// `memory` grows to what the sums over sequences take.
void attend_back_with_term(const AttentionBackward& op, std::vector<float>& memory);

}  // namespace phasor
