// Copies from a device to the host, and the devices of this build.
#include "phasor/engine/download.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/tensor/bfloat16.h"
#include "support/backend.h"

namespace phasor {
namespace download_test {

using testing_support::test_backend;

// [rows, columns] of 16 * row + column, which bf16 holds exactly.
struct Uploaded {
  Memory memory;
  Matrix matrix;

  Uploaded(Dtype dtype, int64_t rows, int64_t columns)
      : memory(test_backend().allocate(static_cast<size_t>(rows * columns) * sizeof(float))),
        matrix(memory.data(), dtype, rows, columns) {
    std::vector<float> wide;
    std::vector<bfloat16> narrow;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        wide.push_back(static_cast<float>(16 * r + c));
        narrow.push_back(to_bfloat16(wide.back()));
      }
    }
    if (dtype == Dtype::f32) {
      test_backend().copy_in(memory.data(), wide.data(), wide.size() * sizeof(float));
    } else {
      test_backend().copy_in(memory.data(), narrow.data(), narrow.size() * sizeof(bfloat16));
    }
  }
};

TEST(Download, TakesTheFirstRowsWithoutGaps) {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const Uploaded given(dtype, 4, 5);
    EXPECT_EQ(download(test_backend(), given.matrix, 2), (std::vector<float>{0, 1, 2, 3, 4, 16, 17, 18, 19, 20}));
    // Columns of a wider matrix lie apart from each other.
    EXPECT_EQ(download(test_backend(), given.matrix.column_range(3, 2), 3), (std::vector<float>{3, 4, 19, 20, 35, 36}));
  }
}

// The rows that were not asked for have no room at the target: written, they would land in what lies behind it.
TEST(Download, OfOneRowOfManyWritesOneRow) {
  constexpr int64_t kRows = 64, kColumns = 1024;  // a page each
  const Uploaded given(Dtype::f32, kRows, kColumns);
  const std::vector<float> first = download(test_backend(), given.matrix, 1);
  ASSERT_EQ(first.size(), static_cast<size_t>(kColumns));
  EXPECT_EQ(first.back(), static_cast<float>(kColumns - 1));
  const std::vector<float> all = download(test_backend(), given.matrix, kRows);
  for (int64_t r = 0; r < kRows; ++r) {
    EXPECT_EQ(all[static_cast<size_t>(r * kColumns)], static_cast<float>(16 * r)) << "row " << r;
  }
}

TEST(Download, PutsColumnsSideBySideAndPassesOverEmptyOnes) {
  const Uploaded first(Dtype::f32, 3, 2), second(Dtype::bf16, 3, 1);
  EXPECT_EQ(download_side_by_side(test_backend(), {first.matrix, ConstMatrix(), second.matrix}, 2),
            (std::vector<float>{0, 1, 0, 16, 17, 16}));
  EXPECT_TRUE(download_side_by_side(test_backend(), {ConstMatrix()}, 2).empty());
  EXPECT_TRUE(download(test_backend(), first.matrix, 0).empty());
}

TEST(Devices, AreMadeByName) {
  const std::vector<std::string> names = device_names();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), kDefaultDevice);
  for (const std::string& name : names) {
    try {
      EXPECT_FALSE(make_backend(name)->description().empty()) << name;
    } catch (const Error& error) {
      // A build may have a device that the machine does not.
      EXPECT_EQ(name, "cuda") << error.what();
      EXPECT_NE(std::string(error.what()).find("use the device 'cpu'"), std::string::npos) << error.what();
    }
  }
  try {
    make_backend("abacus");
    FAIL() << "there is no such device";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'abacus' is not in this build; it has: cpu"), std::string::npos)
        << error.what();
  }
}

TEST(Devices, ABuildWithoutCudaSaysHowToGetIt) {
  for (const std::string& name : device_names()) {
    if (name == "cuda") GTEST_SKIP() << "this build has the CUDA backend";
  }
  try {
    make_backend("cuda");
    FAIL() << "there is no such device";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--preset cuda"), std::string::npos) << error.what();
  }
}

}  // namespace download_test
}  // namespace phasor
