#include "support/compare.h"

#include <gtest/gtest.h>

#include <limits>

namespace phasor {
namespace compare_test {

using namespace testing_support;
using reference::Rounded32;

const Where kWhere{"Compare", "case", 7};

Grid<double> one(double value) { return Grid<double>(1, 1, value); }
Grid<Rounded32> near_one(double error) { return Grid<Rounded32>(1, 1, Rounded32(1.0, error)); }

TEST(Compare, AcceptsInsideTheBoundOnly) {
  EXPECT_TRUE(agrees(kWhere, one(1.0 + 0x1.0p-20), near_one(0x1.1p-20), Dtype::f32));
  EXPECT_FALSE(agrees(kWhere, one(1.0 + 0x1.2p-20), near_one(0x1.1p-20), Dtype::f32));
  EXPECT_FALSE(agrees(kWhere, one(1.0 - 0x1.2p-20), near_one(0x1.1p-20), Dtype::f32));
}

TEST(Compare, StorageAddsItsOwnRounding) {
  EXPECT_FALSE(agrees(kWhere, one(1.0 + 0x1.0p-9), near_one(0.0), Dtype::f32));
  EXPECT_TRUE(agrees(kWhere, one(1.0 + 0x1.0p-9), near_one(0.0), Dtype::bf16));
  EXPECT_FALSE(agrees(kWhere, one(1.0 + 0x1.1p-8), near_one(0.0), Dtype::bf16));
}

TEST(Compare, RejectsWhatIsNotANumber) {
  EXPECT_FALSE(agrees(kWhere, one(std::numeric_limits<double>::quiet_NaN()), near_one(1.0), Dtype::f32));
  EXPECT_FALSE(agrees(kWhere, one(std::numeric_limits<double>::infinity()), near_one(1.0), Dtype::f32));
}

TEST(Compare, RejectsAnotherShape) { EXPECT_FALSE(agrees(kWhere, Grid<double>(1, 2, 1.0), near_one(1.0), Dtype::f32)); }

TEST(Compare, NamesTheWorstElement) {
  Grid<double> got(2, 3, 1.0);
  got(1, 2) = 1.5;
  const auto result = agrees(kWhere, got, Grid<Rounded32>(2, 3, Rounded32(1.0, 0.1)), Dtype::f32);
  ASSERT_FALSE(result);
  const std::string text = result.message();
  for (const char* part : {"Compare fp32", "case", "seed 7", "(1, 2) of 2 x 3", "got 1.5", "expected 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
}

}  // namespace compare_test
}  // namespace phasor
