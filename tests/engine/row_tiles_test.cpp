// Products by tiles of rows: a row has the same bits wherever it stands.
#include "phasor/engine/cpu/row_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/random_data.h"

namespace phasor {
namespace row_tiles_test {

using namespace testing_support;

constexpr uint64_t kSeed = 163;

std::vector<float> normals(RandomData& data, int64_t rows, int64_t columns) {
  const auto grid = data.normal(rows, columns);
  std::vector<float> values;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) values.push_back(static_cast<float>(grid(r, c)));
  }
  return values;
}

struct TileShape {
  int64_t n, k;
  bool transposed;
};

class RowTile : public testing::TestWithParam<TileShape> {};

// The same row alone, at the end of a tile, and in tiles of every length that is multiplied as it is or padded.
TEST_P(RowTile, ARowHasTheSameBitsWhereverItStands) {
  const auto [n, k, transposed] = GetParam();
  RandomData data(kSeed);
  const std::vector<float> row = normals(data, 1, k), b = normals(data, transposed ? n : k, transposed ? k : n);
  for (const std::unique_ptr<Gemm>& gemm : available_gemms()) {
    if (!gemm->rows_are_alike()) continue;
    const auto at = [&](int64_t place, int64_t rows) {
      std::vector<float> a = normals(data, rows, k), c(static_cast<size_t>(rows * n));
      std::copy(row.begin(), row.end(), a.begin() + place * k);
      multiply_tile(*gemm, {.c = Matrix(c.data(), Dtype::f32, rows, n),
                            .a = ConstMatrix(a.data(), Dtype::f32, rows, k),
                            .b = ConstMatrix(b.data(), Dtype::f32, transposed ? n : k, transposed ? k : n),
                            .b_transposed = transposed});
      return std::vector<float>(c.begin() + place * n, c.begin() + (place + 1) * n);
    };
    const std::vector<float> alone = at(0, 1);
    for (const int64_t rows : {2, 31, 32, 33, 47, 48, 49, 64, 95, 96}) {
      for (const int64_t place : {int64_t{0}, rows / 2, rows - 2, rows - 1}) {
        EXPECT_EQ(std::memcmp(at(place, rows).data(), alone.data(), alone.size() * sizeof(float)), 0)
            << gemm->name() << ": row " << place << " of " << rows;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RowTile,
                         testing::Values(TileShape{10, 64, true}, TileShape{16, 64, true}, TileShape{64, 64, true},
                                         TileShape{192, 64, true}, TileShape{64, 128, false},
                                         TileShape{132, 128, false}, TileShape{128, 64, false},
                                         TileShape{32, 512, false}, TileShape{256, 512, true},
                                         TileShape{512, 256, false}));

}  // namespace row_tiles_test
}  // namespace phasor
