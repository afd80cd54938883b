#include "phasor/spectrum/position_means.h"

#include "linalg/matrices.h"
#include "phasor/engine/download.h"
#include "phasor/spectrum/model_spectrum.h"
#include "spectrum/model_run.h"

namespace phasor {
namespace position_means_test {

using namespace testing_support;

constexpr int64_t kColumns = 6;

// Lengths 4 to 12 in turn.
std::vector<int32_t> ragged_offsets(int64_t sequences) {
  std::vector<int32_t> offsets{0};
  for (int64_t s = 0; s < sequences; ++s) offsets.push_back(offsets.back() + 4 + static_cast<int32_t>(5 * s % 9));
  return offsets;
}

// Content of variance 1 around a mean, and a known position on top.
Dense planted(const std::vector<int32_t>& offsets, const Dense& positions) {
  Dense rows = random_matrix(offsets.back(), kColumns, 220, 3.0);
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int64_t r = offsets[s]; r < offsets[s + 1]; ++r) {
      for (int64_t c = 0; c < kColumns; ++c) rows(r, c) += positions(r - offsets[s], c);
    }
  }
  return rows;
}

TEST(PositionPart, FindsThePlantedPositions) {
  const std::vector<int32_t> offsets = ragged_offsets(900);
  const Dense positions = random_matrix(12, kColumns, 221);
  const Dense rows = planted(offsets, positions);
  for (const int64_t step : {int64_t{1}, int64_t{2}}) {
    const PositionPart part = position_part(rows, offsets, step - 1, step);
    ASSERT_EQ(part.positions(), 12);
    // What is found is the planted one less its mean over rows.
    std::vector<double> mean(kColumns);
    int64_t total = 0;
    for (int64_t i = 0; i < 12; ++i) total += part.counts[static_cast<size_t>(i)];
    for (int64_t i = 0; i < 12; ++i) {
      for (size_t c = 0; c < kColumns; ++c) {
        mean[c] +=
            static_cast<double>(part.counts[static_cast<size_t>(i)]) * positions.row(i)[c] / static_cast<double>(total);
      }
    }
    for (int64_t i = 0; i < 12; ++i) {
      const double deviation = 1.0 / std::sqrt(static_cast<double>(part.counts[static_cast<size_t>(i)]));
      for (size_t c = 0; c < kColumns; ++c) {
        EXPECT_NEAR(part.means.row(i)[c], positions.row(i)[c] - mean[c], 5.0 * deviation) << i;
      }
    }
    EXPECT_EQ(part.counts.front(), 900 / step);
    EXPECT_EQ(part.counts.back(), 100 / step);
  }
}

TEST(PositionPart, HasMeanZeroOverTheRows) {
  const std::vector<int32_t> offsets = ragged_offsets(30);
  const PositionPart part = position_part(planted(offsets, Dense(12, kColumns)), offsets);
  for (int64_t c = 0; c < kColumns; ++c) {
    double total = 0.0;
    for (int64_t i = 0; i < 12; ++i)
      total += static_cast<double>(part.counts[static_cast<size_t>(i)]) * part.means(i, c);
    EXPECT_NEAR(total, 0.0, 1e-12);
  }
}

TEST(PositionMeans, OfHalvesComeFromTheOtherHalf) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("sinusoidal"), {10, 4, 6, 8, 7});
  const LayerLogits layer = run.logits(0);
  const PositionMeans halves(layer, PositionEstimator::halves);
  const PositionPart even = position_part(layer.all_queries(), layer.offsets(), 0, 2);
  const PositionPart odd = position_part(layer.all_queries(), layer.offsets(), 1, 2);
  EXPECT_EQ(halves.queries(1).values(), copy_of(DenseView(even.means.data(), int64_t{4}, int64_t{12})).values());
  EXPECT_EQ(halves.queries(0).values(), odd.means.values());
  // No odd sequence has a ninth token.
  EXPECT_EQ(odd.counts[8], 0);
  EXPECT_EQ(odd.means(8, 0), 0.0);
  EXPECT_EQ(halves.well_known(), 7);  // two of three even ones have 7 tokens, one of two odd ones has 8
}

// W_Q of the stream's positional part is the queries' positional part.
TEST(PositionMeans, PassThroughTheProjection) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("sinusoidal"), kRaggedLengths);
  const LayerLogits layer = run.logits(0);
  const int64_t tokens = run.data.batch.token_count();
  Dense stream(tokens, 12);
  const std::vector<float> normed =
      download(test_backend(), run.model.activations().layers[0].attention_norm.y, tokens);
  std::copy(normed.begin(), normed.end(), stream.values().begin());
  Dense weight(12, 12);
  const LinearSlot slot = run.data.layout.layers[0].query;
  for (size_t i = 0; i < weight.values().size(); ++i) {
    weight.values()[i] = double{run.data.parameters[static_cast<size_t>(slot.weight) + i]};
  }
  const PositionPart of_stream = position_part(stream, layer.offsets());
  const PositionMeans of_queries(layer, PositionEstimator::all);
  // Queries are rounded to float after a sum of 13 terms.
  const double bound = 16.0 * 0x1p-24 * 13.0 * largest_magnitude(stream) * largest_magnitude(weight);
  EXPECT_LT(largest_difference(product_transposed(of_stream.means, weight), of_queries.query_part(0).means), bound);
}

// Tokens without positions: all that means find is noise, which `all` takes for position and `halves` does not.
TEST(PositionMeans, OfHalvesDoNotTakeNoiseForPosition) {
  const ThreadGuard one_thread(1);
  constexpr int kModels = 8, kSequences = 40;
  // The share of the first layer's logits that is not content with content, mean over models.
  const auto beside_content = [](PositionEstimator estimator) {
    double total = 0.0;
    for (uint64_t seed = 1; seed <= kModels; ++seed) {
      const ModelData data(small_model("nope"), std::vector<int32_t>(kSequences, 10), seed);
      Transformer model(test_backend(), data.config, data.encoding, options_for(data.batch, Dtype::f32));
      model.load_parameters(data.parameters);
      const std::vector<HeadMeasures> heads =
          measure_heads(model, data.batch, {.interaction = false, .estimator = estimator});
      for (size_t h = 0; h < 3; ++h) total += (1.0 - heads[h].shares.content_content) / (3.0 * kModels);
    }
    return total;
  };
  // The mean of 40 samples has 1 / 40 of their variance, in queries and in keys. A single model's share of a half
  // scatters by 0.017 (measured over 20 seeds), the mean of 8 by 0.006.
  EXPECT_NEAR(beside_content(PositionEstimator::all), 2.0 / kSequences, 0.02);
  EXPECT_NEAR(beside_content(PositionEstimator::halves), 0.0, 0.02);
  EXPECT_NEAR(beside_content(PositionEstimator::none), 0.0, 1e-13);
}

}  // namespace position_means_test
}  // namespace phasor
