// What a batch came to: counted by hand, and as the host counts it.
#include <gtest/gtest.h>

#include <cmath>

#include "phasor/engine/download.h"
#include "support/backend.h"
#include "support/sequences.h"

namespace phasor {
namespace score_targets_test {

using namespace testing_support;

class ScoreTargetsTest : public testing::Test {
 protected:
  // Sums of one row of several, which hold something else before.
  std::vector<double> run(const std::vector<int32_t>& lengths, ScoreTargets op, const std::vector<float>& loss,
                          const std::vector<int32_t>& prediction, const std::vector<int32_t>& target) {
    const Batch batch = make_batch(data, lengths);
    const DeviceSequences sequences(backend, batch, 3, 2);
    const DeviceArray<float> device_loss(backend, loss, 4);
    const DeviceArray<int32_t> device_prediction(backend, prediction, 4), device_target(backend, target, 4);
    DeviceArray<double> sums(backend, std::vector<double>(static_cast<size_t>(kSlots * kScoreSums), 1000.0));
    const DeviceArray<uint32_t> slot(backend, {kSlots * 5 + 2});
    op.sums = View<double, 2>(sums.data(), kSlots, kScoreSums);
    if (in_slot) op.slot = slot.data();
    op.loss = device_loss.view();
    op.prediction = device_prediction.view();
    op.target = device_target.view();
    op.sequences = sequences.get();
    backend.run(op);
    const std::vector<double> all = download(backend, sums.data(), kSlots * kScoreSums);
    const int64_t written = in_slot ? 2 : 0;
    for (int64_t i = 0; i < kSlots * kScoreSums; ++i) {
      if (i / kScoreSums == written) continue;
      EXPECT_EQ(all[static_cast<size_t>(i)], 1000.0) << i;
    }
    return {all.begin() + written * kScoreSums, all.begin() + (written + 1) * kScoreSums};
  }

  static constexpr int64_t kSlots = 3;
  RandomData data{5};
  Backend& backend = test_backend();
  bool in_slot = false;
};

TEST_F(ScoreTargetsTest, OneTargetForEachSequence) {
  const auto found = run({3, 1, 2}, {}, {0.5f, 0.25f, 8.0f}, {4, 7, 1}, {4, 2, 1});
  EXPECT_EQ(found, (std::vector<double>{8.75, 2, 3, 2, 3}));
}

TEST_F(ScoreTargetsTest, TargetsThatAreNotScoredDoNotCount) {
  const auto found = run({3, 1, 2}, {}, {0.5f, 0.25f, 8.0f}, {4, 7, 1}, {4, -1, 0});
  EXPECT_EQ(found, (std::vector<double>{8.5, 1, 2, 1, 2}));
}

// Sequences: right as a whole; one of two wrong; nothing scored; one scored and right.
TEST_F(ScoreTargetsTest, AnAnswerIsASequencesTargetsTogether) {
  in_slot = true;
  const auto found = run({2, 2, 2, 3}, {.every_token = true}, {1, 2, 4, 8, 16, 32, 64, 128, 256},
                         {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 0, -1, -1, -1, 8, -1});
  EXPECT_EQ(found, (std::vector<double>{1 + 2 + 4 + 8 + 128, 4, 5, 2, 3}));
}

TEST_F(ScoreTargetsTest, SumsCanBeAddedUp) {
  const auto found = run({1, 1}, {.added = true}, {0.5f, 0.25f}, {1, 1}, {1, 0});
  EXPECT_EQ(found, (std::vector<double>{1000.75, 1001, 1002, 1001, 1002}));
}

TEST_F(ScoreTargetsTest, NothingToScore) { EXPECT_EQ(run({}, {}, {}, {}, {}), (std::vector<double>(kScoreSums, 0.0))); }

// Losses whose float sum would lose the small ones.
TEST_F(ScoreTargetsTest, LossesAreSummedInDouble) {
  const int64_t count = 5000;
  std::vector<float> loss(static_cast<size_t>(count), 0.0625f);
  loss[0] = 16777216.0f;
  const std::vector<int32_t> lengths(static_cast<size_t>(count), 1), right(static_cast<size_t>(count), 3);
  const auto found = run(lengths, {}, loss, right, right);
  EXPECT_EQ(found[0], 16777216.0 + 0.0625 * static_cast<double>(count - 1));
  EXPECT_EQ(found[4], static_cast<double>(count));
}

TEST_F(ScoreTargetsTest, ALossThatIsNoNumberIsSeen) {
  const auto found = run({1, 1}, {}, {0.5f, NAN}, {1, 1}, {1, 0});
  EXPECT_TRUE(std::isnan(found[0]));
}

}  // namespace score_targets_test
}  // namespace phasor
