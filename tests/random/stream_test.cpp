#include "phasor/random/stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace phasor {
namespace stream_test {

std::vector<uint32_t> first_words(const RandomStream& stream) {
  std::vector<uint32_t> words;
  for (uint64_t i = 0; i < 8; ++i) words.push_back(stream.word(i));
  return words;
}

TEST(RandomStream, EveryCoordinateChangesEveryDraw) {
  const RandomStream base{.seed = 7, .purpose = Purpose::test, .site = 3, .step = 11};
  std::vector<RandomStream> streams = {base};
  for (int bit = 0; bit < 64; ++bit) {
    streams.push_back(base);
    streams.back().seed ^= uint64_t{1} << bit;
  }
  for (int bit = 0; bit < 32; ++bit) {
    streams.push_back(base);
    streams.back().site ^= uint32_t{1} << bit;
    streams.push_back(base);
    streams.back().step ^= uint32_t{1} << bit;
  }
  for (Purpose purpose :
       {Purpose::initialization, Purpose::data, Purpose::shuffle, Purpose::dropout, Purpose::encoding}) {
    streams.push_back(base);
    streams.back().purpose = purpose;
  }
  std::set<uint32_t> seen;
  for (const RandomStream& stream : streams) {
    for (uint32_t word : first_words(stream)) seen.insert(word);
  }
  // 134 streams of 8 words: two equal words among 1072 would happen by chance once in 7000 seeds.
  EXPECT_EQ(seen.size(), streams.size() * 8);
}

TEST(RandomStream, EqualCoordinatesGiveEqualWords) {
  const RandomStream a{.seed = 5, .purpose = Purpose::data, .site = 1, .step = 2};
  const RandomStream b{.seed = 5, .purpose = Purpose::data, .site = 1, .step = 2};
  EXPECT_EQ(first_words(a), first_words(b));
}

TEST(RandomStream, WordsAreTheBlocksInOrder) {
  const RandomStream stream{.seed = 9, .purpose = Purpose::test};
  for (uint64_t block : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 31, (uint64_t{1} << 40) + 17}) {
    for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(stream.word(4 * block + i), stream.block(block)[i]) << block;
  }
}

// Attention weights use indices up to sequence * 2^40: the upper counter word must matter.
TEST(RandomStream, IndicesBeyond32BitsAreDistinct) {
  const RandomStream stream{.seed = 9, .purpose = Purpose::test};
  std::set<uint32_t> seen;
  for (int bit = 2; bit < 62; ++bit) seen.insert(stream.word(uint64_t{1} << bit));
  EXPECT_EQ(seen.size(), 60u);
}

// Each of the 32 bits is a fair coin: the count of n coins has deviation sqrt(n) / 2.
TEST(RandomStream, BitsAreFair) {
  constexpr int64_t kDraws = 1 << 16;
  const RandomStream stream{.seed = 1, .purpose = Purpose::test};
  std::vector<int64_t> ones(32);
  for (uint64_t i = 0; i < kDraws; ++i) {
    const uint32_t word = stream.word(i);
    for (int bit = 0; bit < 32; ++bit) ones[static_cast<size_t>(bit)] += (word >> bit) & 1u;
  }
  const double deviation = std::sqrt(static_cast<double>(kDraws)) / 2;
  for (int bit = 0; bit < 32; ++bit) {
    EXPECT_NEAR(static_cast<double>(ones[static_cast<size_t>(bit)]), kDraws / 2.0, 5 * deviation) << "bit " << bit;
  }
}

TEST(Drop, ThresholdIsRateTimesTwoToThe16) {
  EXPECT_EQ(drop::threshold(0.0), 0u);
  EXPECT_EQ(drop::threshold(0.5), 0x8000u);
  EXPECT_EQ(drop::threshold(0.1), 6554u);
  EXPECT_EQ(drop::threshold(0x1.0p-17), 1u);
  EXPECT_EQ(drop::threshold(0x0.ffp-17), 0u);
  EXPECT_EQ(drop::threshold(0.9999999), 0xffffu);  // something is kept
}

TEST(Drop, WhatIsKeptIsScaledByTheShareThatIsReallyKept) {
  EXPECT_EQ(drop::keep_scale(drop::threshold(0.5)), 2.0f);
  EXPECT_EQ(drop::keep_scale(drop::threshold(0.1)), 65536.0f / 58982.0f);
}

// Eight decisions of a block have nothing to do with each other: any two of them drop together as often as chance has
// it.
TEST(Drop, DecisionsOfABlockAreIndependent) {
  constexpr int64_t kBlocks = 50'000;
  const RandomStream stream{.seed = 3, .purpose = Purpose::dropout};
  int64_t both[drop::kInBlock][drop::kInBlock] = {};
  for (uint64_t i = 0; i < kBlocks; ++i) {
    const PhiloxBlock block = stream.block(i);
    for (uint32_t a = 0; a < drop::kInBlock; ++a) {
      for (uint32_t b = 0; b <= a; ++b) both[a][b] += drop::half(block, a) < 0x4000u && drop::half(block, b) < 0x4000u;
    }
  }
  for (uint32_t a = 0; a < drop::kInBlock; ++a) {
    for (uint32_t b = 0; b <= a; ++b) {
      const double p = a == b ? 0.25 : 0.0625;
      EXPECT_NEAR(static_cast<double>(both[a][b]), p * kBlocks, 5 * std::sqrt(p * (1 - p) * kBlocks)) << a << " " << b;
    }
  }
}

TEST(Drop, HappensAtItsRate) {
  constexpr int64_t kDraws = 100'000;
  const RandomStream stream{.seed = 2, .purpose = Purpose::dropout};
  for (double rate : {0.01, 0.1, 0.5, 0.9}) {
    int64_t events = 0;
    for (uint64_t i = 0; i < kDraws; ++i) {
      events += drop::half(stream.block(i / drop::kInBlock), static_cast<uint32_t>(i % drop::kInBlock)) <
                drop::threshold(rate);
    }
    EXPECT_NEAR(static_cast<double>(events), rate * kDraws, 5 * std::sqrt(rate * (1 - rate) * kDraws)) << rate;
  }
}

}  // namespace stream_test
}  // namespace phasor
