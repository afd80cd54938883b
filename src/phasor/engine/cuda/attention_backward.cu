// The backward pass of attention: what a row gives back to the softmax, then kernels for queries, for keys and values
// and for distances, then the sums of shares in order.
#include <algorithm>

#include "phasor/engine/cuda/attention.h"
#include "phasor/engine/cuda/attention_gradients.h"
#include "phasor/engine/cuda/attention_short.h"

namespace phasor::cuda {
namespace {

constexpr int kThreads = 256;

constexpr int kLanesPerDot = 8;
constexpr int kDotsPerWarp = kWarp / kLanesPerDot;

// D[token, head] = <dout, out>; eight lanes take one, so that narrow heads keep a warp busy.
template <class Out, class Dout>
__global__ void __launch_bounds__(kThreads) taken_back(const __grid_constant__ AttentionBackward op, float* taken) {
  const int64_t heads = op.attention.shape.heads;
  const int width = op.attention.shape.value_width;
  const int64_t count = *op.attention.sequences.tokens * heads;
  const int lane = this_lane() % kLanesPerDot;
  // Whole warps go through the loop together: they exchange sums.
  for (int64_t base = grid_first() / kWarp * kDotsPerWarp; base < count; base += grid_step() / kWarp * kDotsPerWarp) {
    const int64_t i = base + this_lane() / kLanesPerDot;
    float sum = 0.0f;
    if (i < count) {
      const Dout* dout = op.dout.row<Dout>(i / heads) + i % heads * width;
      const Out* out = op.out.row<Out>(i / heads) + i % heads * width;
      for (int c = lane; c < width; c += kLanesPerDot) sum = fmaf(to_float(dout[c]), to_float(out[c]), sum);
    }
    for (int step = kLanesPerDot / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
    if (i < count && lane == 0) taken[i] = sum;
  }
}

// to[t][c] = the sum of the heads' shares [heads, capacity, width], in order.
__global__ void __launch_bounds__(kThreads)
    add_heads(Matrix to, const float* shares, int64_t heads, int64_t capacity, const int32_t* tokens) {
  const int64_t width = to.columns();
  const int64_t count = *tokens * width;
  for (int64_t i = grid_first(); i < count; i += grid_step()) {
    float sum = 0.0f;
    for (int64_t h = 0; h < heads; ++h) sum += shares[h * capacity * width + i];
    write_at(to, i / width, i % width, sum);
  }
}

// A block takes one entry of dfrequency: its threads share the tiles, then their sums are added in a tree.
__global__ void __launch_bounds__(kThreads)
    add_tiles(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch, const AttentionTile* tiles,
              const int32_t* tile_count) {
  const Attention& a = op.attention;
  const RotationTable& rotation = a.rotation;
  const int64_t pairs = op.dfrequency.extent(1);
  const int64_t row = blockIdx.x / pairs;
  const int64_t axis = row % rotation.axes;
  const int64_t set = row / rotation.axes % rotation.sets;
  const int64_t table = row / rotation.axes / rotation.sets;
  const int64_t share = rotation.axes * pairs;
  const int64_t entry = axis * pairs + blockIdx.x % pairs;
  double sum = 0.0;
  for (int64_t t = threadIdx.x; t < *tile_count; t += kThreads) {
    if (HeadPlace::table_of(rotation.sequence_table, tiles[t].sequence) != table) continue;
    for (int64_t h = 0; h < a.shape.heads; ++h) {
      if (rotation.head_set(h) != set) continue;
      const int64_t at = (t * a.shape.heads + h) * share + entry;
      sum += scratch.query_frequencies[at] + scratch.key_frequencies[at];
    }
  }
  __shared__ double warps[kThreads / kWarp];
  sum = warp_sum(sum);
  if (this_lane() == 0) warps[this_warp()] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float& to = op.dfrequency(row, blockIdx.x % pairs);
  double total = to;
  for (const double warp : warps) total += warp;
  to = static_cast<float>(total);
}

// Runs of tiles that have a table of distances each: enough to fill the device, fewer where tables are large.
int64_t distance_runs(int64_t table_floats, int64_t tiles) {
  constexpr int64_t kMostRuns = 64;
  constexpr int64_t kMostFloats = int64_t{1} << 25;
  return std::min(std::clamp<int64_t>(kMostFloats / std::max<int64_t>(table_floats, 1), 1, kMostRuns), tiles);
}

}  // namespace

void add_frequencies(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                     const CudaContext& context) {
  add_tiles<<<static_cast<unsigned>(op.dfrequency.size()), kThreads, 0, context.stream>>>(op, scratch, tiles.list(),
                                                                                          tiles.count());
  PHASOR_CUDA_LAUNCHED();
}

namespace {

// Sequences of more than `longer_than` tokens, but for the shares of heads in shared channels.
void backward_tiles(const AttentionBackward& op, BackwardScratch scratch, int longer_than, const CudaContext& context) {
  const Attention& a = op.attention;
  const AttentionShape& shape = a.shape;
  const int64_t tokens = a.sequences.positions.extent(0);
  const bool tensor = takes_tensor_cores(a);
  int rows = 0;
  with_heads(shape, [&]<class Heads>(Heads) { rows = BlockShape<Heads>::kRows; });
  const AttentionTiles tiles(a.sequences, tensor ? kHeadRows : rows, longer_than, context);

  const bool frequencies = !op.dfrequency.empty() && !a.rotation.query.empty();
  const int64_t frequency_share =
      frequencies ? tiles.capacity() * shape.heads * a.rotation.axes * op.dfrequency.extent(1) : 0;
  const int64_t runs = op.dbias.empty() ? 0 : distance_runs(op.dbias.size(), tiles.capacity());
  const ScratchArray<float> taken(context, tokens * shape.heads);
  const ScratchArray<double> by_frequency(context, 2 * frequency_share);
  const ScratchArray<float> distances(context, runs * op.dbias.size());
  scratch.taken = taken.data();
  if (frequencies) {
    scratch.query_frequencies = by_frequency.data();
    scratch.key_frequencies = by_frequency.data() + frequency_share;
  }
  scratch.distances = distances.data();
  scratch.chunks = runs;

  with_element(op.out.dtype(), [&]<class Out>(Out*) {
    with_element(op.dout.dtype(), [&]<class Dout>(Dout*) {
      taken_back<Out, Dout>
          <<<grid_of(tokens * shape.heads, kThreads / kLanesPerDot), kThreads, 0, context.stream>>>(op, scratch.taken);
    });
  });
  PHASOR_CUDA_LAUNCHED();
  if (tensor) {
    tensor_backward_queries(op, scratch, tiles, context);
    tensor_backward_keys(op, scratch, tiles, context);
  } else {
    backward_queries(op, scratch, tiles, context);
    backward_keys(op, scratch, tiles, context);
  }
  if (runs > 0) {
    if (tensor) {
      tensor_backward_distances(op, scratch, tiles, context);
    } else {
      backward_distances(op, scratch, tiles, context);
    }
    add_distances(op, scratch, context);
  }
  if (frequencies) add_frequencies(op, scratch, tiles, context);
}

}  // namespace

void attention_backward(const AttentionBackward& op, const CudaContext& context) {
  const Attention& a = op.attention;
  const AttentionShape& shape = a.shape;
  const int64_t tokens = a.sequences.positions.extent(0);
  if (tokens == 0) return;
  const bool brief = takes_short(op);
  const int64_t by_distance =
      brief && !op.dbias.empty() ? sequence_bound(a.sequences) * shape.heads * kShortDistances : 0;
  const ScratchArray<float> dshared_query(context, shape.heads * tokens * shape.shared_query_width);
  const ScratchArray<float> dshared_key(context, shape.key_heads * tokens * shape.shared_key_width);
  const ScratchArray<float> short_distances(context, by_distance);
  BackwardScratch scratch;
  scratch.dshared_query = dshared_query.data();
  scratch.dshared_key = dshared_key.data();
  scratch.short_distances = short_distances.data();
  if (brief) {
    short_backward(op, scratch, context);
    if (by_distance > 0) add_short_distances(op, scratch, context);
  }
  if (!brief || !are_short(a.sequences)) backward_tiles(op, scratch, brief ? kShortRows : 0, context);

  const auto add_shares = [&](const Matrix& to, const float* shares, int64_t heads) {
    if (to.empty()) return;
    add_heads<<<grid_of(tokens * to.columns(), kThreads), kThreads, 0, context.stream>>>(to, shares, heads, tokens,
                                                                                         a.sequences.tokens);
    PHASOR_CUDA_LAUNCHED();
  };
  add_shares(op.dshared_query, scratch.dshared_query, shape.heads);
  add_shares(op.dshared_key, scratch.dshared_key, shape.key_heads);
}

}  // namespace phasor::cuda
