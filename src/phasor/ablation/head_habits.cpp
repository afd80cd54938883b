#include "phasor/ablation/head_habits.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/engine/key_mask.h"

namespace phasor {
namespace {

// Weights are fp32: a ratio of two that differs by less than this may be one of equals.
constexpr double kRounding = 8.0 * 0x1.0p-24;

// Sums over sequences. Distances j - i go from -reach to reach, in this order.
struct DistanceSums {
  std::vector<double> count;           // pairs
  std::vector<double> excess, square;  // of w - 1, and of its square
  double distance = 0.0, entropy = 0.0;

  explicit DistanceSums(int64_t reach)
      : count(static_cast<size_t>(2 * reach + 1)), excess(count.size()), square(count.size()) {}
};

// Of attention that is even over what the head sees.
struct EvenSums {
  double queries = 0.0, distance = 0.0, entropy = 0.0;

  void add(int64_t length, const KeyMask& mask) {
    for (int64_t i = 0; i < length; ++i) {
      const KeySpan seen = mask.seen_by(i, length);
      const int64_t keys = seen.end - seen.first, before = i - seen.first, after = seen.end - 1 - i;
      const auto twice = static_cast<double>(before * (before + 1) + after * (after + 1));  // the sum of |i - j|
      distance += twice / static_cast<double>(2 * keys);
      entropy += std::log(static_cast<double>(keys));
    }
    queries += static_cast<double>(length);
  }
};

// weights: [length, length] of one head.
void add(DistanceSums& sums, const float* weights, int64_t length, const KeyMask& mask) {
  const auto reach = static_cast<int64_t>(sums.count.size()) / 2;
  for (int64_t i = 0; i < length; ++i) {
    const KeySpan seen = mask.seen_by(i, length);
    const auto keys = static_cast<double>(seen.end - seen.first);
    for (int64_t j = seen.first; j < seen.end; ++j) {
      const auto weight = static_cast<double>(weights[i * length + j]);
      const double excess = weight * keys - 1.0;
      const auto place = static_cast<size_t>(reach + j - i);
      sums.count[place] += 1.0;
      sums.excess[place] += excess;
      sums.square[place] += excess * excess;
      sums.distance += weight * static_cast<double>(std::abs(j - i));
      if (weight > 0.0) sums.entropy -= weight * std::log(weight);
    }
  }
}

double distance_share(const DistanceSums& sums) {
  double pairs = 0.0, distances = 0.0, total = 0.0, rest = 0.0;
  for (size_t d = 0; d < sums.count.size(); ++d) {
    if (sums.count[d] == 0.0) continue;
    pairs += sums.count[d];
    distances += 1.0;
    total += sums.square[d];
    rest += sums.square[d] - sums.excess[d] * sums.excess[d] / sums.count[d];
  }
  if (total <= pairs * kRounding * kRounding) return 0.0;
  // One sequence of two tokens already has more pairs than distances; with single tokens alone attention is even.
  return 1.0 - (rest / (pairs - distances)) / (total / pairs);
}

void set_favourite(HeadHabit& habit, const DistanceSums& sums, double queries) {
  const auto reach = static_cast<int64_t>(sums.count.size()) / 2;
  for (int64_t far = 0; far <= reach; ++far) {
    for (const int64_t d : {-far, far}) {
      const auto place = static_cast<size_t>(reach + d);
      if (20.0 * sums.count[place] < queries) continue;
      const double gain = 1.0 + sums.excess[place] / sums.count[place];
      if (gain <= habit.favourite_gain * (1.0 + kRounding)) continue;
      habit.favourite = d;
      habit.favourite_gain = gain;
    }
  }
}

HeadHabit habit_of(const DistanceSums& sums, const EvenSums& even) {
  HeadHabit habit{.mean_distance = sums.distance / even.queries,
                  .even_distance = even.distance / even.queries,
                  .distance_share = distance_share(sums),
                  .entropy = sums.entropy / even.queries,
                  .even_entropy = even.entropy / even.queries};
  set_favourite(habit, sums, even.queries);
  return habit;
}

int64_t longest_of(const Dataset& data, int64_t samples) {
  int64_t longest = 1;
  for (int64_t i = 0; i < samples; ++i) longest = std::max(longest, data.length(i));
  return longest;
}

// Dense attention, one sequence at a time.
class WeightReader {
 public:
  WeightReader(Transformer& model, int64_t longest)
      : model_(model),
        memory_(
            model.backend().allocate(static_cast<size_t>(model.config().heads * longest * longest) * sizeof(float))) {}

  // [heads, length, length] of the batch of the last forward pass.
  const std::vector<float>& read(int64_t layer, int64_t sequence, int64_t length) {
    const int64_t heads = model_.config().heads;
    const View<float, 3> weights(static_cast<float*>(memory_.data()), heads, length, length);
    model_.backend().run(AttentionDenseForward{
        .sequence = static_cast<int32_t>(sequence), .weights = weights, .attention = model_.attention(layer)});
    values_.resize(static_cast<size_t>(weights.size()));
    model_.backend().copy_out(values_.data(), weights.data(), values_.size() * sizeof(float));
    return values_;
  }

 private:
  Transformer& model_;
  Memory memory_;
  std::vector<float> values_;
};

}  // namespace

std::vector<std::vector<HeadHabit>> head_habits(Transformer& model, const Dataset& data, int64_t samples,
                                                int64_t batch_size) {
  samples = std::min(samples, data.size());
  if (samples < 1 || batch_size < 1) fail_usage("habits of heads need at least one sample");
  const auto layers = static_cast<size_t>(model.config().layers), heads = static_cast<size_t>(model.config().heads);
  const auto mask_of = [&](size_t layer, size_t head) {
    const HeadMask& mask = model.encoding().layers[layer].masks[head];
    return KeyMask{model.config().causal, mask.window, mask.chunk};
  };
  const int64_t longest = longest_of(data, samples);
  std::vector<std::vector<DistanceSums>> sums(layers, std::vector<DistanceSums>(heads, DistanceSums(longest - 1)));
  std::vector<std::vector<EvenSums>> even(layers, std::vector<EvenSums>(heads));
  WeightReader reader(model, longest);
  for (int64_t first = 0; first < samples; first += batch_size) {
    Batch batch;
    for (int64_t i = first; i < std::min(first + batch_size, samples); ++i) data.append_to(batch, i);
    batch.finish();
    model.forward(batch);
    for (int64_t s = 0; s < batch.sequence_count(); ++s) {
      const int64_t length = data.length(first + s);
      for (size_t l = 0; l < layers; ++l) {
        const std::vector<float>& weights = reader.read(static_cast<int64_t>(l), s, length);
        for (size_t h = 0; h < heads; ++h) {
          const KeyMask mask = mask_of(l, h);
          even[l][h].add(length, mask);
          add(sums[l][h], weights.data() + static_cast<int64_t>(h) * length * length, length, mask);
        }
      }
    }
  }
  std::vector<std::vector<HeadHabit>> habits(layers);
  for (size_t l = 0; l < layers; ++l) {
    for (size_t h = 0; h < heads; ++h) habits[l].push_back(habit_of(sums[l][h], even[l][h]));
  }
  return habits;
}

}  // namespace phasor
