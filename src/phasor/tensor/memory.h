#pragma once
// Move-only ownership of a block of memory on some device. A Backend makes it; views point into it.
#include <cstddef>
#include <utility>

namespace phasor {

class Memory {
 public:
  // `context` is whatever the maker needs to take the block back: a stream, a pool.
  using Release = void (*)(void* data, size_t bytes, void* context);

  Memory() = default;
  Memory(void* data, size_t bytes, Release release, void* context = nullptr)
      : data_(data), bytes_(bytes), release_(release), context_(context) {}
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    Memory taken(std::move(other));
    swap(taken);
    return *this;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (data_ != nullptr) release_(data_, bytes_, context_);
  }

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void swap(Memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(release_, other.release_);
    std::swap(context_, other.context_);
  }

  void* data_ = nullptr;
  size_t bytes_ = 0;
  Release release_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace phasor
