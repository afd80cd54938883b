#include "phasor/spectrum/interaction.h"

#include "linalg/matrices.h"
#include "spectrum/model_run.h"

namespace phasor {
namespace interaction_test {

using namespace testing_support;

TEST(Interaction, OfAnAdditiveTableIsNone) {
  const Dense rows = random_matrix(30, 1, 230), columns = random_matrix(20, 1, 231);
  const Interaction found =
      interaction(made(30, 20, [&](int64_t r, int64_t c) { return 4.0 + rows(r, 0) + columns(c, 0); }));
  EXPECT_TRUE(found.defined);
  EXPECT_LT(found.share, 1e-28);
  EXPECT_NEAR(found.content + found.offset, 1.0, 1e-13);
}

// Balanced signs: a_r + 2 b_c + 3 a_r b_c has squares in the ratio 1 : 4 : 9.
TEST(Interaction, OfSignsIsWhatWasPutIn) {
  const auto sign = [](int64_t i) { return i % 2 == 0 ? 1.0 : -1.0; };
  const Interaction found = interaction(
      made(8, 6, [&](int64_t r, int64_t c) { return 7.0 + sign(r) + 2.0 * sign(c) + 3.0 * sign(r) * sign(c); }));
  EXPECT_NEAR(found.content, 1.0 / 14.0, 1e-14);
  EXPECT_NEAR(found.offset, 4.0 / 14.0, 1e-14);
  EXPECT_NEAR(found.share, 9.0 / 14.0, 1e-14);
  EXPECT_NEAR(found.total, 14.0 * 48.0, 1e-11);
  EXPECT_FALSE(interaction(made(8, 6, [](int64_t, int64_t) { return 0.1; })).defined);
}

// Two tables with independent noise on additive effects: products between them have none of it on average.
TEST(Interaction, OfTwoTablesLeavesTheirNoiseOut) {
  const Dense effects = random_matrix(60, 1, 232);
  const auto table = [&](uint32_t site) {
    const Dense noise = random_matrix(60, 40, site);
    return made(60, 40, [&](int64_t r, int64_t c) { return effects(r, 0) + noise(r, c); });
  };
  const Dense first = table(233), second = table(234);
  EXPECT_GT(interaction(first).share, 0.4);
  EXPECT_NEAR(interaction(first, second).share, 0.0, 4.0 / std::sqrt(60.0 * 40.0));
}

std::vector<Interaction> measured(const char* encoding, PositionEstimator estimator, bool causal = false) {
  const ThreadGuard one_thread(1);
  ModelConfig config = small_model(encoding);
  config.causal = causal;
  ModelRun run(config, std::vector<int32_t>(60, 10));
  const LayerLogits layer = run.logits(0);
  const PositionMeans means(layer, estimator);
  InteractionSetting setting = usual_interaction(layer, means);
  EXPECT_EQ(setting.offsets, 10);
  EXPECT_EQ(setting.anchor, causal ? 9 : 5);
  setting.stream = {.seed = 3, .purpose = Purpose::test};
  return layer_interaction(layer, means, setting);
}

TEST(LayerInteraction, OfAddedBiasesIsNone) {
  for (const char* encoding : {"alibi", "nope", "relative", "kerple(log)"}) {
    for (const Interaction& head : measured(encoding, PositionEstimator::none)) {
      EXPECT_TRUE(head.defined);
      EXPECT_LT(std::abs(head.share), 1e-26) << encoding;
    }
  }
  for (const Interaction& head : measured("fire(hidden=6)", PositionEstimator::none, true)) {
    EXPECT_LT(std::abs(head.share), 1e-26);
  }
}

TEST(LayerInteraction, OfRotationsIsThere) {
  for (const char* encoding : {"rope", "mla"}) {
    for (const Interaction& head : measured(encoding, PositionEstimator::none)) {
      EXPECT_GT(head.share, 0.02) << encoding;
      EXPECT_NEAR(head.share + head.content + head.offset, 1.0, 1e-12);
    }
  }
}

TEST(LayerInteraction, OfPositionsInsideQueriesAndKeysIsThere) {
  for (const Interaction& head : measured("sinusoidal", PositionEstimator::halves)) EXPECT_GT(head.share, 0.02);
  // Beside which the noise of estimated positions is little.
  for (const Interaction& head : measured("alibi", PositionEstimator::halves)) EXPECT_NEAR(head.share, 0.0, 0.02);
}

TEST(LayerInteraction, NeedsPlacesThatAreSeen) {
  const ThreadGuard one_thread(1);
  ModelConfig config = small_model("rope");
  config.causal = true;
  ModelRun run(config, {10, 10});
  const LayerLogits layer = run.logits(0);
  const PositionMeans means(layer);
  EXPECT_EQ(error_of([&] { layer_interaction(layer, means, {.offsets = 6, .anchor = 4}); }),
            "a causal query at place 4 does not see 6 keys");
  EXPECT_EQ(error_of([&] { layer_interaction(layer, means, {.offsets = 11, .anchor = 9}); }),
            "11 offsets around place 9 do not fit into a sequence of 10");
}

}  // namespace interaction_test
}  // namespace phasor
