// Logits of encodings that need all of a head's: read back from the model's own queries and keys, and from others.
#include "phasor/spectrum/dense_terms.h"

#include <cmath>
#include <complex>

#include "linalg/matrices.h"
#include "spectrum/model_run.h"

namespace phasor::testing_support {
namespace dense_terms_test {

class DenseLogitsOfModels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses dense terms";
  }
  const ThreadGuard one_thread_{1};
};

ModelConfig causal(const char* encoding) {
  ModelConfig config = small_model(encoding);
  config.causal = true;
  return config;
}

// A model that was trained with rope, under self_extend and rerope, for the queries and keys of the first.
TEST_F(DenseLogitsOfModels, OfAnotherModelsQueriesAreThoseOfTheFormula) {
  ModelRun own(causal("rope(base=50)"), kRaggedLengths);
  const auto expect = [&](const char* encoding, const auto& distance) {
    ModelRun other(causal(encoding), kRaggedLengths);
    other.model.load_parameters(own.model.save_parameters());
    other.model.forward(other.data.batch);
    const LayerLogits layer = own.logits(1), swapped = other.logits(1);
    const int64_t n = layer.length(0), width = layer.width();
    const std::vector<HeadLogits> heads = swapped.sequence_with(0, layer.query_rows(0), layer.key_rows(0));
    for (int64_t h = 0; h < layer.heads(); ++h) {
      const HeadLogits& head = heads[static_cast<size_t>(h)];
      const Dense logits = head.logits();
      const double size = static_cast<double>(width) * head.scale * largest_magnitude(head.plain_query) *
                          largest_magnitude(head.plain_key);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          double expected = 0.0;
          for (int64_t c = 0; c < width / 2; ++c) {
            const double w = std::pow(50.0, -2.0 * static_cast<double>(c) / static_cast<double>(width));
            const double* q = layer.query_rows(0).row(i) + h * width + 2 * c;
            const double* k = layer.key_rows(0).row(j) + h * width + 2 * c;
            expected += (std::complex<double>(q[0], q[1]) * std::conj(std::complex<double>(k[0], k[1])) *
                         std::polar(1.0, w * static_cast<double>(distance(i, j))))
                            .real();
          }
          // Each product has two factors that were rounded to float, by half a unit in both parts.
          EXPECT_NEAR(logits(i, j), head.scale * expected, 4.0 * 0x1p-24 * size) << encoding << " " << i << " " << j;
        }
      }
      EXPECT_TRUE(head.gated);
    }
  };
  expect("self_extend(base=50,group=2,window=3)",
         [](int64_t i, int64_t j) { return i - j < 3 ? i - j : i / 2 - j / 2 + 2; });
  expect("rerope(base=50,window=4)", [](int64_t i, int64_t j) { return std::min<int64_t>(i - j, 4); });
}

// Of other queries and keys, gates are made anew: without queries every gate is half open and nothing is added.
TEST_F(DenseLogitsOfModels, PositionsByGatesGoByTheQueries) {
  ModelRun run(causal("cope(max=3,init=0.5)+alibi"), kRaggedLengths);
  const LayerLogits layer = run.logits(0);
  const Dense none(layer.length(0), layer.query_rows(0).extent(1));
  const std::vector<HeadLogits> silent = layer.sequence_with(0, none, layer.key_rows(0));
  const std::vector<HeadLogits> heads = layer.sequence(0);
  for (size_t h = 0; h < heads.size(); ++h) {
    bool differs = false;
    for (int64_t i = 0; i < layer.length(0); ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const double slope = silent[h].bias(1, 0);
        EXPECT_NEAR(silent[h].bias(i, j), slope * static_cast<double>(i - j), 1e-15 * std::abs(slope) * 10.0);
        differs = differs || heads[h].bias(i, j) != silent[h].bias(i, j);
      }
    }
    EXPECT_TRUE(differs) << h;
  }
}

TEST_F(DenseLogitsOfModels, OnlyHeadsThatHaveTheTermAreMarked) {
  ModelRun run(causal("path(rank=2)[heads=1]+rope"), kRaggedLengths);
  const std::vector<HeadLogits> heads = run.logits(1).sequence(0);
  for (size_t h = 0; h < heads.size(); ++h) {
    EXPECT_EQ(heads[h].gated, h == 1) << h;
    EXPECT_EQ(heads[h].bias.rows() > 0, h == 1) << h;
    EXPECT_FALSE(heads[h].rotary_pairs.empty()) << h;
  }
  EXPECT_TRUE(run.logits(1).has_dense_term(1));
  EXPECT_FALSE(run.logits(1).has_dense_term(0));
}

}  // namespace dense_terms_test
}  // namespace phasor::testing_support
