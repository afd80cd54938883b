#include "phasor/tensor/matrix.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace phasor {
namespace matrix_test {

static_assert(std::is_trivially_copyable_v<Matrix>, "matrices cross into kernels by value");
static_assert(std::is_convertible_v<Matrix, ConstMatrix>);
static_assert(!std::is_convertible_v<ConstMatrix, Matrix>, "const is not cast away");
static_assert(std::is_convertible_v<View<float, 2>, Matrix>);
static_assert(std::is_convertible_v<View<float, 2>, ConstMatrix>);
static_assert(std::is_convertible_v<View<const float, 2>, ConstMatrix>);
static_assert(!std::is_convertible_v<View<const float, 2>, Matrix>);

TEST(Matrix, DefaultIsEmpty) {
  EXPECT_TRUE(Matrix().empty());
  EXPECT_TRUE(ConstMatrix().empty());
}

TEST(Matrix, ElementsAreAddressedByDtype) {
  std::vector<char> memory(1024);
  for (Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const Matrix matrix(memory.data(), dtype, 4, 6, 10);
    const auto distance = static_cast<char*>(matrix.at(2, 3)) - memory.data();
    EXPECT_EQ(distance, (2 * 10 + 3) * byte_size(dtype)) << name(dtype);
  }
  const Matrix wide(memory.data(), Dtype::f32, 4, 6, 10);
  EXPECT_EQ(static_cast<void*>(wide.row<float>(3)), wide.at(3, 0));
  const Matrix narrow(memory.data(), Dtype::bf16, 4, 6, 10);
  EXPECT_EQ(static_cast<void*>(narrow.row<bfloat16>(3)), narrow.at(3, 0));
}

TEST(Matrix, RangesKeepTheStride) {
  std::vector<float> memory(60);
  const Matrix whole(memory.data(), Dtype::f32, 5, 12);
  EXPECT_EQ(whole.stride(), 12);
  const Matrix columns = whole.column_range(4, 3);
  EXPECT_EQ(columns.rows(), 5);
  EXPECT_EQ(columns.columns(), 3);
  EXPECT_EQ(columns.stride(), 12);
  EXPECT_EQ(columns.at(2, 1), whole.at(2, 5));
  const Matrix block = columns.row_range(1, 2);
  EXPECT_EQ(block.rows(), 2);
  EXPECT_EQ(block.columns(), 3);
  EXPECT_EQ(block.at(1, 2), whole.at(2, 6));
}

TEST(Matrix, AViewIsAMatrix) {
  std::vector<float> memory(24);
  const View<float, 2> view(memory.data(), 4, 6);
  const ConstMatrix matrix = view;
  EXPECT_EQ(matrix.data(), view.data());
  EXPECT_EQ(matrix.dtype(), Dtype::f32);
  EXPECT_EQ(matrix.rows(), 4);
  EXPECT_EQ(matrix.columns(), 6);
  EXPECT_EQ(matrix.stride(), 6);
  EXPECT_TRUE(ConstMatrix(View<float, 2>()).empty());
}

}  // namespace matrix_test
}  // namespace phasor
