#include "phasor/model/token_positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "phasor/encoding/encoding.h"

namespace phasor {
namespace token_positions_test {

Batch batch_of(const std::vector<std::vector<int32_t>>& sequences) {
  Batch batch;
  const int32_t target = 0;
  for (const std::vector<int32_t>& tokens : sequences) {
    batch.append(tokens.data(), static_cast<int64_t>(tokens.size()), &target, 1, 0);
  }
  batch.finish();
  return batch;
}

ResolvedEncoding resolved(const std::string& text, std::vector<int64_t> grid = {}) {
  return resolve(parse_encoding(text), {.layers = 1,
                                        .heads = 2,
                                        .head_width = 8,
                                        .width = 16,
                                        .positions = 12,
                                        .causal = false,
                                        .grid = std::move(grid)});
}

TEST(TokenPositions, AnIndexCountsWithinItsSequence) {
  const Batch batch = batch_of({{5, 6, 7}, {8, 9}});
  EXPECT_EQ(token_positions(batch, resolved("rope"), 0, 0), (std::vector<int32_t>{0, 1, 2, 0, 1}));
  // Even where nobody asks, there is one number per token.
  EXPECT_EQ(token_positions(batch, resolved("nope"), 0, 0).size(), 5u);
}

TEST(TokenPositions, CoordinatesRunRowByRow) {
  const Batch batch = batch_of({{1, 1, 1, 1, 1}});
  EXPECT_EQ(token_positions(batch, resolved("rope(axes=2)", {4, 3}), 0, 0),
            (std::vector<int32_t>{0, 0, 0, 1, 0, 2, 1, 0, 1, 1}));
  EXPECT_EQ(token_positions(batch, resolved("rope(axes=3,map=mixed,fraction=0.75)", {3, 2, 2}), 0, 0),
            (std::vector<int32_t>{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0}));
}

// One order for all sequences and steps, which the model's seed has no part in.
TEST(TokenPositions, ScatteredOnesAreTheIndicesInAnotherOrder) {
  const ResolvedEncoding encoding = resolved("scattered(rope)");
  const std::vector<int32_t> long_one(12, 1);
  const std::vector<int32_t> order = token_positions(batch_of({long_one}), encoding, 3, 0);
  EXPECT_EQ(std::set<int32_t>(order.begin(), order.end()).size(), 12u);
  EXPECT_EQ(*std::min_element(order.begin(), order.end()), 0);
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 11);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(token_positions(batch_of({long_one}), encoding, 4, 9), order);
  const std::vector<int32_t> two = token_positions(batch_of({{1, 2, 3}, {4, 5}}), encoding, 3, 1);
  EXPECT_EQ(two, (std::vector<int32_t>{order[0], order[1], order[2], order[0], order[1]}));
  EXPECT_NE(token_positions(batch_of({long_one}), resolved("scattered(rope,seed=1)"), 3, 0), order);
}

TEST(TokenPositions, DrawnOnesAreSortedDistinctAndWithinTheRange) {
  const ResolvedEncoding encoding = resolved("randomized(rope,max=20)");
  for (uint32_t step = 0; step < 200; ++step) {
    const std::vector<int32_t> drawn = token_positions(batch_of({{1, 2, 3, 4, 5, 6, 7}}), encoding, 3, step);
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    EXPECT_EQ(std::set<int32_t>(drawn.begin(), drawn.end()).size(), 7u);
    EXPECT_GE(drawn.front(), 0);
    EXPECT_LT(drawn.back(), 20);
  }
  // As many numbers as there are leave no choice.
  const std::vector<int32_t> all =
      token_positions(batch_of({std::vector<int32_t>(12, 1)}), resolved("randomized(rope,max=12)"), 3, 5);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int32_t>(i));
}

TEST(TokenPositions, DrawsAreAFunctionOfSeedStepAndTokens) {
  const ResolvedEncoding encoding = resolved("randomized(rope,max=1000)");
  const auto drawn = [&](const Batch& batch, uint64_t seed, uint32_t step) {
    return token_positions(batch, encoding, seed, step);
  };
  const std::vector<int32_t> alone = drawn(batch_of({{4, 5, 6, 7}}), 1, 2);
  const std::vector<int32_t> among = drawn(batch_of({{9, 9}, {4, 5, 6, 7}, {3}}), 1, 2);
  EXPECT_EQ(alone, std::vector<int32_t>(among.begin() + 2, among.begin() + 6));
  EXPECT_NE(alone, drawn(batch_of({{4, 5, 6, 8}}), 1, 2));
  EXPECT_NE(alone, drawn(batch_of({{4, 5, 6, 7}}), 1, 3));
  EXPECT_NE(alone, drawn(batch_of({{4, 5, 6, 7}}), 2, 2));
}

using Positions = std::vector<int32_t>;

// As in the released code of BiPE: the word that ends a segment is its last token.
TEST(TokenPositions, AWordEndsItsSegment) {
  const Batch batch = batch_of({{5, 6, 0, 7, 0, 0, 8}, {9, 1, 1}});
  EXPECT_EQ(token_positions(batch, resolved("segments(rope,by=\"0\")"), 0, 0),
            (Positions{0, 1, 2, 0, 1, 0, 0, 0, 1, 2}));
  EXPECT_EQ(token_positions(batch, resolved("segments(rope,by=\"0\",axis=segment)"), 0, 0),
            (Positions{0, 0, 0, 1, 1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(token_positions(batch, resolved("segments(rope(axes=2),by=\"0,8-9\",axis=both)"), 0, 0),
            (Positions{0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 0, 2, 0, 3, 0, 0, 0, 1, 1, 1}));
}

TEST(TokenPositions, AWordStartsItsSegment) {
  const Batch batch = batch_of({{0, 6, 0, 7, 0, 0, 8}, {9, 0, 1}});
  EXPECT_EQ(token_positions(batch, resolved("segments(rope,by=\"0\",at=start)"), 0, 0),
            (Positions{0, 1, 0, 1, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(token_positions(batch, resolved("segments(rope,by=\"0\",at=start,axis=segment)"), 0, 0),
            (Positions{0, 0, 1, 1, 2, 3, 3, 0, 1, 1}));
}

// As in the released code of Abacus: digits count from 1 in their number, all else is 0.
TEST(TokenPositions, WordsMakeRuns) {
  const Batch batch = batch_of({{1, 2, 10, 3, 11, 12, 4, 5, 6}, {10, 10}, {7}});
  EXPECT_EQ(token_positions(batch, resolved("segments(learned,by=\"0-9\",at=inside)"), 0, 0),
            (Positions{1, 2, 0, 1, 0, 0, 1, 2, 3, 0, 0, 1}));
  EXPECT_EQ(token_positions(batch, resolved("segments(learned,by=\"0-9\",at=inside,axis=segment)"), 0, 0),
            (Positions{1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 1}));
}

TEST(TokenPositions, FurtherTokensShareTheLast) {
  const Batch batch = batch_of({{5, 6, 7, 8, 0, 7, 0, 0, 8}});
  EXPECT_EQ(token_positions(batch, resolved("segments(learned,by=\"0\",max=3)"), 0, 0),
            (Positions{0, 1, 2, 2, 2, 0, 1, 0, 0}));
  EXPECT_EQ(token_positions(batch, resolved("segments(learned,by=\"0\",max=2,axis=segment)"), 0, 0),
            (Positions{0, 0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(TokenPositions, WithoutAWordOffsetsAreIndices) {
  const Batch batch = batch_of({{5, 6, 7, 5}, {8, 9}});
  for (const char* at : {"end", "start"}) {
    const std::string text = std::string("segments(rope,by=\"0-4,10\",at=") + at;
    EXPECT_EQ(token_positions(batch, resolved(text + ")"), 0, 0), token_positions(batch, resolved("rope"), 0, 0));
    EXPECT_EQ(token_positions(batch, resolved(text + ",axis=segment)"), 0, 0), Positions(6, 0));
  }
}

// While training; evaluation, at step 0, starts from 0. The start goes by seed, step and tokens, not by the batch.
TEST(TokenPositions, SegmentsStartAnywhereWhileTraining) {
  const ResolvedEncoding encoding = resolved("segments(learned,by=\"0-9\",at=inside,shift=3)");
  const Positions from_zero = {1, 2, 0, 1};
  EXPECT_EQ(token_positions(batch_of({{1, 2, 10, 3}}), encoding, 5, 0), from_zero);
  std::map<int32_t, int> starts;
  for (uint32_t step = 1; step <= 400; ++step) {
    const Positions alone = token_positions(batch_of({{1, 2, 10, 3}}), encoding, 5, step);
    const Positions among = token_positions(batch_of({{7, 7}, {1, 2, 10, 3}}), encoding, 5, step);
    ASSERT_EQ(alone, Positions(among.begin() + 2, among.end()));
    const int32_t start = alone[0] - 1;
    ASSERT_EQ(alone, (Positions{1 + start, 2 + start, 0, 1 + start}));
    ++starts[start];
  }
  ASSERT_EQ(starts.size(), 4u);
  EXPECT_EQ(starts.begin()->first, 0);
  EXPECT_EQ(starts.rbegin()->first, 3);
  for (const auto& [start, count] : starts) EXPECT_NEAR(count, 100.0, 5.0 * std::sqrt(75.0)) << start;
}

// Each of the 20 subsets of 3 out of 6 should come up 1000 times in 20,000; 5 deviations allowed.
TEST(TokenPositions, EverySubsetIsAsLikely) {
  const ResolvedEncoding encoding = resolved("randomized(rope,max=12)");
  ResolvedEncoding small = encoding;
  small.axes.front().extent = 6;
  std::map<std::vector<int32_t>, int> counts;
  const Batch batch = batch_of({{1, 2, 3}});
  for (uint32_t step = 0; step < 20000; ++step) ++counts[token_positions(batch, small, 7, step)];
  EXPECT_EQ(counts.size(), 20u);
  for (const auto& [subset, count] : counts) EXPECT_NEAR(count, 1000.0, 5.0 * std::sqrt(1000.0));
}

}  // namespace token_positions_test
}  // namespace phasor
