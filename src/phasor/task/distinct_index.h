#pragma once
// Tells new samples from repeated ones: numbers 0, 1, 2 ... under 64-bit hashes, by open addressing.
// Equal hashes are not taken for equal samples; the caller's comparison decides.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace phasor {

inline uint64_t hash_sequence(std::span<const int32_t> tokens) {
  uint64_t hash = (tokens.size() + 1) * 0xBF58476D1CE4E5B9u;
  for (const int32_t token : tokens) {
    hash = (hash ^ static_cast<uint32_t>(token)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

class DistinctIndex {
 public:
  // Room for `capacity` numbers in a table that stays at most half full.
  explicit DistinctIndex(int64_t capacity) : table_(std::bit_ceil(2 * static_cast<size_t>(capacity) + 2), kFree) {
    hashes_.reserve(static_cast<size_t>(capacity));
  }

  // Gives the next number to a new sample and returns true; false when same(n) holds for a number n
  // that already has this hash.
  template <class Same>
  bool insert(uint64_t hash, const Same& same) {
    const size_t mask = table_.size() - 1;
    size_t slot = hash & mask;
    for (; table_[slot] != kFree; slot = (slot + 1) & mask) {
      const int32_t number = table_[slot];
      if (hashes_[static_cast<size_t>(number)] == hash && same(int64_t{number})) return false;
    }
    table_[slot] = static_cast<int32_t>(hashes_.size());
    hashes_.push_back(hash);
    return true;
  }

  // Whether same(n) holds for a number n that has this hash.
  template <class Same>
  bool contains(uint64_t hash, const Same& same) const {
    const size_t mask = table_.size() - 1;
    for (size_t slot = hash & mask; table_[slot] != kFree; slot = (slot + 1) & mask) {
      const int32_t number = table_[slot];
      if (hashes_[static_cast<size_t>(number)] == hash && same(int64_t{number})) return true;
    }
    return false;
  }

 private:
  static constexpr int32_t kFree = -1;

  std::vector<int32_t> table_;
  std::vector<uint64_t> hashes_;
};

}  // namespace phasor
