#include "phasor/encoding/syntax/index_set.h"

#include <gtest/gtest.h>

namespace phasor {
namespace index_set_test {

TEST(IndexSet, MergesRangesThatOverlapOrTouch) {
  EXPECT_EQ(print(IndexSet({{3, 3}, {0, 1}})), "0-1,3");
  EXPECT_EQ(print(IndexSet({{2, 2}, {0, 0}, {1, 1}})), "0-2");
  EXPECT_EQ(print(IndexSet({{0, 9}, {2, 3}})), "0-9");
  EXPECT_EQ(print(IndexSet({{5, 6}, {5, 5}, {8, 9}})), "5-6,8-9");
  EXPECT_EQ(print(IndexSet()), "none");
}

TEST(IndexSet, ContainsWhatItsRangesHold) {
  const IndexSet set({{0, 1}, {3, 3}});
  for (const int64_t inside : {0, 1, 3}) EXPECT_TRUE(set.contains(inside)) << inside;
  for (const int64_t outside : {-1, 2, 4}) EXPECT_FALSE(set.contains(outside)) << outside;
  EXPECT_EQ(set.first(), 0);
  EXPECT_EQ(set.last(), 3);
  EXPECT_FALSE(IndexSet().contains(0));
}

}  // namespace index_set_test
}  // namespace phasor
