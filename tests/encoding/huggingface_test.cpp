// The catalogue against an outside implementation: numbers that Hugging Face transformers computed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "encoding/huggingface_fixture.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/entries/t5_bucket.h"

namespace phasor {
namespace huggingface_test {

using testing_support::AlibiSlopes;
using testing_support::BucketTable;
using testing_support::HuggingfaceFixture;
using testing_support::rope_expression;
using testing_support::RopeFrequencies;

constexpr double kRounding = std::numeric_limits<double>::epsilon() / 2.0;

TEST(HuggingFace, RotaryFrequenciesAndAttentionFactors) {
  // A power of the base, its exponent and a few products: some ten roundings each, which a logarithm of the
  // base of up to 13 and ramps between neighbouring values enlarge.
  constexpr double kTolerance = 300.0 * kRounding;
  size_t compared = 0;
  for (const RopeFrequencies& entry : HuggingfaceFixture().rope()) {
    const std::string text = rope_expression(entry);
    SCOPED_TRACE(entry.name + ": " + text);
    const int64_t length = entry.sequence_length > 0 ? entry.sequence_length : 16;
    const ResolvedEncoding resolved = resolve(parse_encoding(text), {.heads = 2,
                                                                     .head_width = entry.head_width,
                                                                     .width = 2 * entry.head_width,
                                                                     .positions = length,
                                                                     .causal = true});
    const Rotation& rotation = *resolved.layers[0].rotation[0];
    const int64_t row = rotation.class_of_length.empty() ? 0 : rotation.class_of_length[static_cast<size_t>(length)];
    ASSERT_EQ(rotation.pairs, static_cast<int64_t>(entry.frequencies.size()));
    for (int64_t c = 0; c < rotation.pairs; ++c) {
      const double expected = entry.frequencies[static_cast<size_t>(c)];
      EXPECT_NEAR(rotation.frequencies(row, c), expected, kTolerance * expected) << "pair " << c;
      for (const int64_t p : {int64_t{0}, int64_t{1}, length - 1}) {
        const auto at = static_cast<size_t>((row * rotation.positions + p) * rotation.pairs + c);
        EXPECT_NEAR(std::abs(rotation.query[at]), entry.attention_factor, kTolerance) << "pair " << c;
        EXPECT_NEAR(std::abs(rotation.key[at]), entry.attention_factor, kTolerance) << "pair " << c;
        const double angle =
            std::remainder(std::arg(rotation.query[at]) - static_cast<double>(p) * expected, 2.0 * std::acos(-1.0));
        EXPECT_NEAR(angle, 0.0, kTolerance * static_cast<double>(length)) << "pair " << c << " position " << p;
      }
    }
    ++compared;
  }
  EXPECT_GE(compared, 90u);
}

TEST(HuggingFace, T5Buckets) {
  for (const BucketTable& table : HuggingfaceFixture().t5()) {
    for (int64_t offset = table.first; offset <= table.last(); ++offset) {
      ASSERT_EQ(t5_bucket(offset, table.buckets, table.max_distance, table.bidirectional), table.bucket(offset))
          << table.buckets << " buckets to " << table.max_distance << ", distance " << offset;
    }
  }
}

TEST(HuggingFace, AlibiSlopes) {
  std::vector<int64_t> heads;
  for (const AlibiSlopes& entry : HuggingfaceFixture().alibi()) {
    heads.push_back(entry.heads);
    const ResolvedEncoding resolved =
        resolve(parse_encoding("alibi"), {.heads = entry.heads, .head_width = 4, .width = 4, .positions = 3});
    for (int64_t h = 0; h < entry.heads; ++h) {
      // The library raises a rounded base to the powers 1 .. heads.
      const double slope = entry.slopes[static_cast<size_t>(h)];
      const double tolerance = (static_cast<double>(entry.heads) + 4.0) * kRounding * slope;
      EXPECT_NEAR(resolved.layers[0].bias->fixed(h, 3), -slope, tolerance) << entry.heads << " heads, head " << h;
    }
  }
  EXPECT_EQ(heads, (std::vector<int64_t>{4, 6, 8, 12, 16}));
}

}  // namespace huggingface_test
}  // namespace phasor
