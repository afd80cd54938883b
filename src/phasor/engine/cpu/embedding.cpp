#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"

namespace phasor {
namespace {

constexpr int64_t kRowGrain = 64;
// Gradients of a table are summed token by token; threads share the columns, so the order is fixed.
constexpr int64_t kColumnGrain = 16;

void add_row(float* to, const float* from, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

// Which row of the input table each token reads. Tokens are asked for in order.
class InputRows {
 public:
  InputRows(const InputTable& input, const Sequences& sequences, int64_t first_token)
      : input_(input), sequences_(sequences) {
    if (input.sequence_table.empty()) return;
    const int32_t* offsets = sequences.offsets.data();
    sequence_ = std::upper_bound(offsets, offsets + *sequences.count, first_token) - offsets - 1;
  }

  int64_t row(int64_t token) {
    const int64_t position = sequences_.positions(token, input_.axis);
    if (input_.sequence_table.empty()) return position;
    while (sequences_.offsets(sequence_ + 1) <= token) ++sequence_;
    return input_.sequence_table(sequence_) * int64_t{input_.positions} + position;
  }

 private:
  const InputTable& input_;
  const Sequences& sequences_;
  int64_t sequence_ = 0;
};

}  // namespace

void CpuBackend::run(const EmbeddingForward& op) {
  const int64_t width = op.y.extent(1);
  const int64_t own = op.table.extent(1);
  parallel_for(*op.sequences.tokens, kRowGrain, [&](int64_t begin, int64_t end) {
    InputRows rows(op.input, op.sequences, begin);
    for (int64_t t = begin; t < end; ++t) {
      float* y = op.y.row(t);
      std::copy_n(op.table.row(op.ids(t)), own, y);
      std::fill(y + own, y + width, 0.0f);
      if (!op.input.table.empty()) add_row(y, op.input.table.row(rows.row(t)), width);
    }
  });
}

void CpuBackend::run(const EmbeddingBackward& op) {
  const int64_t tokens = *op.sequences.tokens;
  const int64_t own = op.dtable.extent(1);
  parallel_for(op.dy.extent(1), kColumnGrain, [&](int64_t begin, int64_t end) {
    const int64_t own_columns = std::min(end, own) - begin;
    InputRows rows(op.input, op.sequences, 0);
    for (int64_t t = 0; t < tokens; ++t) {
      const float* dy = op.dy.row(t) + begin;
      if (own_columns > 0) add_row(op.dtable.row(op.ids(t)) + begin, dy, own_columns);
      if (!op.dinput.empty()) add_row(op.dinput.row(rows.row(t)) + begin, dy, end - begin);
    }
  });
}

}  // namespace phasor
