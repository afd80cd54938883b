// What taking out the part that position_fit.h finds does to models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "ablation/sweep_case.h"
#include "model/thread_guard.h"
#include "phasor/ablation/head_rows.h"
#include "phasor/ablation/index_sums.h"
#include "phasor/ablation/stream_removal.h"
#include "phasor/engine/download.h"

namespace phasor {
namespace position_fit_model_test {

using testing_support::small_model;
using testing_support::SweepCase;
using testing_support::test_backend;
using testing_support::ThreadGuard;

constexpr double kFloatRounding = 0x1.0p-24;

// Sentences whose words depend on their place: one of three that it prefers, a full stop, and mostly pads up to the
// greatest length.
Dataset habitual_sentences(int64_t count) {
  constexpr int32_t kPad = 7, kStop = 8;
  Draws draws({.seed = 5, .purpose = Purpose::test, .site = 45});
  const auto below = [&](uint32_t bound) { return static_cast<int32_t>(draws.below(bound)); };
  Dataset sentences;
  for (int64_t s = 0; s < count; ++s) {
    Sample sample;
    const int32_t length = 2 + below(6);
    for (int32_t i = 0; i < length; ++i) sample.tokens.push_back((i + below(3)) % 7);
    sample.tokens.push_back(kStop);
    if (below(3) > 0) sample.tokens.resize(10, kPad);
    sample.targets = {below(5)};
    sentences.append(sample);
  }
  return sentences;
}

Batch batch_of(const Dataset& samples, int64_t first, int64_t count) {
  Batch batch;
  for (int64_t s = first; s < first + count; ++s) samples.append_to(batch, s);
  batch.finish();
  return batch;
}

SweepCase habitual_case(const ModelConfig& config, int64_t samples) {
  SweepCase tested(config, samples);
  tested.samples = habitual_sentences(samples);
  return tested;
}

// Of all samples, the largest.
double largest_change(const SampleScores& scores, const SampleScores& intact) {
  double change = 0.0;
  for (size_t s = 0; s < intact.loss.size(); ++s) {
    change = std::max(change, std::abs(static_cast<double>(scores.loss[s]) - static_cast<double>(intact.loss[s])));
  }
  return change;
}

// Rows of a word are equal bits wherever it stands, so that p is what sums of some 1000 of them round by, 1e-12 at
// most. Only elements below 1e-5 can feel that in fp32, where an ulp is as small; what else rounds differently for that
// is some roundings of a loss of 1 to 5.
constexpr double kLossRounding = 64.0 * kFloatRounding;

TEST(PositionFitOfAModel, WithoutEncodingLeavesTheFirstLayersHeadsAlone) {
  const ThreadGuard one_thread(1);
  const SweepCase tested = habitual_case(small_model("nope"), 240);
  const ScoreTable table = tested.sweep(
      {.methods = {AblationMethod::position_off, AblationMethod::position_shuffled, AblationMethod::position_mean},
       .samples = 240,
       .batch = 64});
  for (size_t c = 0; c < table.conditions.size(); ++c) {
    const Condition& condition = table.conditions[c];
    if (condition.layer > 0 || condition.method == AblationMethod::position_mean) continue;
    EXPECT_LE(largest_change(table.scores[c], table.intact), kLossRounding) << text(condition);
  }
  // The heads do read their words.
  for (int64_t h = 0; h < 3; ++h) {
    const SampleScores& mean = table.of({0, AblationMethod::position_mean, AblationExtent::alone, h});
    EXPECT_GT(largest_change(mean, table.intact), 0.01) << h;
  }
}

TEST(PositionFitOfAModel, HasNothingToRemoveFromWords) {
  const ThreadGuard one_thread(1);
  for (const char* encoding : {"nope", "rope"}) {
    SCOPED_TRACE(encoding);
    const int64_t count = 240;
    const SweepCase tested = habitual_case(small_model(encoding), count);
    const ModelConfig& config = tested.data.config;
    const Batch batch = batch_of(tested.samples, 0, count);
    const SampleScores intact = tested.intact();
    const View<float, 2> stream = tested.model->activations().stream[0];
    const std::vector<float> rows = download(test_backend(), stream, batch.token_count());
    const auto change_without = [&](const std::vector<double>& parts) {
      std::vector<float> changed(rows.size());
      for (size_t k = 0; k < rows.size(); ++k) {
        changed[k] = static_cast<float>(static_cast<double>(rows[k]) - parts[k]);
      }
      test_backend().copy_in(stream.data(), changed.data(), changed.size() * sizeof(float));
      tested.model->evaluate_from(batch, 0, LayerPart::norm);
      SampleScores scores(count);
      add_scores(*tested.model, batch, 0, 1.0, scores);
      return largest_change(scores, intact);
    };

    PositionFit fit(config.vocabulary, config.max_length, config.width);
    fit.add(batch, 0, rows);
    fit.solve();
    const std::vector<double> parts = position_parts(fit, batch, 0);
    for (const double part : parts) ASSERT_LE(std::abs(part), 1e-12);
    EXPECT_LE(change_without(parts), kLossRounding);
    const std::optional<StreamRemoval> removal =
        remove_positions(*tested.model, tested.samples, {.samples = count, .batch = 50, .draws = 2});
    ASSERT_TRUE(removal.has_value());
    EXPECT_NEAR(removal->layers[0].means.loss, removal->intact.loss, kLossRounding);
    EXPECT_LE(removal->layers[0].norm_share, 1e-24);

    // Means by index would be of words that stand there, and not be nothing.
    IndexSums sums(config.max_length, config.width);
    sums.add(batch, rows);
    std::vector<double> by_index;
    for (int64_t s = 0; s < count; ++s) {
      const int64_t first = batch.offsets[static_cast<size_t>(s)] * config.width;
      const IndexSums::Others others(sums, rows.data() + first, tested.samples.length(s));
      for (int64_t k = 0; k < tested.samples.length(s) * config.width; ++k) {
        by_index.push_back(others.mean_at(k / config.width, k % config.width) - others.mean(k % config.width));
      }
    }
    EXPECT_GT(change_without(by_index), 0.1);
  }
}

// Attention in double without a table of distances: out, and how far it may be off when every element of queries and
// keys is off by up to `error` of it. With logits off by d, weights are off by a factor within e^(-2 d) .. e^(2 d).
struct HandAttention {
  std::vector<double> out, bound;  // [tokens, heads * width]

  HandAttention(const Batch& batch, const std::vector<double>& query_key, const std::vector<double>& error,
                const std::vector<float>& values, int64_t heads, int64_t width)
      : out(values.size()), bound(values.size()) {
    const int64_t columns = heads * width;
    for (int64_t s = 0; s < batch.sequence_count(); ++s) {
      const int64_t first = batch.offsets[static_cast<size_t>(s)], end = batch.offsets[static_cast<size_t>(s) + 1];
      for (int64_t t = first; t < end; ++t) {
        for (int64_t h = 0; h < heads; ++h) attend(t, first, end, h * width, width, columns, query_key, error, values);
      }
    }
  }

 private:
  void attend(int64_t t, int64_t first, int64_t end, int64_t column, int64_t width, int64_t columns,
              const std::vector<double>& query_key, const std::vector<double>& error,
              const std::vector<float>& values) {
    const auto query = static_cast<size_t>(2 * t * columns + column);
    std::vector<double> weights;
    double reach = 0.0, sum = 0.0;
    for (int64_t j = first; j < end; ++j) {
      const auto key = static_cast<size_t>((2 * j + 1) * columns + column);
      double logit = 0.0, off = 0.0;
      for (size_t c = 0; c < static_cast<size_t>(width); ++c) {
        logit += query_key[query + c] * query_key[key + c];
        off += error[query + c] * (std::abs(query_key[key + c]) + error[key + c]) +
               std::abs(query_key[query + c]) * error[key + c];
      }
      weights.push_back(std::exp(logit / std::sqrt(static_cast<double>(width))));
      sum += weights.back();
      reach = std::max(reach, off / std::sqrt(static_cast<double>(width)));
    }
    for (int64_t c = column; c < column + width; ++c) {
      const auto value = [&](size_t j) {
        return static_cast<double>(values[static_cast<size_t>((first + static_cast<int64_t>(j)) * columns + c)]);
      };
      double mean = 0.0, spread = 0.0;
      for (size_t j = 0; j < weights.size(); ++j) mean += weights[j] / sum * value(j);
      for (size_t j = 0; j < weights.size(); ++j) spread += weights[j] / sum * std::abs(value(j) - mean);
      out[static_cast<size_t>(t * columns + c)] = mean;
      bound[static_cast<size_t>(t * columns + c)] = std::expm1(2.0 * reach) * spread;
    }
  }
};

// What a method makes of some samples' heads in the only layer, when it has seen all.
struct Replaced {
  static constexpr int64_t kFirst = 7;
  Batch batch;
  std::vector<float> query_key, values, intact, out;  // of the batch

  Replaced(const SweepCase& tested, AblationMethod method, int64_t count)
      : batch(batch_of(tested.samples, kFirst, count)) {
    Transformer& model = *tested.model;
    const int64_t samples = tested.samples.size(), at_once = 333;
    StandIns stand_ins(model, {.tokens = at_once * tested.data.config.max_length, .sequences = at_once}, {method}, 0);
    for (int64_t first = 0; first < samples; first += at_once) {
      const Batch part = batch_of(tested.samples, first, std::min(at_once, samples - first));
      model.forward(part);
      stand_ins.gather(part, first);
    }
    stand_ins.finish_gathering();
    model.forward(batch);
    const int64_t tokens = batch.token_count();
    query_key = query_key_rows(test_backend(), model.attention(0), tokens);
    values = download(test_backend(), model.attention(0).value, tokens);
    intact = download(test_backend(), model.activations().layers[0].mixed, tokens);
    out = download(test_backend(), stand_ins.make(method, 0, batch, kFirst, 0), tokens);
  }
};

double root_mean_square(const std::vector<float>& x, const std::vector<double>& y) {
  double squares = 0.0;
  for (size_t k = 0; k < x.size(); ++k) squares += std::pow(static_cast<double>(x[k]) - y[k], 2);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

// Word vectors of length 2 beside four sines and cosines: with RMS norm queries and keys are a word's part and a
// place's, since all tokens have the same root mean square.
struct ApartCase {
  static constexpr int64_t kWidth = 12, kOwn = 8;  // of the stream, of words
  SweepCase tested;

  static ModelConfig config() {
    ModelConfig config = small_model("concat(sinusoidal,width=4)");
    config.layers = 1;
    config.norm = NormKind::rms;
    return config;
  }
  ApartCase() : tested(habitual_case(config(), 400)) {
    std::vector<float>& numbers = tested.data.parameters;
    for (int64_t w = 0; w < tested.data.config.vocabulary; ++w) {
      float* word = numbers.data() + tested.data.layout.embedding + w * kOwn;
      const double norm = std::sqrt(std::inner_product(word, word + kOwn, word, 0.0));
      for (int64_t c = 0; c < kOwn; ++c) word[c] *= static_cast<float>(2.0 / norm);
    }
    tested.model->load_parameters(numbers);
  }

  double number(int64_t at) const { return static_cast<double>(tested.data.parameters[static_cast<size_t>(at)]); }

  // A word beside the mean of P over the rows of the samples of a parity.
  std::vector<double> embedded(int32_t word, int64_t parity) const {
    std::vector<double> x(kWidth);
    double rows = 0.0;
    for (int64_t s = parity; s < tested.samples.size(); s += 2) {
      for (int64_t i = 0; i < tested.samples.length(s); ++i, rows += 1.0) {
        for (size_t c = 0; c < 4; ++c) {
          const double angle = static_cast<double>(i) * (c < 2 ? 1.0 : 0.01);  // 10000^(-2/4)
          x[kOwn + c] += c % 2 == 0 ? std::sin(angle) : std::cos(angle);
        }
      }
    }
    for (double& sum : x) sum /= rows;
    for (int64_t c = 0; c < kOwn; ++c) {
      x[static_cast<size_t>(c)] = number(tested.data.layout.embedding + word * kOwn + c);
    }
    return x;
  }

  // Adds query and key of such a token, and how far those of the engine may be off: they and the p that is taken from
  // them are sums of 13 that a norm has rounded some 10 times before.
  void project(const std::vector<double>& x, std::vector<double>& query_key, std::vector<double>& error) const {
    const LayerSlots& layer = tested.data.layout.layers[0];
    const double scale = 1.0 / std::sqrt((4.0 + 2.0) / 12.0 + 1e-5);
    for (int64_t r = 0; r < 2 * kWidth; ++r) {
      double sum = number(layer.projections.bias + r), size = std::abs(sum);
      for (int64_t c = 0; c < kWidth; ++c) {
        const double weight =
            number(layer.projections.weight + r * kWidth + c) * scale * number(layer.attention_norm.weight + c);
        const double value = x[static_cast<size_t>(c)];
        sum += weight * value;
        size += std::abs(weight) * (c < kOwn ? std::abs(value) : 1.0);  // P itself is up to 1
      }
      query_key.push_back(sum);
      error.push_back(2.0 * 24.0 * kFloatRounding * size);
    }
  }
};

TEST(PositionFitOfAModel, TakesAllOfAnInputTermOutWhereItIsApart) {
  const ThreadGuard one_thread(1);
  const ApartCase apart;
  const Replaced off(apart.tested, AblationMethod::position_off, 60);
  std::vector<double> query_key, error;
  for (int64_t s = Replaced::kFirst; s < Replaced::kFirst + 60; ++s) {
    for (const int32_t word : apart.tested.samples.tokens(s)) {
      apart.project(apart.embedded(word, 1 - s % 2), query_key, error);
    }
  }
  const HandAttention hand(off.batch, query_key, error, off.values, 3, 4);
  const double attention_rounding = 32.0 * 4.0 * kFloatRounding;  // of logits and values up to 4
  for (size_t k = 0; k < off.out.size(); ++k) {
    ASSERT_NEAR(off.out[k], hand.out[k], hand.bound[k] + attention_rounding) << k;
  }
  EXPECT_LT(*std::max_element(hand.bound.begin(), hand.bound.end()), 1e-3);
  EXPECT_GT(root_mean_square(off.intact, hand.out), 0.05);
}

// Where words are drawn without regard to their place, the place's part of a query is its mean over all words. A fit of
// n rows at a place is off by a deviation of r / sqrt(n), with r what is neither the word's nor the place's: the norm
// mixes the two. Six deviations are allowed for; attention by hand says what they can do to an output.
TEST(PositionFitOfAModel, IsTheMeanOverWordsWhereTheyDoNotDependOnThePlace) {
  const ThreadGuard one_thread(1);
  constexpr int64_t kCount = 8000, kLength = 5, kWords = 9, kWidth = 24;  // of a query and a key
  ModelConfig config = small_model("sinusoidal");
  config.layers = 1;
  config.max_length = kLength;
  SweepCase tested(config, kCount);
  Draws draws({.seed = 6, .purpose = Purpose::test, .site = 46});
  tested.samples = Dataset();
  for (int64_t s = 0; s < kCount; ++s) {
    Sample sample{.targets = {0}};
    for (int64_t i = 0; i < kLength; ++i) sample.tokens.push_back(static_cast<int32_t>(draws.below(kWords)));
    tested.samples.append(sample);
  }
  const Replaced off(tested, AblationMethod::position_off, 100);

  Batch every;  // word at every place
  for (int32_t w = 0; w < kWords; ++w) every.append({.tokens = std::vector<int32_t>(kLength, w), .targets = {0}});
  every.finish();
  tested.model->forward(every);
  const std::vector<float> all = query_key_rows(test_backend(), tested.model->attention(0), kWords * kLength);
  const auto at = [&](int64_t w, int64_t i, int64_t c) {
    return static_cast<double>(all[static_cast<size_t>((w * kLength + i) * kWidth + c)]);
  };
  std::vector<double> parts, deviations;  // [kLength, kWidth]
  for (int64_t i = 0; i < kLength; ++i) {
    for (int64_t c = 0; c < kWidth; ++c) {
      double mean = 0.0, grand = 0.0, squares = 0.0;
      for (int64_t w = 0; w < kWords; ++w) {
        mean += at(w, i, c) / kWords;
        for (int64_t j = 0; j < kLength; ++j) grand += at(w, j, c) / (kWords * kLength);
      }
      for (int64_t w = 0; w < kWords; ++w) {
        double word = 0.0;
        for (int64_t j = 0; j < kLength; ++j) word += at(w, j, c) / kLength;
        squares += std::pow(at(w, i, c) - word - (mean - grand), 2) / kWords;
      }
      parts.push_back(mean - grand);
      deviations.push_back(6.0 * std::sqrt(squares / (kCount / 2.0)));
    }
  }
  std::vector<double> query_key, error;
  for (size_t k = 0; k < off.query_key.size(); ++k) {
    query_key.push_back(static_cast<double>(off.query_key[k]) - parts[k % parts.size()]);
    error.push_back(deviations[k % parts.size()]);
  }
  const HandAttention hand(off.batch, query_key, error, off.values, 3, 4);
  for (size_t k = 0; k < off.out.size(); ++k) ASSERT_NEAR(off.out[k], hand.out[k], hand.bound[k]) << k;
  // One deviation at most, were all elements off the worst way at once.
  const double distance = root_mean_square(off.out, hand.out);
  EXPECT_LT(6.0 * distance, root_mean_square(std::vector<float>(hand.bound.size()), hand.bound));
  EXPECT_GT(root_mean_square(off.intact, hand.out), 50.0 * distance);
}

// Where words are nothing, all that queries and keys know is their place.
struct PlacesAlone {
  SweepCase tested;

  static ModelConfig config() {
    ModelConfig config = small_model("sinusoidal");
    config.layers = 1;
    return config;
  }
  PlacesAlone() : tested(habitual_case(config(), 400)) {
    const Parameter& table = tested.data.layout.find("embedding.weight");
    std::fill_n(tested.data.parameters.begin() + table.offset, table.size, 0.0f);
    tested.model->load_parameters(tested.data.parameters);
  }
};

// Queries and keys that are taken apart and put together again round differently, and attention in fp32 with logits and
// values up to 8 does.
std::vector<double> apart_rounding(const std::vector<float>& query_key) {
  std::vector<double> error;
  for (const float x : query_key) error.push_back(4.0 * kFloatRounding * std::abs(static_cast<double>(x)));
  return error;
}
constexpr double kAttentionRounding = 32.0 * 8.0 * kFloatRounding;

TEST(PositionFitOfAModel, IsAllThatIsLeftWithoutContentAndNothingIsLeftWithoutIt) {
  const ThreadGuard one_thread(1);
  const PlacesAlone places;
  const Replaced content_off(places.tested, AblationMethod::content_off, 60);
  const Replaced position_off(places.tested, AblationMethod::position_off, 60);
  const std::vector<double> none(content_off.query_key.size());
  const HandAttention intact(content_off.batch, {content_off.query_key.begin(), content_off.query_key.end()},
                             apart_rounding(content_off.query_key), content_off.values, 3, 4);
  const HandAttention even(content_off.batch, none, none, content_off.values, 3, 4);
  for (size_t k = 0; k < intact.out.size(); ++k) {
    ASSERT_NEAR(content_off.out[k], intact.out[k], intact.bound[k] + kAttentionRounding) << k;
    ASSERT_NEAR(position_off.out[k], even.out[k], intact.bound[k] + kAttentionRounding) << k;
  }
  EXPECT_LT(*std::max_element(intact.bound.begin(), intact.bound.end()), 1e-4);
  EXPECT_GT(root_mean_square(position_off.out, intact.out), 0.05);
}

// In sequences of three tokens one of six orders of their places explains what all heads give, and orders differ.
TEST(PositionFitOfAModel, ShufflesPlacesWithinASequence) {
  const ThreadGuard one_thread(1);
  const PlacesAlone places;
  const Replaced shuffled(places.tested, AblationMethod::position_shuffled, 200);
  constexpr int64_t kRow = 24, kOut = 12, kLength = 3;
  std::set<std::vector<int64_t>> seen;
  for (int64_t s = 0; s < shuffled.batch.sequence_count(); ++s) {
    const int64_t first = shuffled.batch.offsets[static_cast<size_t>(s)];
    if (shuffled.batch.offsets[static_cast<size_t>(s) + 1] - first != kLength) continue;
    const Batch one = batch_of(places.tested.samples, Replaced::kFirst + s, 1);
    const auto values = shuffled.values.begin() + first * kOut;
    int explanations = 0;
    std::vector<int64_t> order = {0, 1, 2};
    do {
      std::vector<float> query_key;
      for (const int64_t i : order) {
        const auto row = shuffled.query_key.begin() + (first + i) * kRow;
        query_key.insert(query_key.end(), row, row + kRow);
      }
      const HandAttention hand(one, {query_key.begin(), query_key.end()}, apart_rounding(query_key),
                               {values, values + kLength * kOut}, 3, 4);
      bool equal = true;
      for (size_t k = 0; k < hand.out.size(); ++k) {
        const double out = static_cast<double>(shuffled.out[static_cast<size_t>(first * kOut) + k]);
        equal = equal && std::abs(out - hand.out[k]) <= hand.bound[k] + kAttentionRounding;
      }
      if (equal) seen.insert(order);
      explanations += equal ? 1 : 0;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(explanations, 1) << s;
  }
  EXPECT_GE(seen.size(), 3u);
}

}  // namespace position_fit_model_test
}  // namespace phasor
