#include "phasor/spectrum/separation.h"

#include <numbers>

#include "linalg/matrices.h"

namespace phasor {
namespace separation_test {

using namespace testing_support;
using std::numbers::pi;

const RandomStream kStream{.seed = 9, .purpose = Purpose::test, .site = 200};

// In the plane every direction can be tried.
TEST(MarginGame, FindsTheBestOfAllDirections) {
  for (uint32_t site = 140; site < 146; ++site) {
    MarginGame game;
    game.rows = random_matrix(12, 2, site, 1.2);
    game.radius = 1.7;
    if (site % 2 == 0) {
      game.slopes = random_matrix(12, 1, site + 50).values();
      game.slope = 0.8;
    }
    double best = 0.0;
    for (int i = 0; i < 3600; ++i) {
      for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double angle = 2 * pi * i / 3600;
        const double m = game.slope * share;
        best = std::max(best, margin_of(game, {1.7 * std::cos(angle), 1.7 * std::sin(angle)}, m));
        if (game.slopes.empty()) break;
      }
    }
    const MarginAnswer answer = best_margin(game, 1e-4);
    EXPECT_TRUE(answer.converged);
    EXPECT_LE(best, answer.bound + 1e-12);
    EXPECT_GE(answer.margin, best - 2e-3);
    EXPECT_LE(answer.margin, answer.bound);
    if (answer.margin > 0.0) {
      EXPECT_NEAR(margin_of(game, answer.query, answer.slope), answer.margin, 1e-12);
    }
    EXPECT_LE(norm(answer.query), 1.7 * (1 + 1e-12));
  }
}

SeparationSetting setting(int64_t width) {
  SeparationSetting s;
  s.width = width;
  s.frequencies = rotary_frequencies(width);
  s.mla_frequencies = rotary_frequencies(width / 2);
  return s;
}

Separation of(SeparationEncoding encoding, const SeparationSetting& s, const SeparationSearch& search = {}) {
  return separation(encoding, s, sampled_keys(s, kStream), kStream, search);
}

// Equal contents everywhere: only positions can tell. A table gives its whole range, a slope one step towards the
// nearest key and nothing for any other, no encoding nothing.
TEST(Separation, WithFixedContentIsKnownForBiases) {
  SeparationSetting s = setting(8);
  EXPECT_EQ(of(SeparationEncoding::nope, s).margin, 0.0);
  EXPECT_EQ(of(SeparationEncoding::nope, s).bound, 0.0);
  EXPECT_EQ(of(SeparationEncoding::relative, s).margin, s.bias_range);
  EXPECT_NEAR(of(SeparationEncoding::alibi, s).margin, 0.0, 1e-3 * s.bias_range);
  EXPECT_EQ(of(SeparationEncoding::alibi, s).positive_share, 0.0);
  s.wanted = 0;
  const Separation nearest = of(SeparationEncoding::alibi, s);
  EXPECT_NEAR(nearest.margin, s.bias_range / static_cast<double>(s.distances - 1), 1e-3 * s.bias_range);
  EXPECT_EQ(nearest.positive_share, 1.0);
}

// What a table gives to one content's distance it takes from the other's; rotations see content and serve both.
TEST(Separation, WhereContentDecidesNoBiasSeparates) {
  SeparationSetting s = setting(16);
  s.wanted_of_draw = {3, 11};
  s.draws = 2;
  for (const SeparationEncoding encoding :
       {SeparationEncoding::nope, SeparationEncoding::alibi, SeparationEncoding::relative}) {
    const Separation found = of(encoding, s);
    EXPECT_EQ(found.positive_share, 0.0) << name(encoding);
    EXPECT_NEAR(found.margin, 0.0, 1e-3) << name(encoding);
    EXPECT_NEAR(found.bound, 0.0, 1e-2) << name(encoding);
  }
  const Separation rope = of(SeparationEncoding::rope, s);
  EXPECT_GT(rope.margin, 0.05);
  s.wanted_of_draw = {3, 3};
  EXPECT_EQ(of(SeparationEncoding::relative, s).margin, s.bias_range) << "both want the same";
  s.wanted_of_draw = {3};
  EXPECT_NE(error_of([&] { of(SeparationEncoding::rope, s); }).find("1 wanted distances for 2 draws"),
            std::string::npos);
}

// One frequency: the query along the turned key wins by 1 - cos(theta), and a random one wins when it lies within half
// a turn step of it, theta / (2 pi) of all directions.
TEST(Separation, OfOneRotaryFrequencyIsKnown) {
  SeparationSetting s = setting(2);
  const double theta = 0.5;
  s.frequencies = {theta};
  s.distances = 9;
  s.wanted = 4;
  SeparationSearch search;
  search.samples = 20000;
  search.tolerance = 1e-5;
  search.levels = {0.0};
  const Separation rope = of(SeparationEncoding::rope, s, search);
  const double expected = s.query_length * s.key_length * s.scale * (1 - std::cos(theta));
  EXPECT_TRUE(rope.converged);
  EXPECT_NEAR(rope.margin, expected, 1e-3 * expected);
  EXPECT_GE(rope.bound, expected * (1 - 1e-12));
  const double share = theta / (2 * pi);
  const double error = 5 * std::sqrt(share * (1 - share) / static_cast<double>(search.samples));
  EXPECT_NEAR(rope.positive_share, share, error);
  EXPECT_EQ(rope.level_shares[0], rope.positive_share);
  EXPECT_LT(rope.fraction_shares[1], rope.fraction_shares[0]);
}

// A random table wins where its wanted entry is the largest of all: 1 / distances of them.
TEST(Separation, RandomTablesWinOnceInDistances) {
  SeparationSetting s = setting(4);
  s.distances = 8;
  SeparationSearch search;
  search.samples = 20000;
  const double share = 1.0 / 8;
  const double error = 5 * std::sqrt(share * (1 - share) / static_cast<double>(search.samples));
  EXPECT_NEAR(of(SeparationEncoding::relative, s, search).positive_share, share, error);
}

TEST(Separation, MoreContentsToServeNeverHelp) {
  SeparationSetting one = setting(8);
  one.variation = 0.2;
  SeparationSetting four = one;
  four.draws = 4;
  for (const SeparationEncoding encoding :
       {SeparationEncoding::nope, SeparationEncoding::alibi, SeparationEncoding::relative, SeparationEncoding::rope,
        SeparationEncoding::mla}) {
    const Separation few = of(encoding, one);
    const Separation many = of(encoding, four);
    EXPECT_TRUE(few.converged && many.converged) << name(encoding);
    EXPECT_LE(many.margin, few.bound) << name(encoding);
    EXPECT_LE(many.positive_share, few.positive_share) << name(encoding);
  }
}

TEST(Separation, MlaWithoutRotaryChannelsIsNope) {
  SeparationSetting s = setting(8);
  s.variation = 0.5;
  s.distances = 6;
  s.mla_frequencies.clear();
  EXPECT_EQ(of(SeparationEncoding::mla, s).margin, of(SeparationEncoding::nope, s).margin);
  s.mla_frequencies = s.frequencies;  // and with all of them rope
  EXPECT_EQ(of(SeparationEncoding::mla, s).margin, of(SeparationEncoding::rope, s).margin);
}

TEST(Separation, RefusesWhatMakesNoSense) {
  SeparationSetting s = setting(8);
  s.wanted = 32;
  EXPECT_EQ(error_of([&] { sampled_keys(s, kStream); }), "the wanted distance 32 is not one of 0 .. 31");
  s.wanted = 3;
  s.frequencies.push_back(1.0);
  EXPECT_EQ(error_of([&] { of(SeparationEncoding::rope, s); }),
            "5 frequencies turn 10 channels, more than the width 8");
  EXPECT_EQ(error_of([&] { separation(SeparationEncoding::rope, s, Dense(3, 8), kStream); }),
            "separation: keys are 3 x 8, the setting asks for 32 x 8");
}

}  // namespace separation_test
}  // namespace phasor
