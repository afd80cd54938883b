#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "encoding/rotation_probe.h"

namespace phasor {
namespace mla_test {

using namespace phasor::testing_support;

ResolvedEncoding resolved(const std::string& text, int64_t head_width = 16, int64_t positions = 20) {
  return resolve(parse_encoding(text), rotation_shape(head_width, positions));
}

TEST(Mla, TakesHalfTheWidthAndAsManyRotaryChannelsAsAHead) {
  const ResolvedEncoding encoding = resolved("mla");
  for (const LayerEncoding& layer : encoding.layers) {
    ASSERT_TRUE(layer.decoupled);
    EXPECT_EQ(*layer.decoupled,
              (DecoupledPath{.name = "mla", .key_latent = 24, .query_latent = 24, .rotary = 16, .norm = true}));
    for (const auto& head : layer.rotation) {
      ASSERT_NE(head, nullptr);
      EXPECT_EQ(head->first, 16);  // behind the content
      EXPECT_EQ(head->pairs, 8);
      EXPECT_FALSE(head->halves);
    }
  }
  EXPECT_EQ(print(parse_encoding("mla(rope=-1,kv=0)")), "mla");
}

TEST(Mla, ArgumentsReachTheirPlaces) {
  const ResolvedEncoding encoding = resolved("mla(kv=12,q=20,rope=4,layout=half,query=shared,norm=none)[layers=1]");
  EXPECT_FALSE(encoding.layers[0].decoupled);
  EXPECT_EQ(encoding.layers[0].rotation[0], nullptr);
  const DecoupledPath& path = *encoding.layers[1].decoupled;
  EXPECT_EQ(path.key_latent, 12);
  EXPECT_EQ(path.query_latent, 20);
  EXPECT_EQ(path.rotary, 4);
  EXPECT_TRUE(path.shared_query);
  EXPECT_FALSE(path.norm);
  EXPECT_EQ(encoding.layers[1].rotation[0]->pairs, 2);
  EXPECT_TRUE(encoding.layers[1].rotation[0]->halves);
}

TEST(Mla, TurnsTheRotaryChannelsAsRopeDoes) {
  const auto r = rotation("mla(rope=8,base=500)", 16, 50);
  const auto rope = rotation("rope(base=500)", 8, 50);
  EXPECT_EQ(r->query, rope->query);
  EXPECT_EQ(r->key, rope->key);
  const Vector q = random_vector(24, 2);
  const Vector k = random_vector(24, 3);
  const double size = std::sqrt(dot(q, q) * dot(k, k));
  const auto longer = rotation("mla(rope=8)", 16, 1020);
  for (const int64_t base : {0, 1, 17, 1000}) {
    EXPECT_NEAR(logit(*longer, q, k, {base + 3}, {base + 17}), logit(*longer, q, k, {3}, {17}), 1e-12 * size) << base;
  }
  const Vector y = turned(*longer, longer->query, {9}, q);
  for (size_t c = 0; c < 16; ++c) EXPECT_EQ(y[c], q[c]);
}

TEST(Mla, WithoutRotaryChannelsThereIsNoPosition) {
  const ResolvedEncoding encoding = resolved("mla(rope=0)");
  EXPECT_EQ(encoding.layers[0].decoupled->rotary, 0);
  EXPECT_EQ(encoding.layers[0].rotation[0], nullptr);
  EXPECT_EQ(traits_of("mla(rope=0)").coupling, Coupling::none);
  EXPECT_FALSE(traits_of("mla(rope=0)").neutral);
}

// --- The released table --------------------------------------------------------------------------

// "sin" = [sin0, sin2, sin4, sin6, cos0, cos2, cos4, cos6], "cos" = [sin1, .., sin7, cos1, .., cos7].
TEST(Mla, TheReleasedTableReadsSinesAndCosinesInTheWrongOrder) {
  const auto r = rotation("mla(table=released)", 16, 101);
  ASSERT_EQ(r->pairs, 8);
  EXPECT_TRUE(r->frequencies.empty());
  for (const int64_t p : {0, 1, 5, 100}) {
    const auto angle = [p](int frequency) { return static_cast<double>(p) * std::pow(10000.0, -frequency / 8.0); };
    for (int m = 0; m < 4; ++m) {
      const std::complex<double> early = factor(*r, r->query, {p}, m);
      EXPECT_NEAR(early.imag(), std::sin(angle(2 * m)), 1e-13) << p << ", " << m;
      EXPECT_NEAR(early.real(), std::sin(angle(2 * m + 1)), 1e-13) << p << ", " << m;
      const std::complex<double> late = factor(*r, r->query, {p}, 4 + m);
      EXPECT_NEAR(late.imag(), std::cos(angle(2 * m)), 1e-13) << p << ", " << m;
      EXPECT_NEAR(late.real(), std::cos(angle(2 * m + 1)), 1e-13) << p << ", " << m;
    }
  }
  EXPECT_EQ(r->key, r->query);
}

TEST(Mla, TheReleasedTableIsNoRotation) {
  const auto r = rotation("mla(table=released)", 16, 128);
  for (int64_t m = 0; m < 4; ++m) {
    EXPECT_EQ(factor(*r, r->query, {0}, m), std::complex<double>(0.0, 0.0));
    EXPECT_EQ(factor(*r, r->query, {0}, 4 + m), std::complex<double>(1.0, 1.0));
  }
  double least = 2.0;
  double most = 0.0;
  for (const std::complex<double>& value : r->query) {
    least = std::min(least, std::norm(value));
    most = std::max(most, std::norm(value));
  }
  EXPECT_EQ(least, 0.0);
  EXPECT_EQ(most, 2.0);
  // One pair's product at the same distance of 5, by hand from sin(0.1 p) and sin(0.0316 p).
  const auto kernel = [&r](int64_t i) {
    return (factor(*r, r->query, {i}, 1) * std::conj(factor(*r, r->key, {i - 5}, 1))).real();
  };
  EXPECT_EQ(kernel(5), 0.0);
  EXPECT_NEAR(kernel(25), 0.964, 1e-3);
  EXPECT_NEAR(kernel(60), 1.131, 1e-3);
  EXPECT_NEAR(kernel(100), 0.038, 1e-3);
  EXPECT_FALSE(traits_of("mla(table=released)").exactly_relative);
  EXPECT_TRUE(traits_of("mla").exactly_relative);
  EXPECT_TRUE(traits_of("mla").learnable);
}

// --- Errors --------------------------------------------------------------------------------------

TEST(Mla, SaysWhatIsWrong) {
  EXPECT_EQ(parse_error("mla(rope=7)"),
            "encoding 'mla(rope=7)': column 10: mla: rope must be even, as pairs of channels turn, not 7");
  EXPECT_EQ(
      parse_error("mla(rope=6,table=released)"),
      "encoding 'mla(rope=6,table=released)': column 10: mla: table=released is for an even number of pairs, so rope "
      "must be divisible by 4, not 6");
  EXPECT_EQ(
      parse_error("mla(rope=0,table=released)"),
      "encoding 'mla(rope=0,table=released)': column 18: mla: table is about rotary channels, and rope=0 has none");
  EXPECT_EQ(
      error_of([] { resolved("mla", 7); }),
      "encoding 'mla': column 1: mla takes as many rotary channels as a head has, 7, which 2 does not divide; give "
      "rope");
  EXPECT_EQ(
      error_of([] { resolved("mla[heads=0]"); }),
      "encoding 'mla[heads=0]': column 1: mla makes the queries and keys of all heads, so it cannot be assigned to a "
      "few");
  EXPECT_EQ(error_of([] { resolved("mla+rope"); }),
            "encoding 'rope+mla': column 6: 'rope' (column 1) and 'mla' both rotate head 0 of layer 0; give them "
            "different heads or layers");
  EXPECT_EQ(error_of([] { resolved("rope+mla(rope=0)"); }), "no error");
}

}  // namespace mla_test
}  // namespace phasor
