#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/values.h"

namespace phasor {
namespace sinusoidal_test {

constexpr int64_t kWidth = 12;
constexpr int64_t kPairs = kWidth / 2;
constexpr int64_t kPositions = 300;

Table table(const std::string& text) {
  const EncodingShape shape{.layers = 1, .heads = 1, .head_width = kWidth, .width = kWidth, .positions = kPositions};
  const ResolvedEncoding encoding = resolve(parse_encoding(text), shape);
  return with_values(encoding, initial_values(encoding, 1)).input->fixed;
}

// Both sides round an angle of at most 300 radians once (3e-14) and a frequency once (300 * 1e-16).
constexpr double kTolerance = 1e-12;

TEST(Sinusoidal, IsTheFormulaOfThePaper) {
  const Table values = table("sinusoidal");
  ASSERT_EQ(values.rows, kPositions);
  ASSERT_EQ(values.columns, kWidth);
  for (int64_t p = 0; p < kPositions; ++p) {
    for (int64_t c = 0; c < kWidth; ++c) {
      const double exponent = static_cast<double>(c - c % 2) / kWidth;
      const double angle = static_cast<double>(p) / std::exp(exponent * std::log(10000.0));
      EXPECT_NEAR(values(p, c), c % 2 == 0 ? std::sin(angle) : std::cos(angle), kTolerance) << p << ", " << c;
    }
  }
}

TEST(Sinusoidal, TakesItsBase) {
  const Table values = table("sinusoidal(base=100)");
  EXPECT_NEAR(values(7, 2 * 3), std::sin(7.0 / std::sqrt(100.0)), kTolerance);  // pair 3 of 6: base^(-1/2)
}

TEST(Sinusoidal, HalvesArePermutedColumns) {
  const Table interleaved = table("sinusoidal");
  const Table halves = table("sinusoidal(layout=halves)");
  for (int64_t p = 0; p < kPositions; ++p) {
    for (int64_t c = 0; c < kPairs; ++c) {
      ASSERT_EQ(halves(p, c), interleaved(p, 2 * c));
      ASSERT_EQ(halves(p, kPairs + c), interleaved(p, 2 * c + 1));
    }
  }
}

// P(p + k) is P(p) turned in each (sine, cosine) plane by an angle that depends on k alone.
TEST(Sinusoidal, AShiftIsAFixedRotationPerFrequency) {
  const Table values = table("sinusoidal");
  for (const int64_t shift : {1, 5, 100}) {
    for (int64_t c = 0; c < kPairs; ++c) {
      const std::complex<double> turn(values(shift, 2 * c + 1), values(shift, 2 * c));
      for (int64_t p = 0; p + shift < kPositions; ++p) {
        const std::complex<double> here(values(p, 2 * c + 1), values(p, 2 * c));
        const std::complex<double> there(values(p + shift, 2 * c + 1), values(p + shift, 2 * c));
        EXPECT_LT(std::abs(there - here * turn), kTolerance) << "shift " << shift << ", pair " << c << ", " << p;
      }
    }
  }
}

TEST(Sinusoidal, AScaleIsOnAllOfIt) {
  for (const std::string layout : {"interleaved", "halves"}) {
    const Table plain = table("sinusoidal(layout=" + layout + ")");
    const Table scaled = table("sinusoidal(layout=" + layout + ",scale=-0.125)");
    const Table learned = table("sinusoidal(layout=" + layout + ",scale=learned(-0.125))");
    for (size_t e = 0; e < plain.values.size(); ++e) {
      ASSERT_EQ(scaled.values[e], -0.125 * plain.values[e]) << layout << e;  // a power of two: no rounding
      // The formula's cosine is a sine of an angle that pi / 2 was added to.
      ASSERT_NEAR(learned.values[e], scaled.values[e], kTolerance) << layout << e;
    }
  }
}

TEST(Sinusoidal, ALearnedScaleIsOneNumberForTheModel) {
  const EncodingShape shape{.layers = 3, .heads = 2, .head_width = 4, .width = 8, .positions = 5};
  const ResolvedEncoding encoding = resolve(parse_encoding("sinusoidal(scale=learned(0.5,min=0,max=2))"), shape);
  ASSERT_EQ(encoding.parameters.size(), 1u);
  EXPECT_EQ(encoding.parameters[0].name, "encoding.sinusoidal.scale");
  EXPECT_EQ(encoding.parameters[0].shape, std::vector<int64_t>{1});
  EXPECT_EQ(encoding.parameters[0].initial.centre, 0.5);
  EXPECT_EQ(encoding.parameters[0].least, 0.0);
  EXPECT_EQ(encoding.parameters[0].most, 2.0);
  EXPECT_EQ(with_values(encoding, {{0.0}}).input->fixed.values, std::vector<double>(5 * 8, 0.0));
}

TEST(Sinusoidal, NeedsAnEvenWidth) {
  const EncodingShape odd{.layers = 1, .heads = 1, .head_width = 7, .width = 7, .positions = 4};
  try {
    resolve(parse_encoding("sinusoidal"), odd);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "encoding 'sinusoidal': column 1: sinusoidal pairs sines with cosines, so the width must be even, not "
                 "7");
  }
}

}  // namespace sinusoidal_test
}  // namespace phasor
