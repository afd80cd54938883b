// What is left of encodings that need all logits of a head, where position or content is taken away.
#include <gtest/gtest.h>

#include <algorithm>

#include "ablation/sweep_case.h"
#include "phasor/ablation/token_means.h"

namespace phasor {
namespace dense_ablation_test {

using namespace testing_support;

ModelConfig causal_model(const char* encoding) {
  ModelConfig config = small_model(encoding);
  config.layers = 1;
  config.causal = true;
  return config;
}

void take_numbers(SweepCase& to, const SweepCase& from) {
  for (const Parameter& entry : to.data.layout.entries()) {
    for (const Parameter& same : from.data.layout.entries()) {
      if (same.name != entry.name) continue;
      std::copy_n(from.data.parameters.begin() + same.offset, same.size, to.data.parameters.begin() + entry.offset);
    }
  }
  to.model->load_parameters(to.data.parameters);
}

class DenseAblation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses dense terms";
  }
};

// With too few samples for positional parts, so that it takes away what the encoding does and nothing else.
TEST_F(DenseAblation, PositionOffIsTheModelWithoutThem) {
  for (const char* encoding : {"cope(max=3,init=0.5)", "path(rank=2)", "self_extend(group=2,window=2)",
                               "rerope(window=2)[heads=0]", "path(rank=2)[heads=1]+rope"}) {
    const SweepCase with(causal_model(encoding), 6);
    const ScoreTable table = with.sweep({.methods = {AblationMethod::position_off}, .samples = 6, .batch = 6});
    SweepCase without(causal_model("nope"), 6);
    take_numbers(without, with);
    EXPECT_EQ(table.of({0, AblationMethod::position_off, AblationExtent::whole, -1}), without.intact()) << encoding;
    EXPECT_NE(table.intact, without.intact()) << encoding;
  }
}

// What goes by the order of tokens keeps it, as the causal mask does: without rotations or biases there is nothing to
// shuffle. Scores are those of the same dense attention, bit for bit.
TEST_F(DenseAblation, PositionShuffledKeepsTheOrderOfTokens) {
  const Condition shuffled{0, AblationMethod::position_shuffled, AblationExtent::whole, -1};
  const SweepOptions options{.methods = {AblationMethod::position_shuffled}, .samples = 6, .batch = 6};
  for (const char* encoding : {"cope(max=3,init=0.5)", "path(rank=2)"}) {
    const ScoreTable table = SweepCase(causal_model(encoding), 6).sweep(options);
    EXPECT_EQ(table.of(shuffled), table.intact) << encoding;
  }
  for (const char* encoding : {"self_extend(group=2,window=2)", "cope(max=3,init=0.5)+alibi"}) {
    const ScoreTable table = SweepCase(causal_model(encoding), 6).sweep(options);
    EXPECT_NE(table.of(shuffled), table.intact) << encoding;
  }
}

TEST_F(DenseAblation, WithoutContentTokensReflectAlike) {
  const ScoreTable table = SweepCase(causal_model("path(rank=2)"), 6)
                               .sweep({.methods = {AblationMethod::content_off}, .samples = 6, .batch = 6});
  EXPECT_NE(table.of({0, AblationMethod::content_off, AblationExtent::whole, -1}), table.intact);
}

TEST(TokenMeans, AreThoseOfTheOtherSamples) {
  Batch batch;
  const int32_t tokens[] = {0, 0, 0}, target = 0;
  batch.append(tokens, 2, &target, 1, 0);
  batch.append(tokens, 3, &target, 1, 0);
  batch.finish();
  const std::vector<float> rows = {1, 10, 3, 20, 5, 0, 6, 3, 10, 0};  // [5, 2]
  TokenMeans means;
  means.add(batch, rows);
  EXPECT_EQ(means.others(rows.data(), 2), (std::vector<double>{7.0, 1.0}));
  EXPECT_EQ(means.others(rows.data() + 4, 3), (std::vector<double>{2.0, 15.0}));
  EXPECT_EQ(means.others(rows.data(), 5), (std::vector<double>{5.0, 6.6})) << "alone: its own";
  means.add(batch, {});
  EXPECT_EQ(means.others(rows.data(), 2), (std::vector<double>{7.0, 1.0}));
}

}  // namespace dense_ablation_test
}  // namespace phasor
