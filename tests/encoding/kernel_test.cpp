#include "phasor/encoding/measure/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/values.h"

namespace phasor {
namespace kernel_test {

using Place = CodeSite::Place;

EncodingShape shape_of(int64_t positions, bool causal = false) {
  return {.layers = 2, .heads = 4, .head_width = 8, .width = 32, .positions = positions, .causal = causal};
}

std::vector<Kernel> kernels_of(const std::string& text, const EncodingShape& shape, int64_t layer = 0,
                               int64_t head = 0) {
  const ResolvedEncoding resolved = resolve(parse_encoding(text), shape);
  return kernels(with_values(resolved, initial_values(resolved, 3)), layer, head);
}

Kernel only_kernel(const std::string& text, const EncodingShape& shape, int64_t head = 0) {
  const std::vector<Kernel> all = kernels_of(text, shape, 0, head);
  EXPECT_EQ(all.size(), 1u) << text;
  return all.at(0);
}

double at(const Kernel& kernel, int64_t distance) {
  return kernel.values.at(static_cast<size_t>(distance - kernel.first));
}

// (1/channels) sum of cosines, twice per pair or once, by the usual frequencies.
double mean_cosine(double base, int64_t channels, int64_t distance) {
  double sum = 0.0;
  for (int64_t c = 0; c < channels / 2; ++c) {
    const double frequency = std::pow(base, -2.0 * static_cast<double>(c) / static_cast<double>(channels));
    sum += std::cos(frequency * static_cast<double>(distance));
  }
  return sum / static_cast<double>(channels / 2);
}

constexpr double kTolerance = 1e-13;  // some hundred rounding units of values near 1

TEST(Kernel, OfABiasIsTheBias) {
  const EncodingShape shape = shape_of(9);
  for (int64_t head = 0; head < 4; ++head) {
    const Kernel kernel = only_kernel("alibi", shape, head);
    EXPECT_EQ(kernel.site, (CodeSite{.place = Place::bias, .layer = 0, .head = head}));
    EXPECT_EQ(kernel.first, -8);
    EXPECT_EQ(kernel.last(), 8);
    for (int64_t d = -8; d <= 8; ++d) {
      EXPECT_EQ(at(kernel, d), -std::exp2(-2.0 * static_cast<double>(head + 1)) * static_cast<double>(std::abs(d)));
    }
    EXPECT_EQ(kernel.deviation, 0.0);
    EXPECT_TRUE(kernel.toeplitz());
  }
}

TEST(Kernel, OfARotationIsTheMeanCosine) {
  const Kernel kernel = only_kernel("rope(base=50)", shape_of(40));
  EXPECT_EQ(kernel.site.place, Place::rotation);
  for (int64_t d = -39; d <= 39; ++d) EXPECT_NEAR(at(kernel, d), mean_cosine(50, 8, d), kTolerance) << d;
  EXPECT_TRUE(kernel.toeplitz()) << kernel.deviation;
}

TEST(Kernel, OfSinesIsHalfTheMeanCosine) {
  const Kernel kernel = only_kernel("sinusoidal", shape_of(40));
  EXPECT_EQ(kernel.site.place, Place::input);
  for (int64_t d = -39; d <= 39; ++d) EXPECT_NEAR(at(kernel, d), 0.5 * mean_cosine(10000, 32, d), kTolerance) << d;
  EXPECT_TRUE(kernel.toeplitz()) << kernel.deviation;
}

TEST(Kernel, UnderACausalMaskEndsAtTheQuery) {
  const Kernel kernel = only_kernel("xpos(scale=0.5,decay_base=4)", shape_of(20, true));
  EXPECT_EQ(kernel.first, -19);
  EXPECT_EQ(kernel.last(), 0);
  for (int64_t d = -19; d <= 0; ++d) {
    EXPECT_NEAR(at(kernel, d), std::exp2(static_cast<double>(d) / 4.0) * mean_cosine(10000, 8, d), kTolerance) << d;
  }
  EXPECT_TRUE(kernel.toeplitz()) << kernel.deviation;
}

// Keys behind are seen from the last position, keys ahead from the first: (n-1) (n-1+d), and 0.
TEST(Kernel, SaysHowFarItIsFromToeplitz) {
  const Kernel kernel = only_kernel("integer", shape_of(7));
  for (int64_t d = -6; d <= 6; ++d) EXPECT_EQ(at(kernel, d), d <= 0 ? static_cast<double>(6 * (6 + d)) : 0.0) << d;
  EXPECT_EQ(kernel.deviation, 36.0) << "distance 0, seen from position 0";
  EXPECT_FALSE(kernel.toeplitz());
}

TEST(Kernel, OfABiasByQueryPositionIsSeenFromTheLast) {
  const Kernel kernel = only_kernel("bias(\"d*i\")", shape_of(5));
  EXPECT_EQ(at(kernel, -3), -12.0);
  EXPECT_EQ(at(kernel, 3), 0.0);
  EXPECT_EQ(kernel.deviation, 4.0) << "distance -1 from position 1 gives -1 and from the last -4; 1 gives 0 and 3";
}

// Its sum over pairs happens to depend on the distance alone; its pairs do not.
TEST(Kernel, OfARotationIsJudgedPairByPair) {
  const Kernel kernel = only_kernel("mla(table=released)", shape_of(50));
  EXPECT_EQ(kernel.site.place, Place::decoupled);
  EXPECT_NEAR(at(kernel, -5), mean_cosine(10000, 8, 5), kTolerance);
  EXPECT_GT(kernel.deviation, 1.0);
  EXPECT_FALSE(kernel.toeplitz());
}

TEST(Kernel, OfSeveralCoordinatesIsOneAlongEach) {
  EncodingShape shape = shape_of(15);
  shape.grid = {3, 5};
  const std::vector<Kernel> all = kernels_of("rope(axes=2)", shape);
  ASSERT_EQ(all.size(), 2u);
  for (int64_t axis = 0; axis < 2; ++axis) {
    const Kernel& kernel = all[static_cast<size_t>(axis)];
    EXPECT_EQ(kernel.axis.coordinate, axis);
    EXPECT_EQ(kernel.last(), axis == 0 ? 2 : 4);
    // Half of the pairs belong to the other axis and stand still.
    for (int64_t d = kernel.first; d <= kernel.last(); ++d) {
      EXPECT_NEAR(at(kernel, d), 0.5 + 0.5 * mean_cosine(10000, 4, d), kTolerance) << axis << " " << d;
    }
    EXPECT_TRUE(kernel.toeplitz()) << kernel.deviation;
  }
}

TEST(Kernel, GoesByPlaceLayerAndHead) {
  const std::string text = "sinusoidal+rope[heads=0,layers=1]+alibi[heads=1]";
  const auto places = [&](int64_t layer, int64_t head) {
    std::vector<Place> result;
    for (const Kernel& kernel : kernels_of(text, shape_of(6), layer, head)) result.push_back(kernel.site.place);
    return result;
  };
  EXPECT_EQ(places(0, 0), (std::vector{Place::input}));
  EXPECT_EQ(places(1, 0), (std::vector{Place::input, Place::rotation}));
  EXPECT_EQ(places(1, 1), (std::vector{Place::input, Place::bias}));
  EXPECT_TRUE(kernels_of("nope", shape_of(6)).empty());
  EXPECT_TRUE(kernels_of("mla(rope=0)", shape_of(6)).empty());
}

TEST(Kernel, ReadsTheTablesOfTheLongestSequence) {
  EXPECT_EQ(at(only_kernel("bias(\"d/n\")", shape_of(8)), -4), -0.5);
  EXPECT_EQ(at(only_kernel("integer(normalised)", shape_of(5)), -1), 0.75);
  const Kernel drawn = only_kernel("randomized(rope,max=30)", shape_of(8));
  EXPECT_EQ(drawn.axis.kind, PositionAxis::Kind::randomized);
  EXPECT_EQ(drawn.last(), 29) << "positions are those that the encoding reads";
}

}  // namespace kernel_test
}  // namespace phasor
