#include "phasor/engine/cpu/attention_rotation.h"

#include <algorithm>

#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

using simd::kLanes;
using simd::Vec;

// (a + i b)(f0 + i f1) for the pairs of one row; Back multiplies by the conjugate instead.
template <bool Back>
[[gnu::always_inline]] inline void turn_interleaved(float* x, const float* f, int64_t pairs) {
  constexpr float kSign = Back ? -1.0f : 1.0f;
  alignas(Vec) constexpr float kSigns[kLanes] = {-kSign, kSign, -kSign, kSign, -kSign, kSign, -kSign, kSign,
                                                 -kSign, kSign, -kSign, kSign, -kSign, kSign, -kSign, kSign};
  const Vec signs = simd::load(kSigns);
  int64_t c = 0;
  for (; c + kLanes / 2 <= pairs; c += kLanes / 2) {
    const Vec v = simd::load(x + 2 * c);
    const Vec factors = simd::load(f + 2 * c);
    const Vec turned = simd::swap_neighbours(v) * (simd::twice_odd(factors) * signs);
    simd::store(x + 2 * c, v * simd::twice_even(factors) + turned);
  }
  for (; c < pairs; ++c) {
    const float a = x[2 * c];
    const float b = x[2 * c + 1];
    const float imaginary = kSign * f[2 * c + 1];
    x[2 * c] = a * f[2 * c] - b * imaginary;
    x[2 * c + 1] = b * f[2 * c] + a * imaginary;
  }
}

template <bool Back>
[[gnu::always_inline]] inline void turn_halves(float* x, const float* f, int64_t pairs) {
  constexpr float kSign = Back ? -1.0f : 1.0f;
#pragma omp simd
  for (int64_t c = 0; c < pairs; ++c) {
    const float a = x[c];
    const float b = x[pairs + c];
    const float imaginary = kSign * f[2 * c + 1];
    x[c] = a * f[2 * c] - b * imaginary;
    x[pairs + c] = b * f[2 * c] + a * imaginary;
  }
}

// The factors that turn a head's queries or keys.
class HeadFactors {
 public:
  HeadFactors(Turned what, const Attention& attention, const HeadPlace& place)
      : table_(what == Turned::query ? attention.rotation.query : attention.rotation.key),
        positions_(attention.sequences.positions.row(place.first)),
        token_stride_(attention.sequences.positions.stride(0)),
        axes_(attention.rotation.axes) {
    if (const int64_t of_token = token_set(attention.rotation, place.head); of_token >= 0) {
      token_ = attention.rotation.token.row(place.first, of_token, 0);
      token_factors_ = attention.rotation.token.stride(0);
      pairs_ = attention.rotation.token.extent(2);
      return;
    }
    pairs_ = table_.empty() ? 0 : table_.extent(2);
    const int64_t set = table_.empty() ? -1 : attention.rotation.head_set(place.head);
    if (set >= 0) factors_ = table_.row((place.rotation_table * attention.rotation.sets + set) * axes_, 0, 0);
  }

  bool any() const { return factors_ != nullptr || token_ != nullptr; }
  bool by_position() const { return factors_ != nullptr; }
  int64_t pairs() const { return pairs_; }
  const int32_t* positions(int64_t row) const { return positions_ + row * token_stride_; }

  // [pairs, 2]: straight out of the table, or the product over the axes in `work`.
  const float* row(int64_t row, float* work) const {
    if (token_ != nullptr) return token_ + row * token_factors_;
    return axes_ == 1 ? axis_row(0, positions(row)) : product(positions(row), work);
  }

 private:
  const float* axis_row(int64_t axis, const int32_t* positions) const {
    return factors_ + axis * table_.stride(0) + positions[axis] * table_.stride(1);
  }

  const float* product(const int32_t* positions, float* work) const {
    std::copy_n(axis_row(0, positions), 2 * pairs(), work);
    for (int64_t axis = 1; axis < axes_; ++axis) turn_interleaved<false>(work, axis_row(axis, positions), pairs());
    return work;
  }

  View<const float, 4> table_;
  const int32_t* positions_;  // of the sequence's first token
  int64_t token_stride_;
  int64_t axes_;
  int64_t pairs_ = 0;
  const float* factors_ = nullptr;  // of position 0 on the first axis; null: positions turn nothing
  const float* token_ = nullptr;    // of the sequence's first token; null: tokens turn nothing
  int64_t token_factors_ = 0;       // from one token to the next
};

template <bool Back>
void turn_rows(float* x, const TurnedRows& rows, const Attention& attention, const HeadPlace& place, float* work) {
  const HeadFactors factors(rows.what, attention, place);
  if (!factors.any()) return;
  const int64_t pairs = factors.pairs();
  for (int64_t r = 0; r < rows.rows; ++r) {
    float* row = x + r * rows.stride + attention.rotation.first;
    const float* f = factors.row(rows.first_row + r, work);
    if (attention.rotation.halves) {
      turn_halves<Back>(row, f, pairs);
    } else {
      turn_interleaved<Back>(row, f, pairs);
    }
  }
}

// Channel a of pair c is c * step, channel b lies `apart` beyond it.
void add_row_by_frequency(double* sums, const float* g, const float* x, int64_t pairs, int64_t step, int64_t apart,
                          double position) {
#pragma omp simd
  for (int64_t c = 0; c < pairs; ++c) {
    const int64_t a = c * step;
    const int64_t b = a + apart;
    sums[c] += position * (double{g[b]} * double{x[a]} - double{g[a]} * double{x[b]});
  }
}

}  // namespace

void turn(float* x, const TurnedRows& rows, const Attention& attention, const HeadPlace& place, float* work) {
  turn_rows<false>(x, rows, attention, place, work);
}

void turn_back(float* gradient, const TurnedRows& rows, const Attention& attention, const HeadPlace& place,
               float* work) {
  turn_rows<true>(gradient, rows, attention, place, work);
}

void add_by_frequency(double* sums, const float* gradient, const float* turned, const TurnedRows& rows,
                      const Attention& attention, const HeadPlace& place) {
  const RotationTable& rotation = attention.rotation;
  const HeadFactors factors(rows.what, attention, place);
  if (!factors.by_position()) return;
  const int64_t pairs = factors.pairs();
  for (int64_t r = 0; r < rows.rows; ++r) {
    const float* g = gradient + r * rows.stride + rotation.first;
    const float* x = turned + r * rows.stride + rotation.first;
    const int32_t* positions = factors.positions(rows.first_row + r);
    for (int64_t axis = 0; axis < rotation.axes; ++axis) {
      double* to = sums + axis * pairs;
      if (rotation.halves) {
        add_row_by_frequency(to, g, x, pairs, 1, pairs, positions[axis]);
      } else {
        add_row_by_frequency(to, g, x, pairs, 2, 1, positions[axis]);
      }
    }
  }
}

void add_by_angle(const View<float, 3>& dangle, bool first, const float* gradient, const float* turned,
                  const TurnedRows& rows, const Attention& attention, const HeadPlace& place) {
  const RotationTable& rotation = attention.rotation;
  const int64_t set = token_set(rotation, place.head);
  const int64_t pairs = dangle.extent(2);
  const int64_t step = rotation.halves ? 1 : 2, apart = rotation.halves ? pairs : 1;
  for (int64_t r = 0; r < rows.rows; ++r) {
    const float* g = gradient + r * rows.stride + rotation.first;
    const float* x = turned + r * rows.stride + rotation.first;
    float* to = dangle.row(place.first + rows.first_row + r, set);
#pragma omp simd
    for (int64_t c = 0; c < pairs; ++c) {
      const int64_t a = c * step;
      const int64_t b = a + apart;
      const float moment = g[b] * x[a] - g[a] * x[b];
      to[c] = first ? moment : to[c] + moment;
    }
  }
}

void add_by_phase(double* sums, const float* gradient, const float* turned, const TurnedRows& rows,
                  const Attention& attention, const HeadPlace& place) {
  const RotationTable& rotation = attention.rotation;
  const HeadFactors factors(rows.what, attention, place);
  if (!factors.any()) return;
  const int64_t pairs = factors.pairs();
  for (int64_t r = 0; r < rows.rows; ++r) {
    const float* g = gradient + r * rows.stride + rotation.first;
    const float* x = turned + r * rows.stride + rotation.first;
    add_row_by_frequency(sums, g, x, pairs, rotation.halves ? 1 : 2, rotation.halves ? pairs : 1, 1.0);
  }
}

}  // namespace phasor
