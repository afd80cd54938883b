#include "phasor/study/summary/learned.h"

#include <gtest/gtest.h>

namespace phasor {
namespace learned_test {

TEST(Learned, IsHeldAgainstWhatBlindGuessingHas) {
  const TaskFloors floors{.chance = 0.04, .constant = 0.10, .length = 0.16};
  EXPECT_EQ(blind_accuracy(floors), 0.16);
  EXPECT_EQ(learned(0.15, floors), Learned::no);
  EXPECT_EQ(learned(0.20, floors), Learned::no);
  EXPECT_EQ(learned(0.27, floors), Learned::partly);
  EXPECT_EQ(learned(0.89, floors), Learned::partly);
  EXPECT_EQ(learned(0.90, floors), Learned::yes);
  EXPECT_STREQ(verb(Learned::yes), "learned");
  EXPECT_STREQ(verb(Learned::no), "did not learn");
}

}  // namespace learned_test
}  // namespace phasor
