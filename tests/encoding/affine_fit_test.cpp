#include "phasor/encoding/measure/affine_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/random/distributions.h"

namespace phasor {
namespace affine_fit_test {

Table random_table(int64_t rows, int64_t columns, uint32_t site) {
  const RandomStream stream{.seed = 5, .purpose = Purpose::test, .site = site};
  Table table(rows, columns);
  for (size_t i = 0; i < table.values.size(); ++i) table.values[i] = normal(stream, i);
  return table;
}

const double* row(const Table& table, int64_t r) { return table.values.data() + r * table.columns; }

// y = x matrix + shift
Table image(const Table& x, const Table& matrix, const std::vector<double>& shift) {
  Table y(x.rows, matrix.columns);
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t c = 0; c < y.columns; ++c) {
      y(r, c) = shift[static_cast<size_t>(c)];
      for (int64_t k = 0; k < x.columns; ++k) y(r, c) += x(r, k) * matrix(k, c);
    }
  }
  return y;
}

// Condition numbers of these are below 100: 1e-12 is some thousand rounding units.
constexpr double kTolerance = 1e-12;

TEST(AffineFit, FindsAMapThatIsThere) {
  const Table matrix = random_table(6, 4, 1);
  const std::vector<double> shift = {3, -1, 0.5, 100};
  const Table seen = random_table(20, 6, 2);
  const AffineMap map(seen, image(seen, matrix, shift));
  EXPECT_EQ(map.rank(), 6);
  const Table other = random_table(5, 6, 3);
  const Table wanted = image(other, matrix, shift);
  for (int64_t r = 0; r < other.rows; ++r) {
    const std::vector<double> found = map(row(other, r));
    for (int64_t c = 0; c < 4; ++c) EXPECT_NEAR(found[static_cast<size_t>(c)], wanted(r, c), 100 * kTolerance);
  }
}

// Rows within a plane of five dimensions: across it nothing is known, and the smallest map does nothing there.
TEST(AffineFit, LeavesOutWhatTheRowsDoNotShow) {
  const Table plane = random_table(2, 5, 4);
  const Table seen = image(random_table(30, 2, 5), plane, {1, 2, 3, 4, 5});
  const Table wanted = image(seen, random_table(5, 3, 6), {0, 0, 0});
  const AffineMap map(seen, wanted);
  EXPECT_EQ(map.rank(), 2);
  for (int64_t r = 0; r < seen.rows; ++r) {
    const std::vector<double> found = map(row(seen, r));
    for (int64_t c = 0; c < 3; ++c) EXPECT_NEAR(found[static_cast<size_t>(c)], wanted(r, c), 100 * kTolerance);
  }
  // Some vector minus its part in the plane, by two rounds of Gram and Schmidt.
  std::vector<double> across = {1, -1, 1, -1, 1};
  Table frame = plane;
  const auto remove = [&frame](std::vector<double>& v, int64_t axis) {
    double product = 0.0;
    double square = 0.0;
    for (int64_t c = 0; c < 5; ++c) {
      product += v[static_cast<size_t>(c)] * frame(axis, c);
      square += frame(axis, c) * frame(axis, c);
    }
    for (int64_t c = 0; c < 5; ++c) v[static_cast<size_t>(c)] -= product / square * frame(axis, c);
  };
  std::vector<double> second(row(plane, 1), row(plane, 1) + 5);
  remove(second, 0);
  for (int64_t c = 0; c < 5; ++c) frame(1, c) = second[static_cast<size_t>(c)];
  for (const int64_t axis : {0, 1, 0, 1}) remove(across, axis);
  std::vector<double> moved(row(seen, 0), row(seen, 0) + 5);
  for (size_t c = 0; c < 5; ++c) moved[c] += across[c];
  const std::vector<double> before = map(row(seen, 0));
  const std::vector<double> after = map(moved.data());
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(after[c], before[c], 100 * kTolerance);
}

// What is left is at right angles to all columns, and to the constant.
TEST(AffineFit, IsLeastSquares) {
  const Table seen = random_table(40, 3, 7);
  const Table wanted = random_table(40, 2, 8);
  const AffineMap map(seen, wanted);
  for (int64_t c = 0; c < 2; ++c) {
    std::vector<double> products(4);
    for (int64_t r = 0; r < seen.rows; ++r) {
      const double left = wanted(r, c) - map(row(seen, r))[static_cast<size_t>(c)];
      products[3] += left;
      for (int64_t k = 0; k < 3; ++k) products[static_cast<size_t>(k)] += left * seen(r, k);
    }
    for (const double product : products) EXPECT_NEAR(product, 0.0, 100 * kTolerance);
  }
}

TEST(AffineFit, OfEqualRowsIsTheirMean) {
  const Table seen = image(Table(4, 1), Table(1, 2), {7, 7});
  const Table wanted = random_table(4, 1, 9);
  const AffineMap map(seen, wanted);
  EXPECT_EQ(map.rank(), 0);
  const double mean = (wanted(0, 0) + wanted(1, 0) + wanted(2, 0) + wanted(3, 0)) / 4.0;
  EXPECT_NEAR(map(row(seen, 2))[0], mean, kTolerance);
}

// Fewer rows than columns: any values fit, and the rank says so.
TEST(AffineFit, FitsAnythingWithFewRows) {
  const Table seen = random_table(4, 9, 10);
  const Table wanted = random_table(4, 9, 11);
  const AffineMap map(seen, wanted);
  EXPECT_EQ(map.rank(), 3) << "four points differ in three directions";
  for (int64_t r = 0; r < 4; ++r) {
    for (int64_t c = 0; c < 9; ++c) EXPECT_NEAR(map(row(seen, r))[static_cast<size_t>(c)], wanted(r, c), 1e-11);
  }
}

}  // namespace affine_fit_test
}  // namespace phasor
