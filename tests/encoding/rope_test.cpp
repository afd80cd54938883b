#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <set>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/phase.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

using Vector = std::vector<double>;

EncodingShape shape_of(int64_t head_width, int64_t positions) {
  return {.layers = 2, .heads = 3, .head_width = head_width, .width = 3 * head_width, .positions = positions};
}

std::shared_ptr<const Rotation> rotation(const std::string& text, int64_t head_width, int64_t positions) {
  return resolve(parse_encoding(text), shape_of(head_width, positions)).layers[1].rotation[2];
}

Vector random_vector(int64_t size, uint32_t site) {
  const RandomStream stream{.seed = 11, .purpose = Purpose::test, .site = site};
  Vector result(static_cast<size_t>(size));
  for (size_t i = 0; i < result.size(); ++i) result[i] = normal(stream, i);
  return result;
}

// The rotation as resolved.h defines it, applied to one vector.
Vector turned(const Rotation& r, const std::vector<std::complex<double>>& factors, int64_t position, Vector x) {
  for (int64_t c = 0; c < r.pairs; ++c) {
    const size_t first = static_cast<size_t>(r.first + (r.halves ? c : 2 * c));
    const size_t second = r.halves ? first + static_cast<size_t>(r.pairs) : first + 1;
    const std::complex<double> pair =
        std::complex<double>(x[first], x[second]) * factors[static_cast<size_t>(position * r.pairs + c)];
    x[first] = pair.real();
    x[second] = pair.imag();
  }
  return x;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double logit(const Rotation& r, const Vector& q, const Vector& k, int64_t i, int64_t j) {
  return dot(turned(r, r.query, i, q), turned(r, r.key, j, k));
}

const std::vector<std::string> kVariants = {"rope", "rope(layout=half)", "rope(fraction=0.5)", "rope(base=500000)",
                                            "rope(base=100,layout=half,fraction=0.25)"};

TEST(Rope, HasTheFrequenciesOfThePaper) {
  const auto r = rotation("rope", 8, 4);
  ASSERT_EQ(r->pairs, 4);
  EXPECT_EQ(r->first, 0);
  EXPECT_FALSE(r->halves);
  const Vector expected = {1.0, 0.1, 0.01, 0.001};  // 10000^(-2c/8)
  for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(r->frequencies[c], expected[c], 1e-15) << c;
}

TEST(Rope, TurnsPairsByPositionTimesFrequency) {
  const Vector x = random_vector(8, 1);
  const auto r = rotation("rope(base=16)", 8, 20);
  for (const int64_t p : {0, 1, 17, 19}) {
    const Vector y = turned(*r, r->query, p, x);
    for (size_t c = 0; c < 4; ++c) {
      const double angle = static_cast<double>(p) * std::exp2(-static_cast<double>(c));  // 16^(-2c/8) = 2^-c
      EXPECT_NEAR(y[2 * c], std::cos(angle) * x[2 * c] - std::sin(angle) * x[2 * c + 1], 1e-14) << p << ", " << c;
      EXPECT_NEAR(y[2 * c + 1], std::sin(angle) * x[2 * c] + std::cos(angle) * x[2 * c + 1], 1e-14) << p << ", " << c;
    }
  }
}

TEST(Rope, LogitsAreUnchangedWhenBothPositionsShift) {
  const Vector q = random_vector(16, 2);
  const Vector k = random_vector(16, 3);
  for (const std::string& text : kVariants) {
    const auto r = rotation(text, 16, 2048);
    for (const int64_t shift : {1, 5, 31, 2000}) {
      for (const auto& [i, j] : {std::pair<int64_t, int64_t>{3, 17}, {17, 3}, {0, 40}, {9, 9}}) {
        EXPECT_NEAR(logit(*r, q, k, i, j), logit(*r, q, k, i + shift, j + shift), 1e-12) << text << ", shift " << shift;
      }
    }
  }
}

TEST(Rope, LogitsSeeTheDistanceAndItsSign) {
  const Vector q = random_vector(16, 2);
  const Vector k = random_vector(16, 3);
  const auto r = rotation("rope", 16, 64);
  std::set<double> values;
  for (int64_t j = 0; j < 64; ++j) values.insert(logit(*r, q, k, 32, j));
  EXPECT_EQ(values.size(), 64u);
}

// Sixteen products, each exact to a few ulps.
TEST(Rope, KeepsNorms) {
  const Vector q = random_vector(16, 4);
  for (const std::string& text : kVariants) {
    const auto r = rotation(text, 16, 1000);
    for (const int64_t p : {0, 1, 17, 999}) {
      const Vector y = turned(*r, r->query, p, q);
      EXPECT_NEAR(dot(y, y), dot(q, q), 1e-14 * dot(q, q)) << text << " at " << p;
    }
  }
}

TEST(Rope, DoesNothingAtPositionZero) {
  const Vector q = random_vector(16, 5);
  for (const std::string& text : kVariants) {
    const auto r = rotation(text, 16, 2);
    EXPECT_EQ(turned(*r, r->query, 0, q), q) << text;
    EXPECT_NE(turned(*r, r->query, 1, q), q) << text;
  }
}

// Channel 2c of the interleaved layout is channel c of the other, 2c + 1 is pairs + c.
TEST(Rope, LayoutsAreEqualUpToAFixedPermutation) {
  const Vector x = random_vector(16, 6);
  const auto interleaved = rotation("rope", 16, 50);
  const auto half = rotation("rope(layout=half)", 16, 50);
  ASSERT_TRUE(half->halves);
  const auto permuted = [](const Vector& v) {
    Vector result(v.size());
    for (size_t c = 0; c < v.size() / 2; ++c) {
      result[c] = v[2 * c];
      result[v.size() / 2 + c] = v[2 * c + 1];
    }
    return result;
  };
  for (const int64_t p : {1, 17, 49}) {
    EXPECT_EQ(permuted(turned(*interleaved, interleaved->query, p, x)), turned(*half, half->query, p, permuted(x)));
  }
}

TEST(Rope, AFractionTurnsTheFirstChannelsOnTheirOwnGrid) {
  const auto quarter = rotation("rope(fraction=0.25)", 64, 3);
  const auto small = rotation("rope", 16, 3);
  EXPECT_EQ(quarter->first, 0);
  EXPECT_EQ(quarter->pairs, 8);
  EXPECT_EQ(quarter->frequencies, small->frequencies);
  EXPECT_EQ(rotation("rope(fraction=0.3)", 16, 3)->pairs, 2);  // 4.8 channels
  EXPECT_EQ(rotation("rope(fraction=0.2)", 16, 3)->pairs, 1);  // 3.2 channels
  EXPECT_EQ(rotation("rope(fraction=0.58)", 100, 3)->pairs, 29);
}

TEST(Rope, PhasesAreRightAtAnyLength) {
  for (const int64_t position : {int64_t{1}, int64_t{4095}, int64_t{1} << 20, (int64_t{1} << 20) + 1}) {
    for (const double frequency : geometric_frequencies(10000.0, 64)) {
      // The 64-bit mantissa loses 1e6 * 2^-64 = 6e-14 radians at most.
      const long double angle = static_cast<long double>(position) * static_cast<long double>(frequency);
      const std::complex<double> factor = phase(position, frequency);
      EXPECT_NEAR(factor.real(), static_cast<double>(std::cos(angle)), 2e-13) << position << ", " << frequency;
      EXPECT_NEAR(factor.imag(), static_cast<double>(std::sin(angle)), 2e-13) << position << ", " << frequency;
    }
  }
}

// Shift invariance a million tokens out, where position * frequency alone has lost 1e-10 radians.
TEST(Rope, DistantPhasesDifferAsNearOnesDo) {
  const int64_t far = int64_t{1} << 20;
  for (const double frequency : geometric_frequencies(10000.0, 64)) {
    const std::complex<double> near_step = phase(17, frequency) * std::conj(phase(3, frequency));
    const std::complex<double> far_step = phase(far + 17, frequency) * std::conj(phase(far + 3, frequency));
    EXPECT_LT(std::abs(near_step - far_step), 1e-12) << frequency;
  }
}

TEST(Rope, RefusesHeadsThatHaveNoPairs) {
  const auto error = [](const std::string& text, int64_t head_width) -> std::string {
    try {
      rotation(text, head_width, 4);
    } catch (const UsageError& problem) {
      return problem.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("alibi+rope", 7),
            "encoding 'alibi+rope': column 7: rope turns pairs of channels, so the head width must be even, not 7");
  EXPECT_EQ(error("rope(fraction=0.1)", 16),
            "encoding 'rope(fraction=0.1)': column 1: fraction 0.1 of 16 channels is less than one pair; the least is "
            "0.125");
  EXPECT_EQ(error("rope(fraction=0)", 16),
            "encoding 'rope(fraction=0)': column 1: fraction 0 of 16 channels is less than one pair; the least is "
            "0.125");
  EXPECT_EQ(error("rope", 2), "no error");
}

}  // namespace
}  // namespace phasor
