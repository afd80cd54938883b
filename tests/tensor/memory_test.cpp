#include "phasor/tensor/memory.h"

#include <gtest/gtest.h>

namespace phasor {
namespace memory_test {

int released = 0;

Memory block() {
  return Memory(
      new char[16], 16,
      [](void* data, size_t bytes, void* count) {
        *static_cast<int*>(count) += bytes == 16;
        delete[] static_cast<char*>(data);
      },
      &released);
}

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() { released = 0; }
};

TEST_F(MemoryTest, IsReleasedOnce) {
  { const Memory memory = block(); }
  EXPECT_EQ(released, 1);
}

TEST_F(MemoryTest, MovingLeavesNothingBehind) {
  {
    Memory first = block();
    void* data = first.data();
    const Memory second = std::move(first);
    EXPECT_EQ(second.data(), data);
    EXPECT_EQ(second.bytes(), 16u);
    EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): the moved-from state is the point
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(MemoryTest, AssignmentReleasesWhatWasHeld) {
  Memory memory = block();
  memory = block();
  EXPECT_EQ(released, 1);
  memory = Memory();
  EXPECT_EQ(released, 2);
  EXPECT_EQ(memory.data(), nullptr);
}

}  // namespace memory_test
}  // namespace phasor
