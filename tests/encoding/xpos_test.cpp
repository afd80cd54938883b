#include <gtest/gtest.h>

#include <cmath>

#include "encoding/rotation_probe.h"

namespace phasor {
namespace xpos_test {

using namespace phasor::testing_support;

TEST(Xpos, WithoutDecayIsRopeBitForBit) {
  for (const char* layout : {"interleaved", "half"}) {
    const auto a = rotation(std::string("xpos(scale=1,layout=") + layout + ")", 16, 100);
    const auto b = rotation(std::string("rope(layout=") + layout + ")", 16, 100);
    EXPECT_EQ(a->query, b->query);
    EXPECT_EQ(a->key, b->key);
    EXPECT_EQ(a->frequencies, b->frequencies);
    EXPECT_EQ(a->halves, b->halves);
  }
}

// The product of a pair decays by zeta in 512 positions, zeta from 0.4/1.4 for the fastest pair towards 1.
TEST(Xpos, ProductsDecayAsPublished) {
  const auto r = rotation("xpos", 8, 600);
  const auto rope = rotation("rope", 8, 600);
  for (const auto& [i, j] : {std::pair<int64_t, int64_t>{512, 0}, {599, 87}, {100, 0}, {30, 29}, {7, 7}}) {
    for (int64_t c = 0; c < 4; ++c) {
      const double zeta = (2.0 * static_cast<double>(c) + 0.4 * 8.0) / (1.4 * 8.0);
      const double decay = std::pow(zeta, static_cast<double>(i - j) / 512.0);
      const std::complex<double> product = factor(*r, r->query, {i}, c) * std::conj(factor(*r, r->key, {j}, c));
      const std::complex<double> turn =
          factor(*rope, rope->query, {i}, c) * std::conj(factor(*rope, rope->key, {j}, c));
      EXPECT_LT(std::abs(product - decay * turn), 1e-14) << i << ", " << j << ", " << c;
    }
  }
  EXPECT_NEAR(std::abs(factor(*r, r->query, {512}, 0) * factor(*r, r->key, {0}, 0)), 0.4 / 1.4, 1e-14);
}

TEST(Xpos, OneScaleIsForAllPairs) {
  const auto r = rotation("xpos(scale=0.5,decay_base=10)", 8, 41);
  for (int64_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(std::abs(factor(*r, r->query, {30}, c) * factor(*r, r->key, {20}, c)), 0.5, 1e-15);
    EXPECT_NEAR(std::abs(factor(*r, r->query, {20}, c)), 1.0, 1e-15);  // the middle
  }
}

TEST(Xpos, LogitsAreUnchangedWhenBothPositionsShift) {
  const Vector q = random_vector(16, 2);
  const Vector k = random_vector(16, 3);
  const double size = std::sqrt(dot(q, q) * dot(k, k));
  for (const char* text : {"xpos", "xpos(scale=0.3)", "xpos(layout=half,base=100,decay_base=100)"}) {
    const auto r = rotation(text, 16, 1041);
    for (const auto& [i, j] : {std::pair<int64_t, int64_t>{17, 3}, {40, 0}, {9, 9}}) {
      for (const int64_t base : {0, 1, 17, 1000}) {
        EXPECT_NEAR(logit(*r, q, k, {base + i}, {base + j}), logit(*r, q, k, {i}, {j}), 1e-12 * size) << text << base;
      }
    }
  }
}

TEST(Xpos, IsForCausalMasks) {
  EXPECT_FALSE(traits_of("xpos").bidirectional);
  EXPECT_TRUE(traits_of("xpos").exactly_relative);
  EXPECT_TRUE(traits_of("xpos").extrapolates);
}

TEST(Xpos, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { rotation("xpos(decay_base=10)", 4, 1000); }),
            "encoding 'xpos(decay_base=10)': column 1: 1000 positions need factors beyond 1e+18; decay_base must be at "
            "least 16, not 10");
  EXPECT_EQ(error_of([] { rotation("xpos(decay_base=16)", 4, 1000); }), "no error");
  EXPECT_EQ(error_of([] { rotation("xpos", 7, 4); }),
            "encoding 'xpos': column 1: xpos turns pairs of channels, so the head width must be even, not 7");
  EXPECT_EQ(parse_error("xpos(scale=2)"),
            "encoding 'xpos(scale=2)': column 12: xpos: scale must be from 0 to 1, not 2");
}

}  // namespace xpos_test
}  // namespace phasor
