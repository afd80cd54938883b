#include "phasor/engine/backend.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/engine/arena.h"
#include "support/backend.h"

namespace phasor {
namespace backend_test {

using testing_support::test_backend;

TEST(Backend, AnUnknownNameIsAnErrorThatNamesTheKnownOnes) {
  try {
    make_backend("abacus");
    FAIL() << "made a backend called abacus";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("abacus"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("cpu"), std::string::npos) << error.what();
  }
}

TEST(Backend, EveryBackendHasFp32AndAName) {
  EXPECT_TRUE(test_backend().supports(Dtype::f32));
  EXPECT_FALSE(test_backend().description().empty());
}

TEST(Backend, CopiesGoThereAndBack) {
  Backend& backend = test_backend();
  const std::vector<int32_t> values = {1, -2, 3, 0x7fffffff, 5};
  const Memory memory = backend.allocate(values.size() * sizeof(int32_t));
  backend.copy_in(memory.data(), values.data(), values.size() * sizeof(int32_t));
  backend.synchronize();
  std::vector<int32_t> back(values.size());
  backend.copy_out(back.data(), memory.data(), back.size() * sizeof(int32_t));
  EXPECT_EQ(back, values);
}

TEST(Backend, ZeroBytesCanBeAllocated) { EXPECT_EQ(test_backend().allocate(0).bytes(), 0u); }

// Measuring and carving make the same calls, so what was measured is enough.
TEST(Arena, MeasuresWhatItCarves) {
  const auto carve = [](Arena& arena) {
    const auto a = arena.view<float>(7, 3);
    const Matrix b = arena.matrix(Dtype::bf16, 5, 11);
    const auto c = arena.view<int32_t>(1);
    return std::array<const void*, 3>{a.data(), b.data(), c.data()};
  };
  Arena measure;
  EXPECT_EQ(carve(measure)[0], nullptr);
  Arena arena(test_backend(), measure.used());
  const auto places = carve(arena);
  EXPECT_EQ(arena.used(), measure.used());
  EXPECT_EQ(arena.bytes(), measure.used());
  for (size_t i = 1; i < places.size(); ++i) {
    const auto distance = static_cast<const char*>(places[i]) - static_cast<const char*>(places[i - 1]);
    EXPECT_GE(distance, 84) << "blocks must not overlap";
    EXPECT_EQ(distance % 256, 0) << "blocks start on cache lines of every device";
  }
}

}  // namespace backend_test
}  // namespace phasor
