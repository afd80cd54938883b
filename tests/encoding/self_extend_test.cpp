// self_extend and rerope: the distance that a key seems to have, by the angle between its factors and the query's.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "encoding/biases.h"
#include "phasor/base/phase.h"
#include "phasor/encoding/measure/encoding_card.h"

namespace phasor {
namespace self_extend_test {

using namespace testing_support;

constexpr int64_t kPositions = 40;

EncodingShape shape() {
  return {.layers = 2, .heads = 3, .head_width = 8, .width = 24, .positions = kPositions, .causal = false};
}

// e^(i w d') of query position i and key position j, pair c.
std::complex<double> factor_between(const ResolvedEncoding& encoding, int64_t i, int64_t j, int64_t c) {
  const LayerEncoding& layer = encoding.layers[0];
  const Rotation& near = *layer.rotation[0];
  const FarAngles& far = *layer.dense->far();
  const auto at = [&](const std::vector<std::complex<double>>& factors, int64_t p) {
    return factors[static_cast<size_t>(p * near.pairs + c)];
  };
  if (std::abs(i - j) < far.window) return at(near.query, i) * std::conj(at(near.key, j));
  return at(j <= i ? far.query_back : far.query_ahead, i) * std::conj(at(far.key, j));
}

// Positions are below 100, so angles are off by less than 100 roundings of 2^-53.
constexpr double kAngle = 256.0 * 0x1p-53;

// `distance` gives d' for i >= j; keys behind the query are mirrored.
template <class Distance>
void expect_distances(const std::string& text, const std::vector<double>& frequencies, const Distance& distance) {
  const ResolvedEncoding encoding = resolve_text(text, shape());
  const Rotation& near = *encoding.layers[0].rotation[0];
  ASSERT_EQ(near.pairs, static_cast<int64_t>(frequencies.size())) << text;
  for (int64_t i = 0; i < kPositions; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      for (int64_t c = 0; c < near.pairs; ++c) {
        const double w = frequencies[static_cast<size_t>(c)];
        const std::complex<double> expected = std::polar(1.0, w * distance(i, j));
        ASSERT_LT(std::abs(factor_between(encoding, i, j, c) - expected), kAngle) << text << " " << i << " " << j;
        const std::complex<double> ahead = std::polar(1.0, -w * distance(i, j));
        if (text.find("self_extend") == std::string::npos) {
          ASSERT_LT(std::abs(factor_between(encoding, j, i, c) - ahead), kAngle) << text << " " << j << " " << i;
        }
      }
    }
  }
}

std::vector<double> frequencies_of(double base, int64_t channels) {
  std::vector<double> result;
  for (int64_t c = 0; c < channels / 2; ++c) {
    result.push_back(std::pow(base, -2.0 * static_cast<double>(c) / static_cast<double>(channels)));
  }
  return result;
}

TEST(SelfExtend, CountsFarDistancesInGroups) {
  for (const auto& [group, window] : {std::pair<int64_t, int64_t>{4, 16}, {3, 5}, {2, 1}, {7, 3}, {1, 9}}) {
    const int64_t g = group, w = window;
    expect_distances(
        "self_extend(group=" + std::to_string(g) + ",window=" + std::to_string(w) + ")", frequencies_of(10000, 8),
        [=](int64_t i, int64_t j) { return static_cast<double>(i - j < w ? i - j : i / g - j / g + w - w / g); });
  }
}

TEST(SelfExtend, IsMirroredForKeysBehindTheQuery) {
  const ResolvedEncoding encoding = resolve_text("self_extend(group=3,window=5)", shape());
  const std::vector<double> frequencies = frequencies_of(10000, 8);
  for (int64_t i = 0; i < kPositions; ++i) {
    for (int64_t j = i + 5; j < kPositions; ++j) {
      for (int64_t c = 0; c < 4; ++c) {
        const auto distance = static_cast<double>(i / 3 - j / 3 - (5 - 5 / 3));
        ASSERT_LT(std::abs(factor_between(encoding, i, j, c) -
                           std::polar(1.0, distance * frequencies[static_cast<size_t>(c)])),
                  kAngle);
      }
    }
  }
}

TEST(SelfExtend, OfGroupsOfOneIsRopeBitForBit) {
  const ResolvedEncoding encoding = resolve_text("self_extend(group=1,window=7)", shape());
  const ResolvedEncoding rope = resolve_text("rope", shape());
  const FarAngles& far = *encoding.layers[1].dense->far();
  EXPECT_EQ(far.query_back, rope.layers[1].rotation[0]->query);
  EXPECT_EQ(far.query_ahead, rope.layers[1].rotation[0]->query);
  EXPECT_EQ(far.key, rope.layers[1].rotation[0]->key);
  EXPECT_EQ(encoding.layers[1].rotation[0]->query, rope.layers[1].rotation[0]->query);
}

TEST(Rerope, ClipsDistances) {
  for (const int64_t window : {1, 4, 16, 100}) {
    expect_distances("rerope(window=" + std::to_string(window) + ")", frequencies_of(10000, 8),
                     [=](int64_t i, int64_t j) { return static_cast<double>(std::min(i - j, window)); });
  }
}

TEST(Rerope, LeaksByASlope) {
  expect_distances("rerope(window=6,leak=0.25,base=100,fraction=0.5,layout=half)", frequencies_of(100, 4),
                   [](int64_t i, int64_t j) {
                     const auto d = static_cast<double>(i - j);
                     return d < 6.0 ? d : 6.0 + 0.25 * (d - 6.0);
                   });
  const ResolvedEncoding all = resolve_text("rerope(window=3,leak=1)", shape());
  EXPECT_EQ(all.layers[0].dense->far()->query_back, all.layers[0].rotation[0]->query);
  EXPECT_EQ(all.layers[0].dense->far()->key, all.layers[0].rotation[0]->key);
}

TEST(Rerope, TurnsTheHeadsAndLayersItIsGiven) {
  const ResolvedEncoding encoding = resolve_text("rerope[heads=1][layers=1]+rope[heads=0,2]", shape());
  EXPECT_EQ(encoding.layers[0].dense, nullptr);
  EXPECT_EQ(encoding.layers[0].rotation[1], nullptr);
  EXPECT_EQ(encoding.layers[1].dense->heads, std::vector<int64_t>{1});
  EXPECT_TRUE(encoding.layers[1].dense->has(1));
  EXPECT_FALSE(encoding.layers[1].dense->has(0));
  EXPECT_EQ(encoding.layers[1].dense->far()->window, 16);
  EXPECT_FALSE(encoding.layers[1].dense->by_content());
}

TEST(Rerope, CardsLeaveMeasuresOut) {
  for (const std::string text : {"rerope", "self_extend(group=2)", "rerope[layers=0]+alibi"}) {
    const EncodingCard card = make_card(parse_encoding(text), shape(), 0);
    EXPECT_NE(card.left_out.find("Far keys see another angle"), std::string::npos) << text << ": " << card.left_out;
    EXPECT_TRUE(card.kernels.empty()) << text;
    EXPECT_NE(card_text(card).find("X another rotation for far keys"), std::string::npos) << card_text(card);
    EXPECT_FALSE(card.rotary_pairs.empty()) << text;
  }
}

}  // namespace self_extend_test
}  // namespace phasor
