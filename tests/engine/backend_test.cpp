#include "phasor/engine/backend.h"

#include <gtest/gtest.h>

#include <cmath>

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

// Norms of (3, 4 i) at step i, each in a place of its own: a device may replay what it recorded, on what memory holds
// now.
void expect_norms_of_repeated_ops(Backend& backend, uint64_t owner) {
  constexpr int64_t kSteps = 5;
  const Memory memory = backend.allocate(256 * sizeof(float));
  float* const base = static_cast<float*>(memory.data());
  const View<const float, 1> gradient(base, 2);
  const View<float, 1> norms(base + 64, kSteps);
  auto* const step = reinterpret_cast<uint32_t*>(base + 128);
  for (uint32_t i = 0; i < kSteps; ++i) {
    const float values[] = {3.0f, 4.0f * static_cast<float>(i)};
    backend.copy_in(base, values, sizeof(values));
    backend.copy_in(step, &i, sizeof(i));
    backend.repeat({.owner = owner, .tokens = i % 2},
                   [&] { backend.run(GradientNorm{.norm = norms, .gradient = gradient, .slot = step}); });
  }
  std::vector<float> found(kSteps);
  backend.copy_out(found.data(), norms.data(), kSteps * sizeof(float));
  for (int64_t i = 0; i < kSteps; ++i) {
    EXPECT_FLOAT_EQ(found[static_cast<size_t>(i)], std::hypot(3.0f, 4.0f * static_cast<float>(i))) << i;
  }
}

TEST(Backend, RepeatedOpsReadWhatMemoryHoldsNow) {
  Backend& backend = test_backend();
  const uint64_t owner = backend.new_owner();
  EXPECT_NE(backend.new_owner(), owner);
  expect_norms_of_repeated_ops(backend, owner);
  backend.forget(owner);
  expect_norms_of_repeated_ops(backend, owner);  // with memory of its own
  backend.forget(owner);
  backend.forget(owner);
}

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
