#include "phasor/ablation/head_habits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ablation/sweep_case.h"
#include "model/thread_guard.h"
#include "phasor/base/error.h"
#include "phasor/spectrum/layer_logits.h"
#include "support/backend.h"

namespace phasor {
namespace head_habits_test {

using testing_support::model_case;
using testing_support::ModelCase;
using testing_support::small_model;
using testing_support::SweepCase;
using testing_support::ThreadGuard;

constexpr double kFloatRounding = 0x1.0p-24;

// All samples as long as can be.
void make_lengths_equal(SweepCase& tested) {
  Draws draws({.seed = 8, .purpose = Purpose::test, .site = 41});
  const int64_t count = tested.samples.size();
  tested.samples = Dataset();
  for (int64_t s = 0; s < count; ++s) {
    Sample sample{.tokens = {}, .targets = {0}};
    for (int64_t i = 0; i < tested.data.config.max_length; ++i) {
      sample.tokens.push_back(static_cast<int32_t>(draws.below(static_cast<uint32_t>(tested.data.config.vocabulary))));
    }
    tested.samples.append(sample);
  }
}

// Queries that do not depend on the token; without a bias they are 0.
void make_queries_constant(SweepCase& tested, bool keep_bias) {
  for (const LayerSlots& layer : tested.data.layout.layers) {
    const auto at = [&](int64_t offset) { return tested.data.parameters.begin() + offset; };
    std::fill_n(at(layer.query.weight), layer.query.out * layer.query.in, 0.0f);
    if (!keep_bias) std::fill_n(at(layer.query.bias), layer.query.out, 0.0f);
  }
  tested.model->load_parameters(tested.data.parameters);
}

// Attends by the bias alone, over sequences of one length.
SweepCase bias_case(const std::string& formula, int64_t length, int64_t samples) {
  ModelConfig config = small_model("bias(\"" + formula + "\")");
  config.max_length = length;
  SweepCase tested(config, samples);
  make_lengths_equal(tested);
  make_queries_constant(tested, false);
  return tested;
}

// Head h of layer l looks k = h + l tokens back, and to the first token where there is none so far back: every row of w
// has one n and n - 1 times 0, its squares about 1 sum up to n (n - 1). Distance -k has n - k times n and so no
// variance; distance -e, e < k, has one n among n - e pairs.
TEST(HeadHabits, OfAHeadThatLooksBackByAFixedDistance) {
  const ThreadGuard one_thread(1);
  const int64_t length = 40, samples = 4;
  const SweepCase tested = bias_case("-50*abs(d+h+l)", length, samples);
  const auto habits = head_habits(*tested.model, tested.samples, samples, 3);
  ASSERT_EQ(habits.size(), 2u);
  const auto n = static_cast<double>(length), pairs = n * n * static_cast<double>(samples);
  for (int64_t l = 0; l < 2; ++l) {
    ASSERT_EQ(habits[static_cast<size_t>(l)].size(), 3u);
    for (int64_t h = 0; h < 3; ++h) {
      const HeadHabit& habit = habits[static_cast<size_t>(l)][static_cast<size_t>(h)];
      const int64_t back = h + l;
      const auto k = static_cast<double>(back);
      double rest = 0.0;
      for (int64_t e = 0; e < back; ++e) rest += 1.0 - 1.0 / (n - static_cast<double>(e));
      EXPECT_EQ(habit.favourite, -back);
      EXPECT_NEAR(habit.favourite_gain, n, 1e-12);
      EXPECT_NEAR(habit.mean_distance, (k * (n - k) + k * (k - 1.0) / 2.0) / n, 1e-12);
      EXPECT_NEAR(habit.distance_share, 1.0 - rest / (n - 1.0) * pairs / (pairs - (2.0 * n - 1.0)), 1e-12);
      EXPECT_GT(habit.distance_share, 0.9);
      EXPECT_NEAR(habit.entropy, 0.0, 1e-12);
      EXPECT_NEAR(habit.even_distance, (n * n - 1.0) / (3.0 * n), 1e-12);
      EXPECT_NEAR(habit.even_entropy, std::log(n), 1e-12);
    }
  }
}

// Of 40 queries one has a key 39 ahead, and two have one 38 ahead: a twentieth.
TEST(HeadHabits, CallADistanceFavouriteOnlyWhereATwentiethOfQueriesHasIt) {
  const ThreadGuard one_thread(1);
  const SweepCase rare = bias_case("50*(d==39)", 40, 3);
  const HeadHabit without = head_habits(*rare.model, rare.samples, 3, 3)[0][0];
  EXPECT_EQ(without.favourite, -1);  // query 0, which has no keys behind it, takes from all other distances
  EXPECT_NEAR(without.favourite_gain, 1.0, 2.0 * kFloatRounding);
  const SweepCase enough = bias_case("50*(d==38)", 40, 3);
  const HeadHabit with = head_habits(*enough.model, enough.samples, 3, 3)[0][0];
  EXPECT_EQ(with.favourite, 38);
  EXPECT_NEAR(with.favourite_gain, 40.0, 1e-12);
}

// A query's weights are all the fp32 number nearest to 1 / (its keys).
TEST(HeadHabits, OfEvenAttentionAreThoseOfEvenAttention) {
  const ThreadGuard one_thread(1);
  for (const bool causal : {false, true}) {
    ModelConfig config = small_model("nope");
    config.causal = causal;
    SweepCase tested(config, 13);
    make_queries_constant(tested, false);
    // Over a sequence: (n^2 - 1) / 3n, or the mean of i / 2.
    double queries = 0.0, distance = 0.0, entropy = 0.0;
    for (int64_t s = 0; s < tested.samples.size(); ++s) {
      const auto n = static_cast<double>(tested.samples.length(s));
      queries += n;
      distance += causal ? n * (n - 1.0) / 4.0 : (n * n - 1.0) / 3.0;
      entropy += causal ? std::lgamma(n + 1.0) : n * std::log(n);
    }
    for (const std::vector<HeadHabit>& layer : head_habits(*tested.model, tested.samples, 13, 5)) {
      for (const HeadHabit& habit : layer) {
        EXPECT_NEAR(habit.even_distance, distance / queries, 1e-13);
        EXPECT_NEAR(habit.even_entropy, entropy / queries, 1e-13);
        EXPECT_NEAR(habit.mean_distance, habit.even_distance, kFloatRounding * habit.even_distance);
        EXPECT_NEAR(habit.entropy, habit.even_entropy, kFloatRounding * (habit.even_entropy + 1.0));
        EXPECT_EQ(habit.distance_share, 0.0);
        EXPECT_EQ(habit.favourite, 0);
        EXPECT_NEAR(habit.favourite_gain, 1.0, kFloatRounding);
      }
    }
  }
}

// Even attention over a window is even attention: distance explains nothing of it. One head has a window of two tokens,
// one chunks of three, one sees all.
TEST(HeadHabits, OfEvenAttentionWithinMasksAreThoseOfEvenAttention) {
  const ThreadGuard one_thread(1);
  SweepCase tested(small_model("nope[heads=0,window=2]+nope[heads=1,chunk=3]"), 1);
  make_lengths_equal(tested);
  make_queries_constant(tested, false);
  const auto n = static_cast<double>(tested.samples.length(0));
  const std::vector<HeadHabit> heads = head_habits(*tested.model, tested.samples, 1, 1)[0];
  ASSERT_EQ(heads.size(), 3u);
  // The first and the last query see two keys, all others three, one of which is their own.
  EXPECT_NEAR(heads[0].even_distance, (2.0 * 0.5 + (n - 2.0) * 2.0 / 3.0) / n, 1e-13);
  EXPECT_NEAR(heads[0].even_entropy, (2.0 * std::log(2.0) + (n - 2.0) * std::log(3.0)) / n, 1e-13);
  // Whole chunks: (1 + 2 + 1 + 1 + 2 + 1) / 9 tokens away, and the last chunk may be short.
  const int64_t rest = tested.samples.length(0) % 3;
  const double whole = n - static_cast<double>(rest);
  EXPECT_NEAR(heads[1].even_distance, (whole * 8.0 / 9.0 + (rest == 2 ? 1.0 : 0.0)) / n, 1e-13);
  EXPECT_NEAR(heads[2].even_distance, (n * n - 1.0) / (3.0 * n), 1e-13);
  for (const HeadHabit& habit : heads) {
    EXPECT_NEAR(habit.mean_distance, habit.even_distance, kFloatRounding * habit.even_distance);
    EXPECT_NEAR(habit.entropy, habit.even_entropy, kFloatRounding * (habit.even_entropy + 1.0));
    EXPECT_EQ(habit.distance_share, 0.0);
    EXPECT_EQ(habit.favourite, 0);
    EXPECT_NEAR(habit.favourite_gain, 1.0, kFloatRounding);
  }
}

// Where all queries are equal, w_ij is a function of the token at j, which is drawn: of one distance every token has
// one pair at most, and mean_d w is off from 1 as a mean of n_d independent values is, or less because a row's sum is
// fixed. So n_d (mean_d w - 1)^2 is on average at most the variance of w, and the unadjusted share at most distances /
// pairs. The distances' means go together, which leaves few degrees of freedom: 25 times that is five deviations of
// one.
TEST(HeadHabits, OfAttentionToWordsHaveNoDistance) {
  const ThreadGuard one_thread(1);
  const int64_t samples = 200;
  const auto case_with = [&](const char* encoding) {
    SweepCase tested(small_model(encoding), samples);
    make_lengths_equal(tested);
    make_queries_constant(tested, true);
    for (const LayerSlots& layer : tested.data.layout.layers) {  // strong preferences
      for (int64_t k = 0; k < layer.query.out; ++k)
        tested.data.parameters[static_cast<size_t>(layer.query.bias + k)] *= 6.0f;
    }
    tested.model->load_parameters(tested.data.parameters);
    return tested;
  };
  const SweepCase words = case_with("nope");
  const double noise = 19.0 / (100.0 * static_cast<double>(samples));
  const auto of_words = head_habits(*words.model, words.samples, samples, 50);
  for (const HeadHabit& habit : of_words[0]) {
    EXPECT_LT(habit.distance_share, 25.0 * noise);
    EXPECT_GT(habit.distance_share, -1.01 * noise);
    EXPECT_LT(habit.entropy, habit.even_entropy - 0.01);
  }
  const SweepCase both = case_with("bias(\"-abs(d)/2\")");
  const auto of_both = head_habits(*both.model, both.samples, samples, 50);
  for (const HeadHabit& habit : of_both[0]) EXPECT_GT(habit.distance_share, 100.0 * noise);
}

// Every weight in double, from queries, keys and tables by another way than the engine's; then the definitions.
struct NaiveHead {
  struct Pair {
    int64_t query = 0, distance = 0;  // queries are numbered through all samples
    double weight = 0.0, keys = 0.0;
  };
  std::vector<Pair> pairs;
  int64_t queries = 0;

  void add(const HeadLogits& head) {
    const Dense logits = head.logits();
    for (int64_t i = 0; i < head.size(); ++i, ++queries) {
      const int64_t keys = head.causal ? i + 1 : head.size();
      double sum = 0.0;
      for (int64_t j = 0; j < keys; ++j) sum += std::exp(logits(i, j));
      for (int64_t j = 0; j < keys; ++j) {
        pairs.push_back({queries, j - i, std::exp(logits(i, j)) / sum, static_cast<double>(keys)});
      }
    }
  }
  double mean_over_queries(const auto& value) const {
    double sum = 0.0;
    for (const Pair& pair : pairs) sum += value(pair);
    return sum / static_cast<double>(queries);
  }
};

void expect_habit(const HeadHabit& got, const NaiveHead& head) {
  using Pair = NaiveHead::Pair;
  const auto far = [](const Pair& pair) { return static_cast<double>(std::abs(pair.distance)); };
  const double distance = head.mean_over_queries([&](const Pair& pair) { return pair.weight * far(pair); });
  const double entropy = head.mean_over_queries([](const Pair& pair) { return -pair.weight * std::log(pair.weight); });
  std::map<int64_t, std::vector<double>> by_distance;
  for (const Pair& pair : head.pairs) by_distance[pair.distance].push_back(pair.weight * pair.keys);
  double total = 0.0, rest = 0.0, squares = 0.0, best = 0.0;
  int64_t favourite = 0;
  for (const auto& [d, values] : by_distance) {
    double mean = 0.0;
    for (const double w : values) mean += w / static_cast<double>(values.size());
    for (const double w : values) {
      squares += w * w;
      total += (w - 1.0) * (w - 1.0);
      rest += (w - mean) * (w - mean);
    }
    if (static_cast<double>(values.size()) < 0.05 * static_cast<double>(head.queries) || mean <= best) continue;
    best = mean;
    favourite = d;
  }
  const auto pairs = static_cast<double>(head.pairs.size()), distances = static_cast<double>(by_distance.size());
  const double share = 1.0 - rest / (pairs - distances) / (total / pairs);
  // The engine's weights are rounded to fp32: off by half a unit of w each, so that a sum of squares of w about
  // anything moves by at most two units of the sum of w^2, twice for a quotient.
  EXPECT_NEAR(got.mean_distance, distance, kFloatRounding * distance);
  EXPECT_NEAR(got.even_distance, head.mean_over_queries([&](const Pair& p) { return far(p) / p.keys; }), 1e-12);
  EXPECT_NEAR(got.entropy, entropy, kFloatRounding * (entropy + 1.0));
  EXPECT_NEAR(got.even_entropy, head.mean_over_queries([](const Pair& p) { return std::log(p.keys) / p.keys; }), 1e-12);
  EXPECT_EQ(got.favourite, favourite);
  EXPECT_NEAR(got.favourite_gain, best, kFloatRounding * best);
  EXPECT_NEAR(got.distance_share, share, 4.0 * kFloatRounding * squares / total);
}

class HeadHabitsOf : public testing::TestWithParam<ModelCase> {};

TEST_P(HeadHabitsOf, FollowFromEveryWeightInDouble) {
  const ThreadGuard one_thread(1);
  const SweepCase tested(GetParam().config, 13);
  const auto habits = head_habits(*tested.model, tested.samples, 11, 4);
  Batch batch;
  for (int64_t s = 0; s < 11; ++s) tested.samples.append_to(batch, s);
  batch.finish();
  tested.model->forward(batch);
  for (int64_t l = 0; l < 2; ++l) {
    const LayerLogits layer(*tested.model, batch, l);
    std::vector<NaiveHead> heads(static_cast<size_t>(tested.data.config.heads));
    for (int64_t s = 0; s < 11; ++s) {
      const std::vector<HeadLogits> logits = layer.sequence(s);
      for (size_t h = 0; h < heads.size(); ++h) heads[h].add(logits[h]);
    }
    for (size_t h = 0; h < heads.size(); ++h) {
      SCOPED_TRACE(testing::Message() << "layer " << l << " head " << h);
      expect_habit(habits[static_cast<size_t>(l)][h], heads[h]);
    }
  }
}

TEST_P(HeadHabitsOf, AreTheSameAtAnyThreadCountAndBatchSize) {
  PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE();
  const SweepCase tested(GetParam().config, 13);
  std::vector<std::vector<HeadHabit>> expected;
  for (const int threads : {1, 2, 4}) {
    const ThreadGuard guard(threads);
    const auto habits = head_habits(*tested.model, tested.samples, 256, threads == 2 ? 3 : 13);
    if (threads == 1) expected = habits;
    EXPECT_EQ(habits, expected) << threads << " threads";
  }
}

std::vector<ModelCase> habit_cases() {
  const auto causal = [](ModelConfig& config) { config.causal = true; };
  return {model_case("rope", small_model("rope"), [](ModelConfig&) {}),
          model_case("causal_alibi", small_model("alibi"), causal),
          model_case("causal_rope_grouped_keys", small_model("rope"),
                     [](ModelConfig& config) {
                       config.causal = true;
                       config.heads = 6, config.kv_heads = 3, config.head_width = 2;
                     }),
          model_case("mla_and_relative", small_model("mla+relative"), [](ModelConfig&) {})};
}

INSTANTIATE_TEST_SUITE_P(Models, HeadHabitsOf, testing::ValuesIn(habit_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(HeadHabits, RefuseWhatCannotBeMeasured) {
  const SweepCase tested(small_model("nope"), 3);
  EXPECT_THROW(head_habits(*tested.model, Dataset(), 256, 64), UsageError);
  EXPECT_THROW(head_habits(*tested.model, tested.samples, 0, 64), UsageError);
  EXPECT_THROW(head_habits(*tested.model, tested.samples, 256, 0), UsageError);
}

}  // namespace head_habits_test
}  // namespace phasor
