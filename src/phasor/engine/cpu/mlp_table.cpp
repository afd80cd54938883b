#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/row_columns.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/engine/cpu/simd.h"
#include "phasor/engine/cpu/small_product.h"

namespace phasor {
namespace {

constexpr int64_t kBlock = 64;  // columns worked on at one time: whole vectors and whole blocks of a product
static_assert(kBlock % simd::kLanes == 0 && kBlock % kProductRows == 0);

// Gradients by the weights are summed in at most this many partial sums, whatever the thread count, and these are
// added in order.
constexpr int64_t kGradientChunks = 32;

// The weights with zeros up to whole blocks of a product. Units that are padding stay at 0.
struct PaddedNetwork {
  int64_t units, heads;               // of the network
  int64_t width, heads_padded;        // with padding
  std::vector<float> weight1, bias1;  // [width]
  std::vector<float> weight2;         // [heads_padded, width]

  explicit PaddedNetwork(const MlpTable& mlp)
      : units(mlp.weight1.extent(0)),
        heads(mlp.weight2.extent(0)),
        width(simd::round_up(units)),
        heads_padded(pad_rows(heads)),
        weight1(static_cast<size_t>(width)),
        bias1(static_cast<size_t>(width)),
        weight2(static_cast<size_t>(heads_padded * width)) {
    std::copy_n(mlp.weight1.data(), units, weight1.data());
    std::copy_n(mlp.bias1.data(), units, bias1.data());
    for (int64_t h = 0; h < heads; ++h) std::copy_n(mlp.weight2.row(h), units, weight2.data() + h * width);
  }
};

int64_t table_head(const MlpTable& mlp, int64_t output) { return mlp.heads.empty() ? output : mlp.heads(output); }

// to[kBlock] = from[count], then zeros.
void copy_padded(float* to, const float* from, int64_t count) {
  std::copy_n(from, count, to);
  std::fill(to + count, to + kBlock, 0.0f);
}

void add_row(float* to, const float* from, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

// hidden[units, kBlock]: a unit's values side by side.
void hidden_by_unit(float* hidden, const PaddedNetwork& network, const float* x) {
  for (int64_t k = 0; k < network.units; ++k) {
    const float weight = network.weight1[static_cast<size_t>(k)];
    const float bias = network.bias1[static_cast<size_t>(k)];
    float* row = hidden + k * kBlock;
#pragma omp simd
    for (int64_t c = 0; c < kBlock; ++c) {
      const float z = weight * x[c] + bias;
      row[c] = z < 0.0f ? 0.0f : z;  // NaN stays NaN
    }
  }
}

// hidden[count, width]: a column's values side by side.
void hidden_by_column(float* hidden, const PaddedNetwork& network, const float* x, int64_t count) {
  const float* weight = network.weight1.data();
  const float* bias = network.bias1.data();
  for (int64_t c = 0; c < count; ++c) {
    float* row = hidden + c * network.width;
#pragma omp simd
    for (int64_t k = 0; k < network.width; ++k) {
      const float z = weight[k] * x[c] + bias[k];
      row[k] = z < 0.0f ? 0.0f : z;
    }
  }
}

// Gradients by all weights, one after the other in one array of floats.
struct WeightGradients {
  float *weight2, *bias2, *weight1, *bias1;  // [heads_padded, width], [heads_padded], [width], [width]

  WeightGradients(float* data, const PaddedNetwork& network)
      : weight2(data),
        bias2(weight2 + network.heads_padded * network.width),
        weight1(bias2 + network.heads_padded),
        bias1(weight1 + network.width) {}
  static int64_t size(const PaddedNetwork& network) {
    return network.heads_padded * (network.width + 1) + 2 * network.width;
  }
};

// One block of columns on its way back.
class BackwardBlock {
 public:
  BackwardBlock(const MlpTableBackward& op, const PaddedNetwork& network, float* scratch)
      : op_(op),
        network_(network),
        x_(scratch),
        dtable_(x_ + kBlock),
        hidden_(dtable_ + network.heads_padded * kBlock),
        dhidden_(hidden_ + kBlock * network.width),
        sums_(dhidden_ + kBlock * network.width) {}
  static int64_t scratch_size(const PaddedNetwork& network) {
    return kBlock * (1 + network.heads_padded + 2 * network.width) + WeightGradients::size(network);
  }

  // Adds to dx, and to the gradients by the weights in `sums`.
  void run(int64_t row, int64_t first, int64_t count, float* sums) {
    load(row, first, count);
    const int64_t width = network_.width;
    const int64_t heads = network_.heads_padded;
    hidden_by_column(hidden_, network_, x_, count);
    small_product<false>(
        {dhidden_, width, dtable_, 1, kBlock, network_.weight2.data(), width, pad_rows(count), width, network_.heads});

    const WeightGradients of_block(sums_, network_);
    small_product<false>({of_block.weight2, width, dtable_, kBlock, 1, hidden_, width, heads, width, count});
    for (int64_t h = 0; h < heads; ++h) of_block.bias2[h] = block_sum(dtable_ + h * kBlock);
    std::fill_n(of_block.weight1, 2 * width, 0.0f);
    float* dx = op_.dx.row(row) + first;
    for (int64_t c = 0; c < count; ++c) {
      dx[c] += through_hidden(hidden_ + c * width, dhidden_ + c * width, x_[c], of_block);
    }
    add_row(sums, sums_, WeightGradients::size(network_));
  }

 private:
  void load(int64_t row, int64_t first, int64_t count) {
    copy_padded(x_, op_.mlp.x.row(row) + first, count);
    const int64_t rows = op_.mlp.x.extent(0);
    for (int64_t h = 0; h < network_.heads; ++h) {
      copy_padded(dtable_ + h * kBlock, op_.dtable.row(table_head(op_.mlp, h) * rows + row) + first, count);
    }
    std::fill(dtable_ + network_.heads * kBlock, dtable_ + network_.heads_padded * kBlock, 0.0f);
  }

  static float block_sum(const float* values) {
    simd::Vec sum = simd::load(values);
    for (int64_t c = simd::kLanes; c < kBlock; c += simd::kLanes) sum += simd::load(values + c);
    return simd::sum(sum);
  }

  // One column: adds to weight1 and bias1, and gives the gradient by x.
  float through_hidden(const float* hidden, const float* dhidden, float x, const WeightGradients& sums) const {
    simd::Vec dx{};
    for (int64_t k = 0; k < network_.width; k += simd::kLanes) {
      const simd::Vec d = simd::where_positive(simd::load(hidden + k), simd::load(dhidden + k));
      simd::store(sums.weight1 + k, simd::load(sums.weight1 + k) + d * x);
      simd::store(sums.bias1 + k, simd::load(sums.bias1 + k) + d);
      dx += d * simd::load(network_.weight1.data() + k);
    }
    return simd::sum(dx);
  }

  const MlpTableBackward& op_;
  const PaddedNetwork& network_;
  float* x_;        // [kBlock]
  float* dtable_;   // [heads_padded, kBlock]
  float* hidden_;   // [kBlock, width]
  float* dhidden_;  // [kBlock, width]
  float* sums_;     // WeightGradients of this block: blocks are summed on their own first, which loses less
};

}  // namespace

void CpuBackend::run(const MlpTableForward& op) {
  const PaddedNetwork network(op.mlp);
  const int64_t rows = op.mlp.x.extent(0);
  const int64_t table_columns = op.mlp.x.extent(1);
  parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
    float* x = float_scratch(ScratchSlot::tile, kBlock * (1 + network.units + network.heads_padded));
    float* hidden = x + kBlock;
    float* out = hidden + network.units * kBlock;
    for (int64_t r = begin; r < end; ++r) {
      const RowColumns columns = row_columns(op.mlp.row_columns, r, table_columns);
      for (int64_t done = 0; done < columns.count; done += kBlock) {
        const int64_t first = columns.from + done;
        const int64_t count = std::min(kBlock, columns.count - done);
        copy_padded(x, op.mlp.x.row(r) + first, count);
        hidden_by_unit(hidden, network, x);
        small_product<false>({out, kBlock, network.weight2.data(), network.width, 1, hidden, kBlock,
                              network.heads_padded, simd::round_up(count), network.units});
        for (int64_t h = 0; h < network.heads; ++h) {
          float* table = op.table.row(table_head(op.mlp, h) * rows + r) + first;
          const float* value = out + h * kBlock;
          const float bias = op.mlp.bias2(h);
#pragma omp simd
          for (int64_t c = 0; c < count; ++c) table[c] += value[c] + bias;
        }
      }
    }
  });
}

void CpuBackend::run(const MlpTableBackward& op) {
  const PaddedNetwork network(op.mlp);
  const int64_t rows = op.mlp.x.extent(0);
  const int64_t table_columns = op.mlp.x.extent(1);
  const int64_t grain = std::max<int64_t>(1, chunk_count(rows, kGradientChunks));
  const int64_t chunks = chunk_count(rows, grain);
  const int64_t size = WeightGradients::size(network);
  if (chunks == 0) return;
  partial_sums_.assign(static_cast<size_t>(chunks * size), 0.0f);

  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    float* sums = &partial_sums_[static_cast<size_t>(begin / grain * size)];
    BackwardBlock block(op, network, float_scratch(ScratchSlot::tile, BackwardBlock::scratch_size(network)));
    for (int64_t r = begin; r < end; ++r) {
      const RowColumns columns = row_columns(op.mlp.row_columns, r, table_columns);
      for (int64_t done = 0; done < columns.count; done += kBlock) {
        block.run(r, columns.from + done, std::min(kBlock, columns.count - done), sums);
      }
    }
  });

  float* total = partial_sums_.data();
  for (int64_t chunk = 1; chunk < chunks; ++chunk) add_row(total, total + chunk * size, size);
  const WeightGradients gradients(total, network);
  add_row(op.dweight1.data(), gradients.weight1, network.units);
  add_row(op.dbias1.data(), gradients.bias1, network.units);
  add_row(op.dbias2.data(), gradients.bias2, network.heads);
  for (int64_t h = 0; h < network.heads; ++h) {
    add_row(op.dweight2.row(h), gradients.weight2 + h * network.width, network.units);
  }
}

}  // namespace phasor
