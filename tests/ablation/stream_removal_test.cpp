#include "phasor/ablation/stream_removal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ablation/backfit.h"
#include "ablation/sweep_case.h"
#include "model/thread_guard.h"
#include "phasor/ablation/head_rows.h"
#include "phasor/base/error.h"
#include "phasor/engine/download.h"
#include "phasor/statistics/distribution.h"
#include "support/backend.h"

namespace phasor {
namespace stream_removal_test {

using testing_support::backfitted_parts;
using testing_support::kPartRounding;
using testing_support::length_of;
using testing_support::model_case;
using testing_support::ModelCase;
using testing_support::small_model;
using testing_support::SweepCase;
using testing_support::test_backend;
using testing_support::ThreadGuard;

constexpr double kFloatRounding = 0x1.0p-24;
constexpr int64_t kSamples = 90;  // of which 45 in a half know the places that 16 have

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

RemovalScore mean_of(const SampleScores& scores) { return {mean(scores.loss), mean(scores.correct)}; }

StreamRemoval removal_of(const SweepCase& tested, const RemovalOptions& options) {
  const std::optional<StreamRemoval> removal = remove_positions(*tested.model, tested.samples, options);
  EXPECT_TRUE(removal.has_value());
  return removal.value_or(StreamRemoval{});
}

Batch all_samples(const Dataset& samples) {
  Batch batch;
  for (int64_t i = 0; i < samples.size(); ++i) samples.append_to(batch, i);
  batch.finish();
  return batch;
}

double norm(const std::vector<double>& rows, int64_t row, int64_t columns) {
  double squares = 0.0;
  for (int64_t c = 0; c < columns; ++c) {
    const double x = rows[static_cast<size_t>(row * columns + c)];
    squares += x * x;
  }
  return std::sqrt(squares);
}

// Rows as a stream could have them, of samples with lengths from 3 to 8.
struct DrawnRows {
  static constexpr int64_t kColumns = 5, kWords = 6;
  Batch batch;
  std::vector<float> rows;

  explicit DrawnRows(int64_t samples) {
    const RandomStream stream{.seed = 11, .purpose = Purpose::test, .site = 31};
    Draws draws({.seed = 11, .purpose = Purpose::test, .site = 32});
    for (int64_t s = 0; s < samples; ++s) {
      std::vector<int32_t> tokens(static_cast<size_t>(3 + s / 2 % 6));
      for (int32_t& word : tokens) word = static_cast<int32_t>(draws.below(kWords));
      const int32_t target = 0;
      batch.append(tokens.data(), static_cast<int64_t>(tokens.size()), &target, 1, 0);
    }
    batch.finish();
    for (int64_t k = 0; k < batch.token_count() * kColumns; ++k) {
      const auto token = static_cast<size_t>(k / kColumns);
      const double level = 0.3 * batch.positions[token] - 0.2 * batch.tokens[token];
      rows.push_back(static_cast<float>(level + normal(stream, static_cast<uint64_t>(k))));
    }
  }
  PositionFit fit() const {
    PositionFit fit(kWords, 8, kColumns);
    fit.add(batch, 0, rows);
    fit.solve();
    return fit;
  }
};

TEST(PositionParts, AreThePlacesPartsOfTheOtherHalf) {
  const DrawnRows drawn(120);
  const std::vector<double> parts = position_parts(drawn.fit(), drawn.batch, 0);
  const std::vector<double> expected = backfitted_parts(drawn.batch, drawn.rows, DrawnRows::kColumns);
  ASSERT_EQ(parts.size(), expected.size());
  for (size_t k = 0; k < parts.size(); ++k) EXPECT_NEAR(parts[k], expected[k], kPartRounding) << k;
  EXPECT_GT(norm(parts, 0, DrawnRows::kColumns), 0.5);  // the rows rise with the index
}

TEST(PositionParts, OfALaterBatchGoByItsSamplesNumbers) {
  const DrawnRows drawn(120);
  const std::vector<double> parts = position_parts(drawn.fit(), drawn.batch, 0);
  Batch later;
  for (int64_t s = 35; s < 40; ++s) {
    const int32_t target = 0;
    later.append(drawn.batch.tokens.data() + drawn.batch.offsets[static_cast<size_t>(s)], length_of(drawn.batch, s),
                 &target, 1, 0);
  }
  const auto first = parts.begin() + drawn.batch.offsets[35] * DrawnRows::kColumns;
  const auto end = parts.begin() + drawn.batch.offsets[40] * DrawnRows::kColumns;
  EXPECT_EQ(position_parts(drawn.fit(), later, 35), std::vector<double>(first, end));
  EXPECT_NE(position_parts(drawn.fit(), later, 36), std::vector<double>(first, end));
}

TEST(PositionParts, OfASampleDoNotDependOnItself) {
  DrawnRows drawn(120);
  const std::vector<double> before = position_parts(drawn.fit(), drawn.batch, 0);
  const int64_t first = drawn.batch.offsets[17] * DrawnRows::kColumns;
  const int64_t end = drawn.batch.offsets[18] * DrawnRows::kColumns;
  for (int64_t k = first; k < end; ++k) drawn.rows[static_cast<size_t>(k)] *= -20.0f;
  const std::vector<double> after = position_parts(drawn.fit(), drawn.batch, 0);
  EXPECT_TRUE(std::equal(after.begin() + first, after.begin() + end, before.begin() + first));
  double moved = 0.0;
  for (size_t k = 0; k < after.size(); ++k) moved = std::max(moved, std::abs(after[k] - before[k]));
  EXPECT_GT(moved, 0.1);
}

TEST(RandomParts, AreAsLongAsThePartsAndTheSameForAllSamples) {
  constexpr int64_t kColumns = DrawnRows::kColumns;
  const DrawnRows drawn(216);  // 18 of each length in each half: p is known at every index
  const std::vector<double> parts = position_parts(drawn.fit(), drawn.batch, 0);
  const std::vector<double> random = random_parts(drawn.batch, parts, 0, 1, 2);
  for (int64_t t = 0; t < drawn.batch.token_count(); ++t) {
    const double length = norm(parts, t, kColumns);
    EXPECT_NEAR(norm(random, t, kColumns), length, 16 * 0x1.0p-53 * length);
    const int64_t index = drawn.batch.positions[static_cast<size_t>(t)];  // sample 10 is the first of length 8
    const int64_t same = drawn.batch.offsets[10] + index;
    for (int64_t c = 0; c < kColumns; ++c) {
      const double there = random[static_cast<size_t>(same * kColumns + c)] / norm(random, same, kColumns);
      EXPECT_NEAR(random[static_cast<size_t>(t * kColumns + c)], length * there, 32 * 0x1.0p-53 * length);
    }
  }
  const std::vector<double> none(parts.size());
  EXPECT_EQ(random_parts(drawn.batch, none, 0, 1, 2), none);
}

// The cosine of directions drawn apart in w dimensions has mean 0 and variance 1 / w.
TEST(RandomParts, OfOtherSeedsLayersDrawsAndIndicesAreUnrelated) {
  constexpr int64_t kWidth = 20, kLength = 50;
  const std::vector<int32_t> tokens(kLength);
  const int32_t target = 0;
  Batch batch;
  batch.append(tokens.data(), kLength, &target, 1, 0);
  const std::vector<double> parts(kLength * kWidth, 1.0 / std::sqrt(static_cast<double>(kWidth)));
  const std::vector<double> base = random_parts(batch, parts, 0, 0, 0);
  const auto expect_unrelated = [&](const std::vector<double>& x, const std::vector<double>& y, int64_t shift) {
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < kLength; ++i) {
      double cosine = 0.0;
      for (int64_t c = 0; c < kWidth; ++c) {
        cosine += x[static_cast<size_t>(i * kWidth + c)] * y[static_cast<size_t>((i + shift) % kLength * kWidth + c)];
      }
      sum += cosine, squares += cosine * cosine;
    }
    // Five deviations; a squared cosine varies by at most 2 / w^2.
    EXPECT_NEAR(sum / kLength, 0.0, 5.0 / std::sqrt(static_cast<double>(kLength * kWidth)));
    EXPECT_NEAR(squares / kLength, 1.0 / kWidth, 5.0 / kWidth * std::sqrt(2.0 / kLength));
  };
  expect_unrelated(base, base, 1);
  expect_unrelated(base, random_parts(batch, parts, 1, 0, 0), 0);
  expect_unrelated(base, random_parts(batch, parts, 0, 1, 0), 0);
  expect_unrelated(base, random_parts(batch, parts, 0, 0, 1), 0);
  expect_unrelated(base, parts, 0);  // no direction is preferred
}

// A whole pass, the stream changed by hand, and on from there.
struct NaiveRemoval {
  const SweepCase& tested;
  Batch batch = all_samples(tested.samples);
  int64_t width = tested.data.config.width;

  std::vector<float> stream(int64_t layer) const {
    return download(test_backend(), tested.model->activations().stream[static_cast<size_t>(2 * layer)],
                    batch.token_count());
  }
  std::vector<float> rows(int64_t layer) const {
    tested.model->forward(batch);
    return stream(layer);
  }
  SampleScores without(int64_t layer, const std::vector<double>& parts) const {
    std::vector<float> changed = rows(layer);
    for (size_t k = 0; k < changed.size(); ++k) {
      changed[k] = static_cast<float>(static_cast<double>(changed[k]) - parts[k]);
    }
    test_backend().copy_in(tested.model->activations().stream[static_cast<size_t>(2 * layer)].data(), changed.data(),
                           changed.size() * sizeof(float));
    tested.model->evaluate_from(batch, layer, LayerPart::norm);
    SampleScores scores(tested.samples.size());
    add_scores(*tested.model, batch, 0, 1.0, scores);
    return scores;
  }
  std::vector<double> input_parts() const {
    const std::vector<float> embedded = rows(0);
    std::vector<double> parts(embedded.begin(), embedded.end());
    for (size_t t = 0; t < batch.tokens.size(); ++t) {
      for (int64_t c = 0; c < tested.data.encoding.embedding_width; ++c) {
        const int64_t word = tested.data.layout.embedding + batch.tokens[t] * tested.data.encoding.embedding_width + c;
        parts[t * static_cast<size_t>(width) + static_cast<size_t>(c)] -=
            static_cast<double>(tested.data.parameters[static_cast<size_t>(word)]);
      }
    }
    return parts;
  }
  double norm_share(int64_t layer, const std::vector<double>& parts) const {
    const std::vector<float> x = rows(layer);
    const auto columns = static_cast<size_t>(width);
    std::vector<std::vector<double>> centre(2, std::vector<double>(columns));  // of each half
    std::vector<double> tokens(2);
    std::vector<size_t> half;  // of each token
    for (int64_t s = 0; s < batch.sequence_count(); ++s) {
      half.insert(half.end(), static_cast<size_t>(length_of(batch, s)), static_cast<size_t>(s % 2));
      tokens[static_cast<size_t>(s % 2)] += static_cast<double>(length_of(batch, s));
    }
    for (size_t k = 0; k < x.size(); ++k) {
      const size_t own = half[k / columns];
      centre[own][k % columns] += static_cast<double>(x[k]) / tokens[own];
    }
    double part = 0.0, all = 0.0;
    for (size_t k = 0; k < x.size(); ++k) {
      part += parts[k] * parts[k];
      all += std::pow(static_cast<double>(x[k]) - centre[1 - half[k / columns]][k % columns], 2);
    }
    return part / all;
  }
};

// Half of the interval of a mean, by Student's t.
double half_width(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double centre = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return statistics::student_quantile(0.975, count - 1.0) * std::sqrt(squares / (count - 1.0) / count);
}

std::vector<ModelCase> removal_cases() {
  std::vector<ModelCase> cases;
  const auto add = [&](const char* name, const char* encoding, const auto& change) {
    cases.push_back(model_case(name, small_model(encoding), change));
  };
  const auto same = [](ModelConfig&) {};
  add("nope", "nope", same);
  add("sinusoidal", "sinusoidal", same);
  add("concat_learned_and_rope", "concat(learned(init=1),width=3)+rope", same);
  add("randomized_learned", "randomized(learned,max=20)", same);
  add("keys_from_input", "sinusoidal", [](ModelConfig& config) { config.kv_source = KvSource::input; });
  add("causal_every_three_layers", "alibi", [](ModelConfig& config) {
    config.causal = true;
    config.readout = Readout::every;
    config.layers = 3;
  });
  add("mla_rms_gelu", "mla", [](ModelConfig& config) {
    config.norm = NormKind::rms;
    config.ffn = Activation::gelu;
    config.final_norm = false;
  });
  return cases;
}

class RemovalOf : public testing::TestWithParam<ModelCase> {};

// A part that is off by a rounding of double flips the rounding of a stream's element to fp32 once in 2^28 or so. If it
// does, losses of size 1 to 5 move by some roundings of fp32.
TEST_P(RemovalOf, EqualsPassesChangedByHand) {
  PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE();
  const ThreadGuard one_thread(1);
  const SweepCase tested(GetParam().config, kSamples);
  const RemovalOptions options{.samples = kSamples, .batch = 7, .draws = 3, .seed = 5};
  const StreamRemoval removal = removal_of(tested, options);
  const NaiveRemoval naive{tested};
  constexpr double kBound = 64 * kFloatRounding;
  const auto expect_score = [&](const RemovalScore& got, const SampleScores& expected) {
    EXPECT_NEAR(got.loss, mean(expected.loss), kBound);
    EXPECT_NEAR(got.accuracy, mean(expected.correct), 1e-12);
  };
  EXPECT_EQ(removal.intact, mean_of(tested.intact()));
  ASSERT_EQ(static_cast<int64_t>(removal.layers.size()), tested.data.config.layers);
  for (int64_t l = 0; l < tested.data.config.layers; ++l) {
    SCOPED_TRACE(l);
    const LayerRemoval& layer = removal.layers[static_cast<size_t>(l)];
    EXPECT_EQ(layer.layer, l);
    const std::vector<double> parts = backfitted_parts(naive.batch, naive.rows(l), naive.width);
    const SampleScores means = naive.without(l, parts);
    expect_score(layer.means, means);
    ASSERT_EQ(layer.input_term.has_value(), tested.data.encoding.input.has_value());
    if (layer.input_term) expect_score(*layer.input_term, naive.without(l, naive.input_parts()));
    ASSERT_EQ(layer.random.size(), 3u);
    std::vector<double> excess(means.loss.begin(), means.loss.end()), draws;
    for (int64_t draw = 0; draw < 3; ++draw) {
      const SampleScores random = naive.without(l, random_parts(naive.batch, parts, options.seed, l, draw));
      expect_score(layer.random[static_cast<size_t>(draw)], random);
      draws.push_back(mean(random.loss));
      for (size_t s = 0; s < excess.size(); ++s) excess[s] -= static_cast<double>(random.loss[s]) / 3.0;
    }
    const double centre = std::accumulate(excess.begin(), excess.end(), 0.0) / kSamples;
    const double half = std::hypot(half_width(excess), half_width(draws));
    EXPECT_NEAR(layer.excess.value, centre, kBound);
    // The deviation of three draws counts t / sqrt(3) = 2.5 times.
    EXPECT_NEAR(layer.excess.low, centre - half, 8.0 * kBound);
    EXPECT_NEAR(layer.excess.high, centre + half, 8.0 * kBound);
    const double share = naive.norm_share(l, parts);
    // Streams deviate by more than 1/2 from their mean.
    constexpr double kOff = 2.0 * kPartRounding;
    EXPECT_NEAR(layer.norm_share, share, 1e-11 * share + 2.0 * std::sqrt(share) * kOff + kOff * kOff);
    // What enters the first layer is words, and position where the encoding adds it.
    if (l == 0 && !layer.input_term)
      EXPECT_LE(share, kOff * kOff);
    else
      EXPECT_GT(share, 1e-3);
  }
}

TEST_P(RemovalOf, IsTheSameAtAnyBatchSize) {
  PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE();
  const ThreadGuard one_thread(1);
  const SweepCase tested(GetParam().config, kSamples);
  const StreamRemoval expected = removal_of(tested, {.samples = kSamples, .batch = kSamples, .draws = 2});
  for (const int64_t batch : {1, 7}) {
    EXPECT_EQ(removal_of(tested, {.samples = kSamples, .batch = batch, .draws = 2}), expected) << batch;
  }
}

// Fifteen samples in each half are too few to know of any place.
TEST_P(RemovalOf, OfNothingChangesNothing) {
  const ThreadGuard one_thread(1);
  const SweepCase tested(GetParam().config, kSamples);
  const StreamRemoval removal = removal_of(tested, {.samples = 30, .batch = 7, .draws = 2});
  for (const LayerRemoval& layer : removal.layers) {
    EXPECT_EQ(layer.means, removal.intact);
    for (const RemovalScore& random : layer.random) EXPECT_EQ(random, removal.intact);
    EXPECT_EQ(layer.excess, RemovalExcess{});
    EXPECT_EQ(layer.norm_share, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RemovalOf, testing::ValuesIn(removal_cases()),
                         [](const auto& tested) { return tested.param.name; });

// Without an encoding, and otherwise with the numbers of a model that has one.
SweepCase without_encoding(const SweepCase& with, int64_t samples, Dtype precision = Dtype::f32) {
  ModelConfig config = with.data.config;
  config.encoding = "nope";
  SweepCase bare(config, samples, precision);
  for (const Parameter& entry : bare.data.layout.entries()) {
    const Parameter& from = with.data.layout.find(entry.name);
    std::copy_n(with.data.parameters.begin() + from.offset, entry.size, bare.data.parameters.begin() + entry.offset);
  }
  bare.model->load_parameters(bare.data.parameters);
  return bare;
}

struct InputCase {
  const char* encoding;
  KvSource kv_source = KvSource::hidden;
  Dtype precision = Dtype::f32;
};

// x = fl(e + P) less (x - e), both in double, is e: not a bit differs.
TEST(InputTermRemoval, AtTheFirstLayerLeavesTheModelWithoutEncoding) {
  PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE();
  const ThreadGuard one_thread(1);
  for (const InputCase& input :
       {InputCase{"sinusoidal"}, InputCase{"learned"}, InputCase{"input(\"a*cos(i*c)\",a=learned(1))"},
        InputCase{"sinusoidal", KvSource::input}, InputCase{"sinusoidal", KvSource::hidden, Dtype::bf16},
        InputCase{"learned", KvSource::input, Dtype::bf16}}) {
    if (!test_backend().supports(input.precision)) continue;
    SCOPED_TRACE(std::string(input.encoding) + " " + name(input.precision));
    ModelConfig config = small_model(input.encoding);
    config.kv_source = input.kv_source;
    const SweepCase tested(config, kSamples, input.precision);
    const SweepCase bare = without_encoding(tested, kSamples, input.precision);
    const StreamRemoval removal = removal_of(tested, {.batch = 7, .draws = 1});
    const RemovalScore expected = mean_of(bare.intact());
    EXPECT_EQ(removal.layers[0].input_term, expected);
    EXPECT_NE(removal.intact, expected);
  }
}

// Blocks that add nothing leave the embeddings in the stream of every layer.
TEST(InputTermRemoval, AtAnyLayerOfAnEmptyModelLeavesTheModelWithoutEncoding) {
  const ThreadGuard one_thread(1);
  SweepCase tested(small_model("sinusoidal"), kSamples);
  for (const Parameter& entry : tested.data.layout.entries()) {
    const bool adds = entry.name.find("output.") != std::string::npos || entry.name.find("down.") != std::string::npos;
    if (adds) std::fill_n(tested.data.parameters.begin() + entry.offset, entry.size, 0.0f);
  }
  tested.model->load_parameters(tested.data.parameters);
  const SweepCase bare = without_encoding(tested, kSamples);
  const StreamRemoval removal = removal_of(tested, {.draws = 1});
  for (const LayerRemoval& layer : removal.layers) EXPECT_EQ(layer.input_term, mean_of(bare.intact()));
  EXPECT_EQ(removal.layers[1].means, removal.layers[0].means);
  EXPECT_EQ(removal.layers[1].norm_share, removal.layers[0].norm_share);
}

// A model that knows nothing but the index: channel 2 + i of token i is 1, and the logit of class i is kGain times it.
struct IndexWorld {
  static constexpr double kGain = 6.0;
  static constexpr int64_t kLength = 10, kCount = 40;
  SweepCase tested;

  static ModelConfig config() {
    ModelConfig config = small_model("concat(learned,width=10)");
    config.classes = kLength;
    config.readout = Readout::every;
    config.final_norm = false;
    return config;
  }
  IndexWorld() : tested(config(), kCount) {
    std::vector<float>& numbers = tested.data.parameters;
    std::fill(numbers.begin(), numbers.end(), 0.0f);
    const int64_t table = tested.data.layout.encoding_entry(0).offset;
    const LinearSlot& readout = tested.data.layout.readout;
    for (int64_t i = 0; i < kLength; ++i) {
      numbers[static_cast<size_t>(table + i * kLength + i)] = 1.0f;
      numbers[static_cast<size_t>(readout.weight + i * readout.in + 2 + i)] = static_cast<float>(kGain);
    }
    tested.model->load_parameters(numbers);
    tested.samples = Dataset();
    for (int32_t s = 0; s < kCount; ++s) {
      Sample sample;
      for (int32_t i = 0; i < kLength; ++i) sample.tokens.push_back((s + i) % 9), sample.targets.push_back(i);
      tested.samples.append(sample);
    }
  }
  // The mean loss when these vectors are taken out, in double.
  static double loss_without(const std::vector<double>& parts, int64_t width) {
    double total = 0.0;
    for (int64_t i = 0; i < kLength; ++i) {
      double sum = 0.0, own = 0.0;
      for (int64_t k = 0; k < kLength; ++k) {
        const double x = (k == i ? 1.0 : 0.0) - parts[static_cast<size_t>(i * width + 2 + k)];
        sum += std::exp(kGain * x);
        if (k == i) own = kGain * x;
      }
      total += std::log(sum) - own;
    }
    return total / kLength;
  }
};

TEST(StreamRemovalOfAnIndex, LeavesAnEvenGuess) {
  const ThreadGuard one_thread(1);
  const IndexWorld world;
  constexpr int64_t draws = 4;
  const int64_t width = world.tested.data.config.width;
  const StreamRemoval removal = removal_of(world.tested, {.draws = draws, .seed = 9});
  // Logits up to 6 and losses up to 3 in fp32, the latter also stored so.
  constexpr double kBound = 16.0 * 6.0 * kFloatRounding;
  EXPECT_NEAR(removal.intact.loss, std::log(1.0 + 9.0 * std::exp(-IndexWorld::kGain)), kBound);
  EXPECT_EQ(removal.intact.accuracy, 1.0);
  std::vector<double> parts(static_cast<size_t>(IndexWorld::kLength * width));  // e_i - 1/10
  for (int64_t i = 0; i < IndexWorld::kLength; ++i) {
    for (int64_t k = 0; k < IndexWorld::kLength; ++k) {
      parts[static_cast<size_t>(i * width + 2 + k)] = (k == i ? 1.0 : 0.0) - 0.1;
    }
  }
  Batch one;
  world.tested.samples.append_to(one, 0);
  for (int64_t l = 0; l < 2; ++l) {
    const LayerRemoval& layer = removal.layers[static_cast<size_t>(l)];
    EXPECT_NEAR(layer.means.loss, std::log(10.0), kBound);
    EXPECT_NEAR(layer.means.accuracy, 0.1, kFloatRounding);  // of equal logits the first class
    ASSERT_TRUE(layer.input_term.has_value());
    EXPECT_NEAR(layer.input_term->loss, std::log(10.0), kBound);
    EXPECT_NEAR(layer.norm_share, 1.0, 1e-13);
    std::vector<double> random;
    for (int64_t draw = 0; draw < draws; ++draw) {
      random.push_back(IndexWorld::loss_without(random_parts(one, parts, 9, l, draw), width));
      EXPECT_NEAR(layer.random[static_cast<size_t>(draw)].loss, random.back(), kBound);
    }
    const double excess = std::log(10.0) - std::accumulate(random.begin(), random.end(), 0.0) / draws;
    EXPECT_NEAR(layer.excess.value, excess, 2.0 * kBound);
    // Every sample costs the same, and draws differ; t / sqrt(4) = 1.6.
    EXPECT_NEAR(layer.excess.low, excess - half_width(random), 4.0 * kBound);
    EXPECT_NEAR(layer.excess.high, excess + half_width(random), 4.0 * kBound);
    EXPECT_GT(layer.excess.low, 0.5);
  }
}

// One draw says nothing of how draws differ.
TEST(StreamRemovalOfAnIndex, WithOneDrawHasTheSpreadOfSamplesAlone) {
  const ThreadGuard one_thread(1);
  const IndexWorld world;
  for (const LayerRemoval& layer : removal_of(world.tested, {.draws = 1, .seed = 9}).layers) {
    // Losses of samples are equal but for roundings of fp32.
    EXPECT_NEAR(layer.excess.low, layer.excess.value, 16.0 * 6.0 * kFloatRounding);
    EXPECT_NEAR(layer.excess.high, layer.excess.value, 16.0 * 6.0 * kFloatRounding);
  }
}

TEST(StreamRemoval, IsTheSameAtAnyThreadCount) {
  const SweepCase tested(small_model("sinusoidal+rope"), 40);
  StreamRemoval expected;
  for (const int threads : {1, 2, 4}) {
    const ThreadGuard guard(threads);
    const StreamRemoval removal = removal_of(tested, {.draws = 1});
    if (threads == 1) expected = removal;
    EXPECT_EQ(removal, expected) << threads << " threads";
  }
}

TEST(StreamRemoval, LeavesParametersAlone) {
  const ThreadGuard one_thread(1);
  const SweepCase tested(small_model("learned"), kSamples);
  removal_of(tested, {.draws = 1});
  EXPECT_EQ(tested.model->save_parameters(), tested.data.parameters);
}

TEST(StreamRemoval, TakesTheFirstSamples) {
  const ThreadGuard one_thread(1);
  SweepCase tested(small_model("sinusoidal"), kSamples);
  const StreamRemoval first = removal_of(tested, {.samples = 60, .draws = 1});
  Dataset fewer;
  for (int64_t i = 0; i < 60; ++i) {
    const auto tokens = tested.samples.tokens(i), targets = tested.samples.targets(i);
    fewer.append({.tokens = {tokens.begin(), tokens.end()}, .targets = {targets.begin(), targets.end()}});
  }
  EXPECT_NE(first, removal_of(tested, {.draws = 1}));
  tested.samples = fewer;
  EXPECT_EQ(first, removal_of(tested, {.draws = 1}));
  EXPECT_NE(first, removal_of(tested, {.draws = 1, .seed = 1}));
}

TEST(StreamRemoval, TellsHowFarItIsAndStops) {
  const ThreadGuard one_thread(1);
  const SweepCase tested(small_model("sinusoidal"), 30);
  std::vector<double> shares;
  const RemovalOptions options{.batch = 13, .draws = 2};
  ASSERT_TRUE(remove_positions(*tested.model, tested.samples, options, [&](double share) {
    shares.push_back(share);
    return true;
  }));
  // Three batches: a pass to gather, one intact, and for each of two layers p, P and two draws.
  ASSERT_EQ(shares.size(), 3u * (2u + 2u * 4u));
  for (size_t k = 0; k < shares.size(); ++k) {
    EXPECT_NEAR(shares[k], static_cast<double>(k + 1) / static_cast<double>(shares.size()), 1e-15);
  }
  for (size_t stop = 0; stop < shares.size(); ++stop) {
    size_t calls = 0;
    EXPECT_FALSE(remove_positions(*tested.model, tested.samples, options, [&](double) { return calls++ < stop; }));
    EXPECT_EQ(calls, stop + 1);
  }
}

TEST(StreamRemoval, RefusesWhatCannotBeMeasured) {
  const SweepCase tested(small_model("nope"), 3);
  EXPECT_THROW(remove_positions(*tested.model, Dataset(), {}), UsageError);
  EXPECT_THROW(remove_positions(*tested.model, tested.samples, {.samples = 0}), UsageError);
  EXPECT_THROW(remove_positions(*tested.model, tested.samples, {.batch = 0}), UsageError);
  EXPECT_THROW(remove_positions(*tested.model, tested.samples, {.draws = 0}), UsageError);
}

}  // namespace stream_removal_test
}  // namespace phasor
