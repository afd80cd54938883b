#pragma once
// What a model loses when the positional part of its residual stream is taken out. Of x, the stream at index i that
// enters a layer, p_i of position_fit.h is subtracted and the pass goes on from there. The yardstick is a random vector
// as long as p_i, likewise the same for all samples: what costs no more than that was not read as position.
//
// The stream that enters layer 0 is the embeddings. Where keys and values are made from them in every layer
// (KvSource::input), what is taken out there is taken out of those too, and what is taken out later is not.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "phasor/ablation/position_fit.h"
#include "phasor/model/transformer.h"
#include "phasor/task/dataset.h"

namespace phasor {

struct RemovalOptions {
  int64_t samples = 4096;  // the first ones of the set
  int64_t batch = 128;     // samples at once; no number depends on it
  int64_t draws = 5;       // of random vectors
  uint64_t seed = 0;
};

// Means over the samples.
struct RemovalScore {
  double loss = 0.0, accuracy = 0.0;

  bool operator==(const RemovalScore&) const = default;
};

// A mean with its 95 % interval.
struct RemovalExcess {
  double value = 0.0, low = 0.0, high = 0.0;

  bool operator==(const RemovalExcess&) const = default;
};

struct LayerRemoval {
  int64_t layer = 0;
  RemovalScore means;  // without p_i
  // Without P(i), which the encoding has added to the embeddings; none where it adds nothing.
  std::optional<RemovalScore> input_term;
  std::vector<RemovalScore> random;  // one per draw
  // Loss without p_i less the mean loss of the draws. Samples and draws are both a sample: the interval has the spread
  // of the paired differences and that between the draws.
  RemovalExcess excess;
  double norm_share = 0.0;  // mean |p_i|^2 / mean |x - mean x|^2, over tokens; 0 where x is the same everywhere

  bool operator==(const LayerRemoval&) const = default;
};

struct StreamRemoval {
  RemovalScore intact;
  std::vector<LayerRemoval> layers;

  bool operator==(const StreamRemoval&) const = default;
};

// Nothing when `progress`, which is given the share of the work that is done, returns false. Throws UsageError where
// there are no samples. Parameters are left alone; activations() afterwards are those of a pass with something removed.
std::optional<StreamRemoval> remove_positions(Transformer& model, const Dataset& data, const RemovalOptions& options,
                                              const std::function<bool(double share)>& progress = {});

// p of every token of a batch whose first sequence is sample `first`: [tokens, columns].
std::vector<double> position_parts(const PositionFit& fit, const Batch& batch, int64_t first);

// For every token of a batch a vector as long as its row of `parts`, in a direction that the seed, the layer, the draw
// and the token's index decide: [tokens, columns].
std::vector<double> random_parts(const Batch& batch, const std::vector<double>& parts, uint64_t seed, int64_t layer,
                                 int64_t draw);

}  // namespace phasor
