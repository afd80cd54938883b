#include "phasor/task/batch.h"

#include <gtest/gtest.h>

namespace phasor {
namespace batch_test {

void append(Batch& batch, const std::vector<int32_t>& tokens, const std::vector<int32_t>& targets, int32_t place = -1) {
  batch.append(tokens.data(), static_cast<int64_t>(tokens.size()), targets.data(), static_cast<int64_t>(targets.size()),
               place);
}

TEST(Batch, KeepsSequencesFlatWithOffsetsAndPositions) {
  Batch batch;
  append(batch, {7, 8, 9}, {1}, 2);
  append(batch, {5}, {0}, -1);
  append(batch, {4, 6}, {3}, 0);
  batch.finish();
  EXPECT_EQ(batch.token_count(), 6);
  EXPECT_EQ(batch.sequence_count(), 3);
  EXPECT_EQ(batch.tokens, (std::vector<int32_t>{7, 8, 9, 5, 4, 6}));
  EXPECT_EQ(batch.offsets, (std::vector<int32_t>{0, 3, 4, 6}));
  EXPECT_EQ(batch.positions, (std::vector<int32_t>{0, 1, 2, 0, 0, 1}));
  EXPECT_EQ(batch.targets, (std::vector<int32_t>{1, 0, 3}));
  EXPECT_EQ(batch.places, (std::vector<int32_t>{2, -1, 0}));
  EXPECT_EQ(batch.target_weights, std::vector<float>(3, 1.0f / 3.0f));
}

TEST(Batch, TargetsThatAreNotScoredWeighNothing) {
  Batch batch;
  append(batch, {7, 8, 9}, {kNotScored, 4, kNotScored});
  append(batch, {5, 6}, {0, 2});
  batch.finish();
  const float third = 1.0f / 3.0f;
  EXPECT_EQ(batch.target_weights, (std::vector<float>{0.0f, third, 0.0f, third, third}));
}

TEST(Batch, NothingScoredIsNoDivisionByZero) {
  Batch batch;
  append(batch, {7, 8}, {kNotScored, kNotScored});
  batch.finish();
  EXPECT_EQ(batch.target_weights, (std::vector<float>{0.0f, 0.0f}));
}

TEST(Batch, ClearStartsAnew) {
  Batch batch;
  append(batch, {7, 8, 9}, {1});
  batch.finish();
  batch.clear();
  EXPECT_EQ(batch.token_count(), 0);
  EXPECT_EQ(batch.sequence_count(), 0);
  append(batch, {5, 6}, {0}, 1);
  batch.finish();
  EXPECT_EQ(batch.tokens, (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(batch.offsets, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(batch.positions, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(batch.target_weights, std::vector<float>{1.0f});
  EXPECT_EQ(batch.places, std::vector<int32_t>{1});
}

}  // namespace batch_test
}  // namespace phasor
