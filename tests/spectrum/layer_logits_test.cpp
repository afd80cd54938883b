// Logits read back from a model are those that its attention computes, for every encoding.
#include "phasor/spectrum/layer_logits.h"

#include "encoding/biases.h"
#include "linalg/matrices.h"
#include "phasor/engine/download.h"
#include "spectrum/model_run.h"
#include "support/device.h"

namespace phasor::testing_support {
namespace layer_logits_test {

// The engine's own, computed in double and rounded to float once.
struct EngineHeads {
  std::vector<float> logits, queries, keys;
};

EngineHeads engine_heads(const Attention& attention, int64_t sequence, int64_t n) {
  const int64_t heads = attention.shape.heads, width = attention.shape.turned_width();
  const DeviceArray<float> logits(test_backend(), {}, heads * n * n);
  const DeviceArray<float> queries(test_backend(), {}, heads * n * width), keys(test_backend(), {}, heads * n * width);
  AttentionDenseForward op{.sequence = static_cast<int32_t>(sequence), .attention = attention};
  op.logits = View<float, 3>(logits.data(), heads, n, n);
  op.turned_query = View<float, 3>(queries.data(), heads, n, width);
  op.turned_key = View<float, 3>(keys.data(), heads, n, width);
  test_backend().run(op);
  return {logits.read(heads * n * n), queries.read(heads * n * width), keys.read(heads * n * width)};
}

Attention unmasked(Attention attention) {
  attention.window = attention.chunk = {};
  return attention;
}

// Equal but for the one rounding to float; `size` is of the terms, whose order of summation is free.
void expect_rounded(const Dense& got, const float* expected, bool causal, double size, const char* what) {
  for (int64_t r = 0; r < got.rows(); ++r) {
    for (int64_t c = 0; c < (causal ? r + 1 : got.columns()); ++c) {
      const double value = double{expected[r * got.columns() + c]};
      ASSERT_NEAR(got(r, c), value, 0x1p-24 * std::abs(value) + 64.0 * kUnit * size + 1e-40)
          << what << " " << r << " " << c;
    }
  }
}

double size_of_terms(const HeadLogits& head) {
  double size =
      static_cast<double>(head.width()) * head.scale * largest_magnitude(head.query) * largest_magnitude(head.key);
  if (head.bias.rows() > 0) size += largest_magnitude(head.bias);
  if (head.rows.rows() > 0) size += static_cast<double>(head.width()) * largest_magnitude(head.rows);
  return size;
}

class ModelLogits : public ::testing::TestWithParam<ModelCase> {
 protected:
  const ThreadGuard one_thread_{1};
  ModelRun run_{GetParam().config, kRaggedLengths};
};

// Of all keys: windows and chunks are not applied.
TEST_P(ModelLogits, AreThoseOfTheEngine) {
  for (int64_t l = 0; l < run_.layers(); ++l) {
    const LayerLogits layer = run_.logits(l);
    for (int64_t s = 0; s < layer.sequences(); ++s) {
      const int64_t n = layer.length(s);
      const EngineHeads engine = engine_heads(unmasked(run_.model.attention(l)), s, n);
      const std::vector<HeadLogits> heads = layer.sequence(s);
      for (int64_t h = 0; h < layer.heads(); ++h) {
        const HeadLogits& head = heads[static_cast<size_t>(h)];
        const int64_t row = h * n;
        expect_rounded(head.logits(), engine.logits.data() + row * n, head.causal, size_of_terms(head), "logit");
        std::vector<float> queries(engine.queries.begin() + row * head.width(),
                                   engine.queries.begin() + (row + n) * head.width());
        Dense unscaled = head.query;
        for (int64_t i = 0; i < static_cast<int64_t>(head.row_scale.size()); ++i) {
          // The engine gives them as they are turned. Where the factor is 0 nothing is left to compare.
          const double factor = head.row_scale[static_cast<size_t>(i)];
          for (int64_t c = 0; c < head.width(); ++c) {
            if (factor == 0.0) queries[static_cast<size_t>(i * head.width() + c)] = 0.0f;
            if (factor != 0.0) unscaled(i, c) /= factor;
          }
        }
        expect_rounded(unscaled, queries.data(), false, largest_magnitude(unscaled), "query");
        expect_rounded(head.key, engine.keys.data() + row * head.width(), false, largest_magnitude(head.key), "key");
      }
    }
  }
}

TEST_P(ModelLogits, OfZeroQueriesAreTheBias) {
  for (int64_t l = 0; l < run_.layers(); ++l) {
    const LayerLogits layer = run_.logits(l);
    Attention silent = unmasked(run_.model.attention(l));
    const int64_t tokens = run_.data.batch.token_count();
    const int64_t columns = std::max(silent.query.columns(), silent.shared_query.columns());
    // Features are 0 where the channels they are made of are far below.
    const float nothing = silent.shape.feature == FeatureMap::none ? 0.0f : -1000.0f;
    const DeviceArray<float> zeros(test_backend(), std::vector<float>(static_cast<size_t>(tokens * columns), nothing));
    silent.query = View<const float, 2>(zeros.data(), tokens, silent.query.columns());
    if (!silent.shared_query.empty()) {
      silent.shared_query = View<const float, 2>(zeros.data(), tokens, silent.shared_query.columns());
    }
    const int64_t n = layer.length(0);
    const EngineHeads engine = engine_heads(silent, 0, n);
    if (layer.tables(0).has_rows()) {
      // What is added to all queries and what keys say of distances stay.
      const Dense keys = layer.keys(0);
      const std::vector<HeadLogits> without = layer.sequence_with(0, Dense(n, keys.columns()), keys);
      for (int64_t h = 0; h < layer.heads(); ++h) {
        const HeadLogits& head = without[static_cast<size_t>(h)];
        expect_rounded(head.logits(), engine.logits.data() + h * n * n, head.causal, size_of_terms(head), "logit");
      }
      continue;
    }
    // What attention adds by whole rows of logits is part of the bias, and goes by the queries.
    const Dense none(n, layer.query_rows(0).extent(1));
    const std::vector<HeadLogits> heads = layer.sequence_with(0, none, layer.key_rows(0));
    for (int64_t h = 0; h < layer.heads(); ++h) {
      const Dense& bias = heads[static_cast<size_t>(h)].bias;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < (layer.causal() ? i + 1 : n); ++j) {
          const double expected = double{engine.logits[static_cast<size_t>((h * n + i) * n + j)]};
          // Entries of tables are floats already; differences of gates are rounded once.
          const float rounded = bias.rows() == 0 ? 0.0f : static_cast<float>(bias(i, j));
          ASSERT_EQ(double{rounded}, expected) << "layer " << l << " head " << h;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ModelLogits, ::testing::ValuesIn(logit_cases()),
                         [](const auto& tested) { return tested.param.name; });

// The factor is part of the scale: it is in logits with and without angles.
TEST(LayerLogits, OfScaledRowsHaveTheClosedFormsFactor) {
  const ThreadGuard one_thread(1);
  ModelRun scaled(small_model("scale(\"1+i/8\")[heads=0,2]+rope"), {9, 6});
  ModelRun plain(small_model("rope"), {9, 6});
  plain.model.load_parameters(scaled.model.save_parameters());
  plain.model.forward(plain.data.batch);
  const std::vector<HeadLogits> with = scaled.logits(0).sequence(1), without = plain.logits(0).sequence(1);
  for (size_t h = 0; h < 3; ++h) {
    const bool has = h != 1;
    ASSERT_EQ(with[h].row_scale.size(), has ? 6u : 0u) << h;
    const Dense logits = with[h].logits(), before = without[h].logits();
    const Dense products = with[h].plain_products(), products_before = without[h].plain_products();
    for (int64_t i = 0; i < 6; ++i) {
      const double factor = has ? 1.0 + static_cast<double>(i) / 8.0 : 1.0;
      for (int64_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(logits(i, j), factor * before(i, j), 8.0 * kUnit * size_of_terms(with[h])) << h;
        EXPECT_NEAR(products(i, j), factor * products_before(i, j), 8.0 * kUnit * size_of_terms(with[h])) << h;
      }
    }
  }
}

// The engine masks what a window and a chunk hide; what is measured is of every key, without infinities, and says so.
TEST(LayerLogits, OfWindowsAreThoseOfAllKeysAndSaySo) {
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "windows are refused";
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("rope[heads=0-1,window=3]+alibi[chunk=4,layers=1]"), {9, 6});
  for (int64_t l = 0; l < run.layers(); ++l) {
    const EngineHeads engine = engine_heads(run.model.attention(l), 0, 9);
    const std::vector<HeadLogits> heads = run.logits(l).sequence(0);
    for (int64_t h = 0; h < 3; ++h) {
      const HeadLogits& head = heads[static_cast<size_t>(h)];
      EXPECT_EQ(head.window, h < 2 ? 3 : 0);
      EXPECT_EQ(head.chunk, l == 1 ? 4 : 0);
      const Dense logits = head.logits();
      EXPECT_TRUE(all_finite(logits));
      for (int64_t i = 0; i < 9; ++i) {
        for (int64_t j = 0; j < 9; ++j) {
          const float masked = engine.logits[static_cast<size_t>((h * 9 + i) * 9 + j)];
          const bool seen = (h == 2 || std::abs(i - j) < 3) && (l == 0 || i / 4 == j / 4);
          ASSERT_EQ(std::isfinite(masked), seen) << l << " " << h << " " << i << " " << j;
          if (!seen) continue;
          ASSERT_NEAR(logits(i, j), double{masked},
                      0x1p-24 * std::abs(double{masked}) + 64.0 * kUnit * size_of_terms(head));
        }
      }
    }
  }
}

TEST(LayerLogits, SayWhichBiasIsMadeOfTokens) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("fox[heads=1]+alibi+selective_rope(rank=2)[heads=0]"), {9, 6});
  const std::vector<HeadLogits> heads = run.logits(0).sequence(0);
  for (size_t h = 0; h < heads.size(); ++h) {
    EXPECT_EQ(heads[h].gated, h == 1) << h;
    EXPECT_EQ(heads[h].rotary_pairs.empty(), h != 0) << h;
    EXPECT_EQ(heads[h].bias.rows(), 9) << h;
  }
}

TEST(LayerLogits, OfAlibiHaveTheClosedFormsBias) {
  const ThreadGuard one_thread(1);
  ModelConfig config = small_model("alibi");
  config.heads = 4;
  ModelRun run(config, {9, 6});
  for (int64_t l = 0; l < run.layers(); ++l) {
    const std::vector<HeadLogits> heads = run.logits(l).sequence(0);
    for (int64_t h = 0; h < 4; ++h) {
      const double slope = std::ldexp(1.0, static_cast<int>(-2 * (h + 1)));  // 2^(-8 (h + 1) / 4)
      for (int64_t i = 0; i < 9; ++i) {
        for (int64_t j = 0; j < 9; ++j) {
          const double bias = heads[static_cast<size_t>(h)].bias(i, j);
          EXPECT_EQ(bias, -slope * static_cast<double>(std::abs(i - j)));
          EXPECT_EQ(bias, testing_support::bias_at(run.data.encoding, l, h, i, j));
        }
      }
    }
  }
}

// BiPE (arXiv 2401.16421) by its definition: the offset's sinusoids are added to the embeddings, and logits get a bias
// by the number of segments between query and key.
TEST(LayerLogits, OfBilevelPositionsAreThoseOfTheirDefinition) {
  const ThreadGuard one_thread(1);
  ModelConfig config = small_model("segments(sinusoidal,by=\"2\")+segments(alibi,by=\"2\",axis=segment)");
  config.heads = 4;
  ModelData data(config);
  data.parameters = draw_parameters(data.layout, 61);
  const std::vector<int32_t> tokens = {4, 2, 5, 6, 2, 2, 7, 8};
  const std::vector<int32_t> segments = {0, 0, 1, 1, 1, 2, 3, 3}, offsets = {0, 1, 0, 1, 2, 0, 0, 1};
  const int32_t target = 0;
  data.batch.append(tokens.data(), 8, &target, 1, 0);
  data.batch.finish();
  Transformer model(test_backend(), data.config, data.encoding, options_for(data.batch, Dtype::f32));
  model.load_parameters(data.parameters);
  model.forward(data.batch);
  const std::vector<HeadLogits> heads = LayerLogits(model, data.batch, 1).sequence(0);
  for (int64_t h = 0; h < 4; ++h) {
    const double slope = std::ldexp(1.0, static_cast<int>(-2 * (h + 1)));
    for (size_t i = 0; i < 8; ++i) {
      for (size_t j = 0; j < 8; ++j) {
        EXPECT_EQ(heads[static_cast<size_t>(h)].bias(static_cast<int64_t>(i), static_cast<int64_t>(j)),
                  -slope * std::abs(segments[i] - segments[j]));
      }
    }
  }
  // The stream begins with the word's row and the sinusoids of the offset.
  const int64_t width = data.config.width;
  const std::vector<float> stream = download(test_backend(), model.activations().stream[0], 8);
  const int64_t table = data.layout.find("embedding.weight").offset;
  for (size_t t = 0; t < 8; ++t) {
    for (int64_t c = 0; c < width; ++c) {
      const double angle = offsets[t] * std::pow(1e4, -static_cast<double>(c / 2 * 2) / static_cast<double>(width));
      const double word = double{data.parameters[static_cast<size_t>(table + tokens[t] * width + c)]};
      const double expected = word + (c % 2 == 0 ? std::sin(angle) : std::cos(angle));
      EXPECT_NEAR(double{stream[t * static_cast<size_t>(width) + static_cast<size_t>(c)]}, expected,
                  0x1p-23 * (std::abs(word) + 1.0));
    }
  }
}

TEST(LayerLogits, KeepWhatTheyReadWhenTheModelRunsAgain) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("randomized(rope,max=30)+alibi"), kRaggedLengths);
  const LayerLogits layer = run.logits(1);
  const std::vector<HeadLogits> before = layer.sequence(0);
  run.model.forward(draw_batch(run.data.config, {4, 10}, 99));
  const std::vector<HeadLogits> after = layer.sequence(0);
  for (size_t h = 0; h < before.size(); ++h) {
    EXPECT_EQ(after[h].logits().values(), before[h].logits().values());
  }
  EXPECT_EQ(error_of([&] { run.logits(0); }),
            "the model's last pass was over another batch than this one of 39 tokens");
}

TEST(LayerLogits, ReadBfloat16) {
  PHASOR_SKIP_WITHOUT(Dtype::bf16);
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("mla(query=shared)+alibi"), kRaggedLengths, Dtype::bf16);
  const LayerLogits layer = run.logits(0);
  const int64_t n = layer.length(1);
  const EngineHeads engine = engine_heads(run.model.attention(0), 1, n);
  const std::vector<HeadLogits> heads = layer.sequence(1);
  for (int64_t h = 0; h < layer.heads(); ++h) {
    const HeadLogits& head = heads[static_cast<size_t>(h)];
    expect_rounded(head.logits(), engine.logits.data() + h * n * n, false, size_of_terms(head), "logit");
  }
}

TEST(LayerLogits, RefuseOtherShapes) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("rope"), {5});
  const LayerLogits layer = run.logits(0);
  EXPECT_EQ(error_of([&] { layer.sequence_with(0, Dense(4, 12), Dense(4, 12)); }),
            "queries and keys of this sequence are 5 x 12, not 4 x 12");
  EXPECT_EQ(error_of([&] { run.logits(2); }), "layer 2 does not exist: the model has 2");
}

}  // namespace layer_logits_test
}  // namespace phasor::testing_support
