#include "phasor/spectrum/attention_damage.h"

#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "spectrum/model_run.h"

namespace phasor::testing_support {
namespace attention_damage_test {

constexpr double kRounding = 0x1p-50;
constexpr double kHidden = -std::numeric_limits<double>::infinity();

QueryDamage damage(const std::vector<double>& logits, const std::vector<double>& other) {
  return query_damage(logits, other);
}

TEST(QueryDamage, OfTwoKeysIsTheSumOnPaper) {
  // 1/4 and 3/4 against 1/2 and 1/2
  const QueryDamage found = damage({0.0, std::log(3.0)}, {7.0, 7.0});
  EXPECT_NEAR(found.divergence, 0.25 * std::log(0.5) + 0.75 * std::log(1.5), kRounding);
  EXPECT_NEAR(found.moved, 0.25, kRounding);
  // The other way round it is another number.
  EXPECT_NEAR(damage({7.0, 7.0}, {0.0, std::log(3.0)}).divergence, 0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3.0),
              kRounding);
}

TEST(QueryDamage, IsNothingWhereWeightsAreEqual) {
  const QueryDamage same = damage({0.3, -2.0, 5.0}, {0.3, -2.0, 5.0});
  EXPECT_EQ(same.divergence, 0.0);
  EXPECT_EQ(same.moved, 0.0);
  // A number added to all logits of a query is no change.
  EXPECT_NEAR(damage({0.25, -2.0, 5.0}, {3.25, 1.0, 8.0}).divergence, 0.0, 8 * kRounding);
  EXPECT_EQ(damage({1.0}, {-40.0}).divergence, 0.0) << "one key has all the weight";
}

TEST(QueryDamage, OfHiddenKeysIsInfiniteWhereTheyWereLookedAt) {
  const QueryDamage hidden = damage({0.0, 0.0}, {0.0, kHidden});
  EXPECT_EQ(hidden.divergence, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(hidden.moved, 0.5, kRounding);
  // What was hidden before may come into sight.
  EXPECT_NEAR(damage({0.0, kHidden}, {0.0, 0.0}).divergence, std::log(2.0), kRounding);
  EXPECT_EQ(damage({0.0, kHidden}, {0.0, kHidden}).divergence, 0.0);
  EXPECT_THROW(damage({kHidden}, {0.0}), Error);
  // Weights below the least double are no infinity.
  EXPECT_NEAR(damage({0.0, 0.0}, {0.0, -2000.0}).divergence, 0.5 * std::log(0.5) + 0.5 * (std::log(0.5) + 2000.0),
              2000 * kRounding);
}

TEST(AttentionDamage, PlacesAreTenthsOfTheSequence) {
  EXPECT_EQ(place_of_token(0, 1), 0);
  EXPECT_EQ(place_of_token(9, 10), 9);
  EXPECT_EQ(place_of_token(29, 30), 9);
  EXPECT_EQ(place_of_token(3, 30), 1);
}

ModelConfig causal_model(const char* encoding) {
  ModelConfig config = small_model(encoding);
  config.causal = true;
  return config;
}

// Two models with the same numbers.
struct Pair {
  ModelRun own, other;

  Pair(const ModelConfig& a, const ModelConfig& b) : own(a, kRaggedLengths), other(b, kRaggedLengths) {
    std::vector<float> values(static_cast<size_t>(other.data.layout.size()));
    for (const Parameter& entry : other.data.layout.entries()) {
      const Parameter& known = own.data.layout.find(entry.name);
      std::copy_n(own.data.parameters.begin() + known.offset, known.size, values.begin() + entry.offset);
    }
    other.model.load_parameters(values);
  }
  std::vector<HeadDamage> damage() {
    AttentionDamage found;
    found.add(own.model, other.model, own.data.batch);
    return found.heads();
  }
};

// Naive softmax in double, for logits that are small.
std::vector<double> weights(const std::vector<double>& logits) {
  double sum = 0.0;
  std::vector<double> result;
  for (const double logit : logits) sum += std::exp(logit);
  for (const double logit : logits) result.push_back(std::exp(logit) / sum);
  return result;
}

// As the header defines it, from queries and keys before rotation: `own` and `other` give a logit of query i and key j.
template <class Own, class Other>
DamageSum on_paper(const LayerLogits& layer, bool causal, const Own& own, const Other& other) {
  DamageSum sum;
  for (int64_t s = 0; s < layer.sequences(); ++s) {
    for (int64_t i = 0; i < layer.length(s); ++i) {
      std::vector<double> a, b;
      for (int64_t j = 0; j < (causal ? i + 1 : layer.length(s)); ++j) {
        a.push_back(own(s, i, j));
        b.push_back(other(s, i, j));
      }
      a = weights(a);
      b = weights(b);
      QueryDamage query;
      for (size_t j = 0; j < a.size(); ++j) {
        query.divergence += a[j] * std::log(a[j] / b[j]);
        query.moved += 0.5 * std::abs(a[j] - b[j]);
      }
      sum.add(query);
    }
  }
  return sum;
}

double plain_product(const LayerLogits& layer, int64_t s, int64_t h, int64_t i, int64_t j) {
  const DenseView query = head_columns(layer.query_rows(s), h, layer.width());
  const DenseView key = head_columns(layer.key_rows(s), h, layer.width());
  double sum = 0.0;
  for (int64_t c = 0; c < layer.width(); ++c) sum += query.row(i)[c] * key.row(j)[c];
  return sum;
}

TEST(AttentionDamage, OfNopeUnderAlibiHasTheClosedForm) {
  const ThreadGuard one_thread(1);
  Pair pair(causal_model("nope"), causal_model("alibi"));
  const std::vector<HeadDamage> found = pair.damage();
  pair.own.model.forward(pair.own.data.batch);
  for (int64_t l = 0; l < pair.own.layers(); ++l) {
    const LayerLogits layer = pair.own.logits(l);
    pair.other.model.forward(pair.other.data.batch);
    const LayerLogits biased = pair.other.logits(l);
    pair.own.model.forward(pair.own.data.batch);
    for (int64_t h = 0; h < layer.heads(); ++h) {
      const double step = biased.sequence(0)[static_cast<size_t>(h)].bias(1, 0);
      ASSERT_LT(step, 0.0);
      const auto own = [&](int64_t s, int64_t i, int64_t j) {
        return layer.scale(h) * plain_product(layer, s, h, i, j);
      };
      const auto other = [&](int64_t s, int64_t i, int64_t j) {
        return own(s, i, j) + step * static_cast<double>(i - j);
      };
      const DamageSum expected = on_paper(layer, true, own, other);
      const DamageSum got = found[static_cast<size_t>(l * layer.heads() + h)].all();
      ASSERT_EQ(got.queries, pair.own.data.batch.token_count());
      // The bias is a table of floats, so logits differ by the rounding of the longest distance's; the divergence
      // changes by sum_j (B_j - A_j) of that, and the share moved by no more than that itself.
      const double rounding = 2 * 0x1p-24 * 10.0 * std::abs(step) + 64 * kRounding;
      EXPECT_GT(got.divergence(), 100 * rounding * got.moved());
      EXPECT_NEAR(got.divergence(), expected.divergence(), 2 * got.moved() * rounding + 64 * kRounding);
      EXPECT_NEAR(got.moved(), expected.moved(), rounding);
    }
  }
}

// The scale is the second encoding's.
TEST(AttentionDamage, KnowsTheOtherScale) {
  const ThreadGuard one_thread(1);
  Pair pair(small_model("t5(buckets=8,max_distance=6)"), small_model("t5(buckets=8,max_distance=6,scale=one)"));
  const std::vector<HeadDamage> found = pair.damage();
  pair.own.model.forward(pair.own.data.batch);
  const LayerLogits layer = pair.own.logits(1);
  const double factor = std::sqrt(static_cast<double>(layer.width()));
  for (int64_t h = 0; h < layer.heads(); ++h) {
    std::vector<Dense> biases;
    for (int64_t s = 0; s < layer.sequences(); ++s) biases.push_back(layer.sequence(s)[static_cast<size_t>(h)].bias);
    const auto logit = [&](double scale) {
      return [&, scale](int64_t s, int64_t i, int64_t j) {
        return scale * plain_product(layer, s, h, i, j) + biases[static_cast<size_t>(s)](i, j);
      };
    };
    const DamageSum expected = on_paper(layer, false, logit(layer.scale(h)), logit(layer.scale(h) * factor));
    const DamageSum got = found[static_cast<size_t>(layer.heads() + h)].all();
    EXPECT_NEAR(got.divergence(), expected.divergence(), 64 * 0x1p-24 * std::max(1.0, expected.divergence()));
  }
}

// A mask hides keys, which the logits read back still have: the divergence is infinite, and what is moved is the weight
// that they had.
TEST(AttentionDamage, KnowsMasks) {
  const ThreadGuard one_thread(1);
  for (const bool causal : {false, true}) {
    ModelConfig own = small_model("rope"), masked = small_model("rope[window=3]"),
                wide = small_model("rope[window=64]");
    for (ModelConfig* config : {&own, &masked, &wide}) config->causal = causal;
    Pair pair(own, masked), same(own, wide);
    for (const HeadDamage& head : same.damage()) EXPECT_EQ(head.all().divergence(), 0.0);
    const std::vector<HeadDamage> found = pair.damage();
    pair.own.model.forward(pair.own.data.batch);
    const LayerLogits layer = pair.own.logits(1);
    for (int64_t h = 0; h < layer.heads(); ++h) {
      double moved = 0.0;
      for (int64_t s = 0; s < layer.sequences(); ++s) {
        const Dense logits = layer.sequence(s)[static_cast<size_t>(h)].logits();
        for (int64_t i = 0; i < logits.rows(); ++i) {
          double sum = 0.0, hidden = 0.0;
          for (int64_t j = 0; j < (causal ? i + 1 : logits.rows()); ++j) {
            sum += std::exp(logits(i, j));
            if (std::abs(i - j) >= 3) hidden += std::exp(logits(i, j));
          }
          moved += hidden / sum;
        }
      }
      const DamageSum got = found[static_cast<size_t>(layer.heads() + h)].all();
      EXPECT_EQ(got.divergence(), std::numeric_limits<double>::infinity());
      EXPECT_NEAR(got.moved(), moved / static_cast<double>(got.queries), 1e3 * kRounding);
    }
  }
}

// What a sink takes goes to the keys where there is none.
TEST(AttentionDamage, KnowsSinks) {
  const ThreadGuard one_thread(1);
  Pair pair(causal_model("rope+sink"), causal_model("rope"));
  const std::vector<HeadDamage> found = pair.damage();
  pair.own.model.forward(pair.own.data.batch);
  const LayerLogits layer = pair.own.logits(0);
  for (int64_t h = 0; h < layer.heads(); ++h) {
    double taken = 0.0;
    for (int64_t s = 0; s < layer.sequences(); ++s) {
      const HeadLogits head = layer.sequence(s)[static_cast<size_t>(h)];
      const Dense logits = head.logits();
      for (int64_t i = 0; i < logits.rows(); ++i) {
        double sum = std::exp(head.sink);
        for (int64_t j = 0; j <= i; ++j) sum += std::exp(logits(i, j));
        taken += std::exp(head.sink) / sum;
      }
    }
    const DamageSum got = found[static_cast<size_t>(h)].all();
    EXPECT_GT(taken, 0.0);
    EXPECT_NEAR(got.moved(), taken / static_cast<double>(got.queries), 1e3 * kRounding);
    EXPECT_EQ(got.divergence(), std::numeric_limits<double>::infinity());
  }
}

// What the first layer does is not blamed on the second, whose queries and keys stay those of the first model.
TEST(AttentionDamage, OfALayerThatKeepsItsEncodingIsZero) {
  Pair pair(causal_model("rope"), causal_model("rope[layers=1]"));
  for (const HeadDamage& head : pair.damage()) {
    if (head.layer == 0) {
      EXPECT_GT(head.all().divergence(), 1e-6);
    } else {
      EXPECT_EQ(head.all().divergence(), 0.0);
      EXPECT_EQ(head.all().moved(), 0.0);
    }
  }
}

// Features are made of the same queries and keys, and these come back out of them: what moves from one to the other
// moves back. The first layer's queries are the same in both models.
TEST(AttentionDamage, KnowsFeatures) {
  Pair there(causal_model("nope"), causal_model("pope(phase=none)"));
  Pair back(causal_model("pope(phase=none)"), causal_model("nope"));
  const std::vector<HeadDamage> one = there.damage(), other = back.damage();
  for (size_t h = 0; h < one.size() && one[h].layer == 0; ++h) {
    EXPECT_GT(one[h].all().moved(), 1e-3);
    EXPECT_NEAR(one[h].all().moved(), other[h].all().moved(), 1024 * kRounding);
  }
}

TEST(AttentionDamage, OfTheSameEncodingIsZeroAndOfManyBatchesAddsUp) {
  for (const char* encoding : {"rope", "alibi", "t5", "sinusoidal", "nope"}) {
    Pair pair(small_model(encoding), small_model(encoding));
    for (const HeadDamage& head : pair.damage()) EXPECT_EQ(head.all().divergence(), 0.0) << encoding;
  }
  Pair pair(causal_model("rope"), causal_model("rope(base=100)"));
  AttentionDamage twice;
  twice.add(pair.own.model, pair.other.model, pair.own.data.batch);
  twice.add(pair.own.model, pair.other.model, pair.own.data.batch);
  const std::vector<HeadDamage> once = pair.damage();
  for (size_t h = 0; h < once.size(); ++h) {
    EXPECT_EQ(twice.heads()[h].all().queries, 2 * once[h].all().queries);
    EXPECT_NEAR(twice.heads()[h].all().divergence(), once[h].all().divergence(), kRounding);
  }
}

TEST(AttentionDamage, HasTheSameBitsOnAnyThreads) {
  Pair pair(causal_model("rope"), causal_model("alibi"));
  std::vector<double> first;
  for (const int threads : {1, 2, 4}) {
    const ThreadGuard guard(threads);
    std::vector<double> found;
    for (const HeadDamage& head : pair.damage()) found.push_back(head.all().divergence());
    if (first.empty()) first = found;
    EXPECT_EQ(found, first) << threads;
  }
}

TEST(AttentionDamage, OfAnotherModelIsAnError) {
  ModelConfig other = small_model("rope");
  other.layers = 1;
  ModelRun a(small_model("rope"), kRaggedLengths), b(other, kRaggedLengths);
  AttentionDamage damage;
  EXPECT_THROW(damage.add(a.model, b.model, a.data.batch), Error);
}

}  // namespace attention_damage_test
}  // namespace phasor::testing_support
