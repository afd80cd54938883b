#include <gtest/gtest.h>

#include <algorithm>

#include "phasor/task/noise.h"
#include "task/samples.h"

namespace phasor {
namespace passkey_test {

using testing_support::draw;

constexpr int32_t kMark = 10, kFirstNoise = 11;

TEST(PasskeyTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("passkey")->shape();
  EXPECT_EQ(quick.vocabulary, 11 + kNoiseWords);
  EXPECT_EQ(quick.classes, 10);
  EXPECT_EQ(quick.max_length, 48 + 3 * 6);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_TRUE(quick.causal);
  EXPECT_EQ(testing_support::make("passkey", {"paper"})->shape().max_length, 512 + 3 * 6);
}

TEST(PasskeyTask, TheKeyIsSaidAgainDigitByDigit) {
  const auto task = testing_support::make("passkey", {"digits=2"});
  EXPECT_EQ(task->solve({11, 12, kMark, 4, 7, kMark, 4, 7, 11, kMark, 4, 7}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 7, -1}));
  EXPECT_EQ(task->solve({11, 12, kMark, 4, 7, kMark, 4, 7, 11, kMark, 0, 0}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 7, -1}))
      << "the answer is not looked at";
  EXPECT_THROW(task->solve({11, 12, 11}), Error) << "no key";
  EXPECT_THROW(task->solve({kMark, 4, 7, kMark, 4}), Error);
}

TEST(PasskeyTask, KeysStandAnywhereAndAreEquallyLikely) {
  for (const bool random : {false, true}) {
    const auto task =
        testing_support::make("passkey", {"length=30", "digits=3", random ? "noise=random" : "noise=repeated"});
    std::vector<int64_t> places(31), digits(10), noise(kNoiseWords);
    for (int64_t number = 0; number < 20000; ++number) {
      const Sample sample = draw(*task, 0, number);
      const std::vector<int32_t>& tokens = sample.tokens;
      ASSERT_EQ(tokens.size(), 42u);
      const auto place = static_cast<size_t>(std::find(tokens.begin(), tokens.end(), kMark) - tokens.begin());
      ++places.at(place);
      const std::vector<int32_t> key(tokens.begin() + static_cast<int64_t>(place),
                                     tokens.begin() + static_cast<int64_t>(place) + 4);
      ASSERT_EQ(std::vector<int32_t>(tokens.begin() + static_cast<int64_t>(place) + 4,
                                     tokens.begin() + static_cast<int64_t>(place) + 8),
                key);
      ASSERT_EQ(std::vector<int32_t>(tokens.end() - 4, tokens.end()), key);
      for (size_t i = 1; i < 4; ++i) ++digits.at(static_cast<size_t>(key[i]));
      for (size_t t = 0; t < 38; ++t) {
        if (t >= place && t < place + 8) continue;
        const size_t since = t < place ? t : t - place - 8;
        ++noise.at(static_cast<size_t>(tokens[t] - kFirstNoise));
        ASSERT_TRUE(random || tokens[t] == kFirstNoise + static_cast<int32_t>(since) % kNoiseWords);
      }
    }
    EXPECT_TRUE(testing_support::uniform(places));
    EXPECT_TRUE(testing_support::uniform(digits));
    EXPECT_EQ(bool{testing_support::uniform(noise)}, random);
  }
}

}  // namespace passkey_test
}  // namespace phasor
