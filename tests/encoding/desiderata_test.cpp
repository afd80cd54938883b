#include "phasor/encoding/measure/desiderata.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/encoding/measure/road.h"
#include "phasor/encoding/measure/usual_shape.h"

namespace phasor {
namespace desiderata_test {

using Place = CodeSite::Place;
using Origin = Desiderata::Origin::Kind;

Desiderata measured(const std::string& text) {
  const Encoding encoding = parse_encoding(text);
  const std::vector<Desiderata> all = measure_desiderata(encoding, usual_shape(encoding));
  EXPECT_EQ(all.size(), 1u) << text;
  return all.at(0);
}

constexpr double kTolerance = 1e-12;
constexpr double kLinear = 1e-11;  // what rounding leaves of an exact map

// --- The road: every number by hand, on 128 positions of width 64 ---------------------------------

TEST(Desiderata, OfNothing) {
  const Desiderata d = measured("nope");
  EXPECT_EQ(d.site.place, Place::none);
  EXPECT_EQ(d.unique.verdict, Fulfilment::fail) << "all positions look alike";
  for (const Fulfilment other : {d.shift.verdict, d.bounded.verdict, d.origin.verdict, d.n_dimensional}) {
    EXPECT_EQ(other, Fulfilment::not_applicable);
  }
}

TEST(Desiderata, OfTheInteger) {
  const Desiderata d = measured("integer");
  EXPECT_NEAR(d.unique.nearest, 1.0 / 63.5, kTolerance);
  EXPECT_EQ(d.unique.length_difference, 0.0);
  EXPECT_EQ(d.unique.verdict, Fulfilment::pass);
  EXPECT_EQ(d.shift.verdict, Fulfilment::pass);
  EXPECT_LT(d.shift.residual, kLinear);
  EXPECT_EQ(d.shift.rank, 1);
  EXPECT_NEAR(d.bounded.norm_ratio, 255.0 / 127.0, kTolerance);
  EXPECT_EQ(d.bounded.verdict, Fulfilment::fail) << "it grows with the length";
  EXPECT_EQ(d.origin.verdict, Fulfilment::pass);
  EXPECT_EQ(d.n_dimensional, Fulfilment::fail);
  EXPECT_NEAR(d.norm_ratio, 63.5, kTolerance) << "it drowns the content";
  EXPECT_NEAR(d.largest_step, 1.0, kTolerance);
  EXPECT_NEAR(d.unevenness, 1.0, kTolerance);
}

TEST(Desiderata, OfTheNormalisedInteger) {
  const Desiderata d = measured("integer(normalised)");
  // Position 63 of 128 is 63/127, of 64 it is 1; the mean code is 1/2.
  EXPECT_NEAR(d.unique.length_difference, 2.0 * (1.0 - 63.0 / 127.0), kTolerance);
  EXPECT_EQ(d.unique.verdict, Fulfilment::fail) << "a position's code depends on the length";
  EXPECT_EQ(d.shift.verdict, Fulfilment::pass);
  EXPECT_NEAR(d.bounded.norm_ratio, 1.0, kTolerance);
  EXPECT_NEAR(d.bounded.step_ratio, 127.0 / 255.0, kTolerance);
  EXPECT_EQ(d.bounded.verdict, Fulfilment::pass);
  EXPECT_NEAR(d.norm_ratio, 0.5, kTolerance);
}

TEST(Desiderata, OfBits) {
  const Desiderata d = measured("binary");
  double norms = 0.0;
  double steps = 0.0;
  for (unsigned p = 0; p < 128; ++p) {
    norms += std::sqrt(static_cast<double>(__builtin_popcount(p))) / 128.0;
    if (p > 0) steps += std::sqrt(static_cast<double>(__builtin_popcount(p ^ (p - 1)))) / 127.0;
  }
  EXPECT_NEAR(d.unique.nearest, 1.0 / norms, kTolerance);
  EXPECT_EQ(d.unique.verdict, Fulfilment::pass);
  EXPECT_EQ(d.shift.verdict, Fulfilment::fail);
  EXPECT_GT(d.shift.residual, 0.3) << "a carry is not linear";
  EXPECT_NEAR(d.bounded.norm_ratio, std::sqrt(8.0 / 7.0), kTolerance);
  EXPECT_NEAR(d.norm_ratio, norms / 8.0, kTolerance);
  EXPECT_NEAR(d.largest_step, std::sqrt(7.0) / 8.0, kTolerance) << "from 63 to 64 all bits change";
  EXPECT_NEAR(d.unevenness, std::sqrt(7.0) / steps, kTolerance) << "they jump";
}

// Distance of two turns by p and p + 1: 2 - 2 cos w for each of `pairs` frequencies.
double turn_step(int64_t pairs) {
  double sum = 0.0;
  for (int64_t c = 0; c < pairs; ++c) {
    sum += 2.0 - 2.0 * std::cos(std::pow(10000.0, -static_cast<double>(c) / static_cast<double>(pairs)));
  }
  return std::sqrt(sum);
}

TEST(Desiderata, OfSines) {
  const Desiderata d = measured("sinusoidal");
  EXPECT_EQ(d.unique.verdict, Fulfilment::pass);
  EXPECT_EQ(d.shift.verdict, Fulfilment::pass);
  EXPECT_LT(d.shift.residual, kLinear);
  EXPECT_NEAR(d.bounded.norm_ratio, 1.0, kTolerance);
  EXPECT_EQ(d.bounded.verdict, Fulfilment::pass);
  EXPECT_NEAR(d.norm_ratio, std::sqrt(0.5), kTolerance) << "it changes what it is added to";
  EXPECT_NEAR(d.largest_step, turn_step(32) / 8.0, kTolerance);
  EXPECT_NEAR(d.unevenness, 1.0, 1e-9) << "smooth";
}

TEST(Desiderata, OfRotations) {
  const Desiderata d = measured("rope");
  EXPECT_EQ(d.site, (CodeSite{.place = Place::rotation, .layer = 0, .head = 0}));
  EXPECT_EQ(d.unique.verdict, Fulfilment::pass);
  EXPECT_LT(d.shift.residual, kLinear);
  EXPECT_EQ(d.shift.verdict, Fulfilment::pass);
  EXPECT_EQ(d.bounded.verdict, Fulfilment::pass);
  EXPECT_EQ(d.n_dimensional, Fulfilment::fail);
  EXPECT_NEAR(d.norm_ratio, 1.0, kTolerance) << "norms stay";
  EXPECT_NEAR(d.largest_step, turn_step(8) / std::sqrt(8.0), kTolerance);
}

TEST(Desiderata, OfRotationsInTwoDimensions) {
  const Desiderata d = measured("rope(axes=2)");
  EXPECT_EQ(d.positions, 128) << "8 x 16";
  EXPECT_EQ(d.unique.verdict, Fulfilment::pass);
  EXPECT_LT(d.shift.residual, kLinear) << "along either coordinate";
  EXPECT_EQ(d.bounded.verdict, Fulfilment::pass);
  EXPECT_EQ(d.n_dimensional, Fulfilment::pass);
  EXPECT_NEAR(d.largest_step, turn_step(4) / std::sqrt(8.0), kTolerance);
}

TEST(Desiderata, EveryStepOfTheRoadMendsSomething) {
  const std::vector<RoadStep> road = walk_road();
  ASSERT_EQ(road.size(), 7u);
  EXPECT_EQ(road[2].expression, "integer(scale=normalised)");
  EXPECT_EQ(road.back().expression, "rope(axes=2)");
  const Desiderata& last = road.back().measured;
  for (const Fulfilment verdict :
       {last.unique.verdict, last.shift.verdict, last.bounded.verdict, last.origin.verdict, last.n_dimensional}) {
    EXPECT_EQ(verdict, Fulfilment::pass);
  }
  for (const RoadStep& step : road) EXPECT_EQ(road_cells(step).size(), road_columns().size());
}

// --- What fails, and why ---------------------------------------------------------------------------

TEST(Desiderata, ATableWithoutStructureHasNoLinearShift) {
  for (const std::string text : {"random", "learned(init=1)", "concat(random,width=16)", "relative"}) {
    const Desiderata d = measured(text);
    EXPECT_GT(d.shift.residual, 0.9) << text;
    EXPECT_EQ(d.shift.verdict, Fulfilment::fail) << text;
    EXPECT_GT(d.shift.positions, 2 * d.shift.rank) << text << ": more positions than a map could fit";
  }
}

TEST(Desiderata, ATrainedTableEndsWhereTrainingDid) {
  for (const std::string text : {"learned", "relative", "concat(learned,width=4)"}) {
    const Desiderata d = measured(text);
    EXPECT_FALSE(d.bounded.has_values) << text;
    EXPECT_EQ(d.bounded.verdict, Fulfilment::fail) << text;
    EXPECT_EQ(d.bounded.reason, "the trained table ends") << text;
  }
  for (const std::string text : {"t5", "relative(max_distance=8)", "random", "randomized(learned,max=512)"}) {
    EXPECT_TRUE(measured(text).bounded.has_values) << text;
  }
  const Desiderata narrow = measured("randomized(rope,max=200)");
  EXPECT_FALSE(narrow.bounded.has_values);
  EXPECT_NE(narrow.bounded.reason.find("256"), std::string::npos) << narrow.bounded.reason;
}

TEST(Desiderata, DistancesThatShareABucketAreOneCode) {
  EXPECT_EQ(measured("t5").unique.nearest, 0.0);
  EXPECT_EQ(measured("t5").unique.verdict, Fulfilment::fail);
  EXPECT_EQ(measured("relative").unique.verdict, Fulfilment::pass);
  EXPECT_TRUE(measured("t5").by_distance);
}

TEST(Desiderata, ALengthThatShowsInTheCodesIsFound) {
  const Desiderata scaled = measured("rope(scaling=dynamic,factor=2,original=64)");
  EXPECT_GT(scaled.unique.length_difference, 0.1);
  EXPECT_EQ(scaled.unique.verdict, Fulfilment::fail);
  // -|d|/n: at half the length twice as much. The mean over distances 0..127 is 63.5/128, the change at 63 is 63/128.
  const Desiderata bias = measured("bias(\"-abs(d)/n\")");
  EXPECT_NEAR(bias.unique.length_difference, 63.0 / 63.5, kTolerance);
}

// Turns by sines and cosines of different frequencies: linear for one content, but not by the same map for all.
TEST(Desiderata, AShiftMustBeOneMapForAllContent) {
  EXPECT_GT(measured("mla(table=released)").shift.residual, 0.1);
  EXPECT_LT(measured("mla").shift.residual, kLinear);
  EXPECT_EQ(measured("mla").site.place, Place::decoupled);
}

TEST(Desiderata, BiasesMayFallButNotRise) {
  EXPECT_EQ(measured("alibi").bounded.verdict, Fulfilment::pass);
  EXPECT_EQ(measured("alibi").bounded.norm_ratio, 1.0);
  const Desiderata rising = measured("bias(\"abs(d)\")");
  EXPECT_NEAR(rising.bounded.norm_ratio, 255.0 / 127.0, kTolerance);
  EXPECT_EQ(rising.bounded.verdict, Fulfilment::fail);
}

TEST(Desiderata, SidesOfABias) {
  EXPECT_TRUE(measured("alibi").sides_alike);
  EXPECT_FALSE(measured("bias(\"d\")").sides_alike);
  EXPECT_FALSE(measured("bias(\"-abs(d)*(d<3)\")").sides_alike);
  EXPECT_FALSE(measured("rope").sides_alike) << "a matter of biases";
}

TEST(Desiderata, OriginsOfTheNumbers) {
  const auto origin = [](const std::string& text) { return measured(text).origin; };
  EXPECT_EQ(origin("sinusoidal").kind, Origin::rule);
  EXPECT_EQ(origin("sinusoidal(scale=learned(0.5))").kind, Origin::trained_rule);
  EXPECT_EQ(origin("learned").kind, Origin::trained_table);
  EXPECT_EQ(origin("random").kind, Origin::drawn_once);
  EXPECT_EQ(origin("concat(random)").kind, Origin::drawn_once);
  EXPECT_EQ(origin("randomized(rope,max=300)").kind, Origin::drawn_always);
  EXPECT_EQ(origin("rope(frequencies=learned)").kind, Origin::trained_rule);
  EXPECT_EQ(origin("kerple").kind, Origin::trained_rule);
  EXPECT_EQ(origin("fire").kind, Origin::trained_rule);
  EXPECT_EQ(origin("t5").kind, Origin::trained_table);
  EXPECT_EQ(origin("kerple").verdict, Fulfilment::pass);
  EXPECT_EQ(origin("t5").verdict, Fulfilment::fail);
  EXPECT_EQ(origin("random").verdict, Fulfilment::fail);
}

TEST(Desiderata, CodesThatNeverMove) {
  const Desiderata d = measured("learned(init=0)");
  EXPECT_EQ(d.unique.verdict, Fulfilment::fail);
  EXPECT_EQ(d.shift.verdict, Fulfilment::not_applicable);
  EXPECT_EQ(d.norm_ratio, 0.0);
}

TEST(Desiderata, EachPlaceIsMeasuredByItself) {
  const Encoding encoding = parse_encoding("sinusoidal+rope[heads=1]+alibi[heads=2,layers=1]");
  const std::vector<Desiderata> all = measure_desiderata(encoding, usual_shape(encoding));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].site.place, Place::input);
  EXPECT_EQ(all[1].site, (CodeSite{.place = Place::rotation, .layer = 0, .head = 1}));
  EXPECT_EQ(all[2].site, (CodeSite{.place = Place::bias, .layer = 1, .head = 2}));
  EXPECT_NEAR(all[2].norm_ratio, 63.5 / 64.0, kTolerance)
      << "the slope of head 2 of 4 is 1/64, and no other head counts";
}

TEST(UsualShape, FitsTheExpression) {
  const auto shape = [](const std::string& text) { return usual_shape(parse_encoding(text)); };
  EXPECT_EQ(shape("rope").positions, 128);
  EXPECT_EQ(shape("rope").width, 64);
  EXPECT_FALSE(shape("rope").causal);
  EXPECT_TRUE(shape("nope").causal);
  EXPECT_TRUE(shape("xpos").causal);
  EXPECT_EQ(shape("rope[heads=9]").heads, 10);
  EXPECT_EQ(shape("randomized(rope[layers=4])").layers, 5);
  EXPECT_EQ(shape("rope(axes=2)").grid, (std::vector<int64_t>{8, 16}));
  EXPECT_EQ(shape("rope(axes=3)").grid, (std::vector<int64_t>{4, 4, 8}));
  EXPECT_EQ(shape("rope(axes=3)").head_width, 24);
  EXPECT_EQ(shape("rope(axes=3,map=sections,sections=\"16,24,24\")").head_width, 128);
  EXPECT_EQ(shape("randomized(rope,max=40)").positions, 32);
  EXPECT_EQ(shape("bias(\"i*n\")").positions, 32);
  EXPECT_THROW(shape("rope[heads=64]"), UsageError);
}

}  // namespace desiderata_test
}  // namespace phasor
