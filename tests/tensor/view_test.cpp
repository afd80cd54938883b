#include "phasor/tensor/view.h"

#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>
#include <vector>

namespace phasor {
namespace view_test {

static_assert(std::is_trivially_copyable_v<View<float, 3>>, "views cross into kernels by value");
static_assert(std::is_convertible_v<View<float, 2>, View<const float, 2>>);
static_assert(!std::is_convertible_v<View<const float, 2>, View<float, 2>>, "const is not cast away");
static_assert(!std::is_convertible_v<View<float, 2>, View<float, 1>>);

class ViewTest : public testing::Test {
 protected:
  ViewTest() { std::iota(data.begin(), data.end(), 0.0f); }
  std::vector<float> data = std::vector<float>(2 * 3 * 5);
};

TEST_F(ViewTest, DefaultIsEmpty) {
  const View<float, 2> view;
  EXPECT_TRUE(view.empty());
  EXPECT_EQ(view.size(), 0);
}

TEST_F(ViewTest, StridesAreRowMajor) {
  const View<float, 3> view(data.data(), 2, 3, 5);
  EXPECT_FALSE(view.empty());
  EXPECT_EQ(view.size(), 30);
  EXPECT_EQ(view.stride(0), 15);
  EXPECT_EQ(view.stride(1), 5);
  EXPECT_EQ(view.stride(2), 1);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 5; ++k) EXPECT_EQ(view(i, j, k), static_cast<float>((i * 3 + j) * 5 + k));
    }
  }
}

TEST_F(ViewTest, RowPointsAtTheLastDimension) {
  const View<float, 3> view(data.data(), 2, 3, 5);
  EXPECT_EQ(view.row(1, 2), &view(1, 2, 0));
  const View<float, 2> flat(data.data(), 6, 5);
  EXPECT_EQ(flat.row(4), data.data() + 20);
}

TEST_F(ViewTest, WritesReachTheMemory) {
  const View<float, 2> view(data.data(), 6, 5);
  view(2, 3) = -1.0f;
  EXPECT_EQ(data[13], -1.0f);
}

TEST_F(ViewTest, ConstViewSeesTheSameElements) {
  const View<float, 2> view(data.data(), 6, 5);
  const View<const float, 2> readable = view;
  EXPECT_EQ(readable.data(), view.data());
  for (int d = 0; d < 2; ++d) {
    EXPECT_EQ(readable.extent(d), view.extent(d));
    EXPECT_EQ(readable.stride(d), view.stride(d));
  }
}

TEST_F(ViewTest, LargeExtentsDoNotOverflow) {
  const View<float, 2> view(nullptr, int64_t{1} << 20, int64_t{1} << 20);
  EXPECT_EQ(view.size(), int64_t{1} << 40);
  EXPECT_EQ(view.stride(0), int64_t{1} << 20);
}

}  // namespace view_test
}  // namespace phasor
