#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "encoding/biases.h"
#include "phasor/encoding/entries/t5_bucket.h"

namespace phasor {
namespace t5_test {

using namespace testing_support;

// The first distance of each bucket.
std::vector<int64_t> edges(int64_t buckets, int64_t max_distance, bool bidirectional, int64_t reach) {
  std::vector<int64_t> result;
  for (int64_t d = 0; d <= reach; ++d) {
    const size_t bucket = static_cast<size_t>(t5_bucket(-d, buckets, max_distance, bidirectional));
    if (bucket >= result.size()) {
      EXPECT_EQ(bucket, result.size()) << "a bucket before " << d << " is empty";
      result.push_back(d);
    }
    EXPECT_EQ(bucket + 1, result.size()) << "distance " << d << " is in a bucket before";
  }
  return result;
}

// 8 single ones, then the first whole numbers from 8 * 2^(k/2) on; as T5 in Hugging Face's transformers.
TEST(T5, HasTheBucketsOfAnEncoder) {
  EXPECT_EQ(edges(32, 128, true, 1000), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91}));
}

// 16 single ones, then the first whole numbers from 16 * 8^(k/16) on; likewise.
TEST(T5, HasTheBucketsOfADecoder) {
  EXPECT_EQ(edges(32, 128, false, 1000),
            (std::vector<int64_t>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                  16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}));
}

TEST(T5, KeysAfterTheQueryHaveBucketsOfTheirOwnOrNone) {
  for (int64_t d = 1; d < 300; ++d) {
    EXPECT_EQ(t5_bucket(d, 32, 128, true), 16 + t5_bucket(-d, 32, 128, true)) << d;
    EXPECT_EQ(t5_bucket(d, 32, 128, false), 0) << d;
  }
}

// Distances whose logarithm is the edge of a bucket in exact arithmetic, where float32 ends up on either side of it.
// The numbers are PyTorch 1.13's.
TEST(T5, RoundsEdgesAsFloat32Does) {
  EXPECT_EQ(t5_bucket(-21, 12, 1029, true), 3);    // 3 * 343^(1/3): exactly bucket 4
  EXPECT_EQ(t5_bucket(-147, 12, 1029, true), 4);   // 3 * 343^(2/3): exactly bucket 5
  EXPECT_EQ(t5_bucket(-63, 18, 3087, false), 11);  // 9 * 343^(1/3): exactly bucket 12
  EXPECT_EQ(t5_bucket(-16, 32, 128, true), 10);    // 8 * 16^(1/4): on its side
  EXPECT_EQ(t5_bucket(-64, 32, 128, true), 14);
}

// b_h(d) = tensor[h][bucket(d)], in every layer and head.
TEST(T5, ReadsTheTensorByBucket) {
  for (const bool causal : {false, true}) {
    const EncodingShape shape = bias_shape(4, 150, causal);
    const ResolvedEncoding resolved = resolve_text("t5(sharing=layer,buckets=16,max_distance=64)", shape);
    const ParameterValues values = initial_values(resolved, 3);
    ASSERT_EQ(values.size(), 3u);
    const ResolvedEncoding started = with_values(resolved, values);
    for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
      const std::vector<double>& table = values[static_cast<size_t>(layer)];
      const int32_t bucket = t5_bucket(j - i, 16, 64, !causal);
      ASSERT_EQ(bias_at(started, layer, head, i, j), table[static_cast<size_t>(head * 16 + bucket)]);
    });
  }
}

TEST(T5, DirectionFollowsTheMaskUnlessItIsGiven) {
  const auto ahead = [](const std::string& text, bool causal) {
    const GatherSource source =
        std::get<GatherSource>(resolve_text(text, bias_shape(1, 20, causal)).layers[0].bias->learned[0]);
    return source.index[19 + 5];  // of the distance 5
  };
  EXPECT_EQ(ahead("t5", false), 16 + 5);
  EXPECT_EQ(ahead("t5", true), 0);
  EXPECT_EQ(ahead("t5(direction=both)", true), 16 + 5);
  EXPECT_EQ(ahead("t5(direction=past)", false), 0);
}

TEST(T5, SharesOneTableBetweenLayersOrNot) {
  const ResolvedEncoding shared = resolve_text("t5");
  EXPECT_EQ(parameter_names(shared), (std::vector<std::string>{"encoding.t5.bias"}));
  EXPECT_EQ(shared.parameters[0].shape, (std::vector<int64_t>{4, 32}));
  EXPECT_EQ(shared.layers[0].bias, shared.layers[2].bias);
  const ResolvedEncoding own = resolve_text("t5(sharing=layer,init=0.5)[heads=2,layers=1-2]");
  EXPECT_EQ(parameter_names(own), (std::vector<std::string>{"layers.1.encoding.t5.bias", "layers.2.encoding.t5.bias"}));
  EXPECT_EQ(own.parameters[0].shape, (std::vector<int64_t>{1, 32}));
  EXPECT_EQ(own.layers[0].bias, nullptr);
  EXPECT_NE(own.layers[1].bias, own.layers[2].bias);
}

TEST(T5, StartsNormallyDistributed) {
  for (const auto& [text, deviation] : {std::pair{"t5(buckets=4096,max_distance=10000)", 0.02},
                                        std::pair{"t5(buckets=4096,max_distance=10000,init=3)", 3.0}}) {
    const ResolvedEncoding resolved = resolve_text(text);
    const std::vector<double> values = initial_values(resolved, 5)[0];
    double sum = 0.0;
    double squares = 0.0;
    for (const double value : values) {
      sum += value;
      squares += value * value;
    }
    const double count = static_cast<double>(values.size());
    EXPECT_NEAR(sum / count, 0.0, 5.0 * deviation / std::sqrt(count));  // five standard errors
    EXPECT_NEAR(squares / count, deviation * deviation, 5.0 * deviation * deviation * std::sqrt(2.0 / count));
  }
  EXPECT_EQ(initial_values(resolve_text("t5(init=0)"), 5)[0], std::vector<double>(128, 0.0));
}

TEST(T5, IsToeplitz) {
  expect_toeplitz("t5(init=1)");
  expect_toeplitz("t5(init=1,sharing=layer)", bias_shape(4, 20, true));
}

TEST(T5, AHeadWithoutItGetsNothing) {
  const ResolvedEncoding some = start_of("t5(init=1)[heads=1,3,layers=0,2]");
  const double first = bias_at(some, 0, 1, 4, 2);
  EXPECT_NE(first, 0.0);
  EXPECT_EQ(bias_at(some, 2, 1, 4, 2), first);  // one table for all its layers
  EXPECT_NE(bias_at(some, 0, 3, 4, 2), first);
  for (int64_t d = 0; d < 20; ++d) {
    EXPECT_EQ(bias_at(some, 0, 0, d, 0), 0.0);
    EXPECT_EQ(bias_at(some, 1, 1, d, 0), 0.0);
  }
}

// The shape's head width is 9: a factor of 3 undoes the root.
TEST(T5, CanLeaveLogitsUndivided) {
  EXPECT_EQ(resolve_text("t5").layers[0].scale, std::vector<double>(4, 1.0));
  const ResolvedEncoding one = resolve_text("t5(scale=one)[heads=0-1,layers=2]");
  EXPECT_EQ(one.layers[2].scale, (std::vector<double>{3.0, 3.0, 1.0, 1.0}));
  EXPECT_EQ(one.layers[0].scale, std::vector<double>(4, 1.0));
}

TEST(T5, SaysWhatItIs) {
  const EncodingTraits traits = bias_traits("t5");
  EXPECT_EQ(traits.coupling, Coupling::toeplitz_bias);
  EXPECT_TRUE(traits.exactly_relative && traits.learnable && traits.extrapolates && traits.bidirectional);
  EXPECT_FALSE(bias_traits("t5(direction=past)").bidirectional);
}

TEST(T5, RefusesBucketsThatHoldNothing) {
  EXPECT_EQ(mistake("t5(buckets=7)"), "column 1: two directions need an even number of buckets, at least 4, not 7");
  EXPECT_EQ(mistake("t5(buckets=2)"), "column 1: two directions need an even number of buckets, at least 4, not 2");
  EXPECT_EQ(mistake("t5(buckets=7)", bias_shape(4, 20, true)), "no mistake");
  EXPECT_EQ(mistake("t5(buckets=2,direction=past)"), "no mistake");
  EXPECT_EQ(mistake("t5(buckets=32,max_distance=8)"),
            "column 1: max_distance must be more than 8, since 32 buckets hold the distances 0 to 7 one by one; not 8");
  EXPECT_EQ(mistake("t5(buckets=32,max_distance=9)"), "no mistake");
  EXPECT_EQ(mistake("t5(buckets=1.5)"), "column 12: t5: buckets must be a whole number, not 1.5");
  EXPECT_EQ(mistake("t5(sharing=head)"), "column 12: t5: unknown sharing 'head'; known: model, layer");
}

}  // namespace t5_test
}  // namespace phasor
