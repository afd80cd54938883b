#include "phasor/spectrum/additive_states.h"

#include "linalg/matrices.h"
#include "phasor/linalg/lapack.h"
#include "spectrum/model_run.h"

namespace phasor {
namespace additive_states_test {

using namespace testing_support;

constexpr int64_t kTokens = 7, kPlaces = 9, kWidth = 5;

// Tokens drawn at every place of many sequences: cells of unequal counts.
struct Drawn {
  std::vector<int32_t> tokens, positions;
  int64_t rows() const { return static_cast<int64_t>(tokens.size()); }
};

Drawn draw(int64_t sequences) {
  Draws draws({.seed = 4, .purpose = Purpose::test, .site = 240});
  Drawn result;
  for (int64_t s = 0; s < sequences; ++s) {
    for (int32_t p = 0; p < kPlaces; ++p) {
      // Low places prefer low tokens, so that the two factors overlap.
      result.tokens.push_back(static_cast<int32_t>(draws.below(p < 4 ? 5 : kTokens)));
      result.positions.push_back(p);
    }
  }
  return result;
}

struct Strength {
  double token = 1.0, position = 1.0, interaction = 0.0, context = 0.0;
};

Dense states(const Drawn& drawn, const Strength& strength) {
  const Dense token = random_matrix(kTokens, kWidth, 241), position = random_matrix(kPlaces, kWidth, 242);
  const Dense cell = random_matrix(kTokens * kPlaces, kWidth, 243), noise = random_matrix(drawn.rows(), kWidth, 244);
  return made(drawn.rows(), kWidth, [&](int64_t r, int64_t c) {
    const int64_t t = drawn.tokens[static_cast<size_t>(r)], p = drawn.positions[static_cast<size_t>(r)];
    return 2.0 + strength.token * token(t, c) + strength.position * position(p, c) +
           strength.interaction * cell(t * kPlaces + p, c) + strength.context * noise(r, c);
  });
}

TEST(AdditiveStates, OfExactSumsHaveNoInteractionAndNoContext) {
  const Drawn drawn = draw(60);
  const AdditiveStates found = additive_states(states(drawn, {}), drawn.tokens, drawn.positions);
  ASSERT_TRUE(found.defined);
  EXPECT_NEAR(found.interaction, 0.0, 1e-13);
  EXPECT_NEAR(found.context, 0.0, 1e-13);
  EXPECT_NEAR(found.token + found.position, 1.0, 1e-13);
  EXPECT_GT(found.token, 0.2);
  EXPECT_GT(found.position, 0.2);
  EXPECT_EQ(found.position_freedom, kPlaces - 1);
  EXPECT_EQ(found.interaction_freedom, found.cells - kTokens - (kPlaces - 1));
}

TEST(AdditiveStates, OfNoiseOnSumsShowInteractionOnlyByChance) {
  const Drawn drawn = draw(60);
  const AdditiveStates found = additive_states(states(drawn, {.context = 1.0}), drawn.tokens, drawn.positions);
  EXPECT_LT(std::abs(found.interaction), 3.0 * found.interaction_deviation);
  EXPECT_LT(found.interaction_deviation, 0.02);
  EXPECT_NEAR(found.token + found.position + found.interaction + found.context, 1.0, 1e-13);
  // Nothing but noise is context: the effects have expectation 0.
  const AdditiveStates noise = additive_states(states(drawn, {0.0, 0.0, 0.0, 1.0}), drawn.tokens, drawn.positions);
  EXPECT_NEAR(noise.token, 0.0, 0.03);
  EXPECT_NEAR(noise.position, 0.0, 0.03);
  EXPECT_NEAR(noise.context, 1.0, 0.06);
}

TEST(AdditiveStates, FindTheInteractionThatWasPutIn) {
  const Drawn drawn = draw(400);
  const Dense with = states(drawn, {.interaction = 0.7, .context = 1.0});
  const AdditiveStates found = additive_states(with, drawn.tokens, drawn.positions);
  // Variances 1 : 1 : 0.49 : 1 for an even draw; effects are few numbers, so theirs scatter.
  EXPECT_GT(found.interaction, 20.0 * found.interaction_deviation);
  EXPECT_NEAR(found.interaction / found.context, 0.49, 0.12);
}

// The same by least squares on indicator columns.
TEST(AdditiveStates, AgreeWithLeastSquares) {
  const Drawn drawn = draw(40);
  const Dense x = states(drawn, {.interaction = 0.5, .context = 0.5});
  const AdditiveStates found = additive_states(x, drawn.tokens, drawn.positions);
  ASSERT_EQ(found.used_rows, found.rows) << "this comparison needs every cell to occur twice";
  Dense design(drawn.rows(), kTokens + kPlaces);
  for (int64_t r = 0; r < drawn.rows(); ++r) {
    design(r, drawn.tokens[static_cast<size_t>(r)]) = 1.0;
    design(r, kTokens + drawn.positions[static_cast<size_t>(r)]) = 1.0;
  }
  // The squared length of the rows' projection on the span of the columns.
  const auto explained = [&](DenseView columns) {
    const Dense fitted = product(columns, least_squares(columns, x, 1e-12).solution);
    double total = 0.0;
    for (const double value : fitted.values()) total += value * value;
    return total;
  };
  const double token = explained(design.view().last_range(0, kTokens));
  const double both = explained(design);
  const double mean_square =
      found.context * found.total / static_cast<double>(found.used_rows - 1);  // by the definition of context
  const double position = found.position * found.total + static_cast<double>(kPlaces - 1) * mean_square;
  EXPECT_NEAR(position, both - token, 1e-10 * both);
}

TEST(AdditiveStates, LeaveCellsThatOccurOnceOut) {
  const Dense x = random_matrix(5, 2, 245);
  const AdditiveStates one = additive_states(x, {1, 1, 2, 3, 4}, {0, 0, 0, 0, 0});
  EXPECT_EQ(one.used_rows, 2);
  EXPECT_FALSE(one.defined);
  const AdditiveStates two = additive_states(x, {1, 1, 2, 2, 4}, {0, 0, 0, 0, 0});
  EXPECT_EQ(two.used_rows, 4);
  EXPECT_TRUE(two.defined);
  EXPECT_EQ(two.interaction_freedom, 0);
  EXPECT_EQ(error_of([&] {
              additive_states(x, {1, 2}, {0, 0});
            }),
            "5 hidden states with 2 tokens and 2 positions: one of each is needed");
}

// Token and place that never meet others: the places' effects cannot be told from the tokens'.
TEST(AdditiveStates, CountOnlyWhatPlacesCanTell) {
  const Dense x = random_matrix(8, 2, 246);
  const AdditiveStates found = additive_states(x, {1, 1, 2, 2, 3, 3, 3, 3}, {0, 0, 1, 1, 2, 2, 3, 3});
  EXPECT_EQ(found.position_freedom, 1);
  EXPECT_EQ(found.interaction_freedom, 0);
}

TEST(StreamStates, OfEmbeddingsAreTokenPlusPosition) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("sinusoidal"), std::vector<int32_t>(60, 10));
  const std::vector<StreamStates> layers = stream_states(run.model, run.data.batch);
  ASSERT_EQ(layers.size(), 3u);
  const AdditiveStates& first = layers[0].stream;
  EXPECT_NEAR(first.token + first.position, 1.0, 1e-12);
  EXPECT_GT(first.position, 0.1);
  // Embedding and input term are added in float: cells are exact copies, their interaction is a rounding.
  EXPECT_NEAR(first.context, 0.0, 1e-12);
  EXPECT_NEAR(first.interaction, 0.0, 1e-12);
  EXPECT_GT(layers[1].stream.context, 0.01);
  // The norm divides by a length that depends on both.
  EXPECT_GT(layers[0].normed.interaction, 1e-3);
  EXPECT_TRUE(layers[2].normed.defined);
}

}  // namespace additive_states_test
}  // namespace phasor
