#pragma once
// XXH64 (seed 0) of a stream of bytes, after its public specification. It tells whether a file is still what was
// written; it is no protection against somebody who wants to deceive.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace phasor {

class ContentHash {
 public:
  ContentHash();

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  uint64_t value() const;
  // The value as sixteen hexadecimal digits.
  std::string digits() const;

 private:
  static constexpr size_t kStripe = 32;

  std::array<uint64_t, 4> lanes_;
  std::array<std::byte, kStripe> rest_ = {};  // bytes that do not fill a stripe yet
  size_t kept_ = 0;                           // of them
  uint64_t length_ = 0;
};

inline constexpr size_t kHashDigits = 16;

std::string content_hash(std::string_view text);

}  // namespace phasor
