#include "phasor/engine/cpu/attention_prefix.h"

#include <algorithm>
#include <cmath>

namespace phasor {
namespace {

// In an order that depends on the count alone.
double sum_in_order(const float* x, int64_t count) {
  constexpr int64_t kSums = 8;
  double sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int64_t k = 0; k < kSums; ++k) sums[k] += double{x[i + k]};
  }
  for (int64_t k = 0; i + k < count; ++k) sums[k] += double{x[i + k]};
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

PrefixRow::PrefixRow(const Attention& attention, const HeadPlace& place, double* memory) {
  if (attention.prefix.empty()) return;
  for (int64_t t = 0; t < place.length; ++t) memory[t] = attention.prefix(place.first + t, place.head);
  // Heads without a gate have zeros.
  if (std::any_of(memory, memory + place.length, [](double sum) { return sum != 0.0; })) sums_ = memory;
}

void PrefixRow::subtract(float* scores, int64_t query, const KeySpan& keys) const {
  if (sums_ == nullptr) return;
  const double* sums = sums_;
  const double here = sums[query];
#pragma omp simd
  for (int64_t j = keys.first; j < keys.end; ++j) scores[j] -= static_cast<float>(std::fabs(here - sums[j]));
}

void add_by_prefix(double* gradient, const float* dscores, int64_t query, const KeySpan& keys) {
  const int64_t before = std::min(query, keys.end);
#pragma omp simd
  for (int64_t j = keys.first; j < before; ++j) gradient[j] -= double{dscores[j]};
  double total = sum_in_order(dscores + keys.first, before - keys.first);
  if (keys.end > query + 1) {
#pragma omp simd
    for (int64_t j = query + 1; j < keys.end; ++j) gradient[j] += double{dscores[j]};
    total -= sum_in_order(dscores + query + 1, keys.end - query - 1);
  }
  gradient[query] += total;
}

}  // namespace phasor
