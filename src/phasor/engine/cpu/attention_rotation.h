#pragma once
// The rotation of one head's rows: turned, turned back, and the gradients by their frequencies and angles.
#include <cstdint>

#include "phasor/engine/cpu/attention_head.h"
#include "phasor/engine/ops.h"

namespace phasor {

enum class Turned : uint8_t { query, key };

// Rows [first_row, first_row + rows) of a head's queries or keys, `stride` floats apart; `x` is the first of them.
struct TurnedRows {
  Turned what = Turned::query;
  int64_t stride = 0;
  int64_t first_row = 0, rows = 0;
};

// Multiplies by the factors, in place. `work` holds one row.
void turn(float* x, const TurnedRows& rows, const Attention& attention, const HeadPlace& place, float* work);
// Turns gradients by turned rows into gradients by the rows themselves, in place.
void turn_back(float* gradient, const TurnedRows& rows, const Attention& attention, const HeadPlace& place,
               float* work);

// sums[axis][pair] += p (g_b x_a - g_a x_b) over the rows, where x is turned and g is the gradient by x:
// a frequency w that turns x by e^(i w p) moves it by i p x.
void add_by_frequency(double* sums, const float* gradient, const float* turned, const TurnedRows& rows,
                      const Attention& attention, const HeadPlace& place);

// Where tokens turn the head: dangle = (first) or += g_b x_a - g_a x_b for each pair, x turned and g the gradient by x.
void add_by_angle(const View<float, 3>& dangle, bool first, const float* gradient, const float* turned,
                  const TurnedRows& rows, const Attention& attention, const HeadPlace& place);

// Which of a token's sets turns the head; -1: none.
inline int64_t token_set(const RotationTable& rotation, int64_t head) {
  return rotation.token.empty() ? -1 : int64_t{rotation.token_set(head)};
}

// sums[pair] += g_b x_a - g_a x_b over the rows: a phase that turns x by e^(i phase) moves it by i x.
void add_by_phase(double* sums, const float* gradient, const float* turned, const TurnedRows& rows,
                  const Attention& attention, const HeadPlace& place);

}  // namespace phasor
