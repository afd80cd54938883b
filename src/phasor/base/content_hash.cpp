#include "phasor/base/content_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace phasor {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87u;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4Fu;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9u;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63u;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5u;

template <class Word>
Word word_at(const std::byte* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

uint64_t lane_round(uint64_t lane, uint64_t word) { return std::rotl(lane + word * kPrime2, 31) * kPrime1; }

const std::byte* add_stripe(std::array<uint64_t, 4>& lanes, const std::byte* bytes) {
  for (uint64_t& lane : lanes) {
    lane = lane_round(lane, word_at<uint64_t>(bytes));
    bytes += sizeof(uint64_t);
  }
  return bytes;
}

}  // namespace

ContentHash::ContentHash() : lanes_{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1} {}

void ContentHash::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  length_ += bytes.size();
  if (kept_ > 0) {
    const size_t taken = std::min(kStripe - kept_, bytes.size());
    std::memcpy(rest_.data() + kept_, bytes.data(), taken);
    kept_ += taken;
    bytes = bytes.subspan(taken);
    if (kept_ < kStripe) return;
    add_stripe(lanes_, rest_.data());
    kept_ = 0;
  }
  // Lanes in registers: the compiler cannot know that `bytes` are not this object.
  std::array<uint64_t, 4> lanes = lanes_;
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  while (end - at >= static_cast<std::ptrdiff_t>(kStripe)) at = add_stripe(lanes, at);
  lanes_ = lanes;
  kept_ = static_cast<size_t>(end - at);
  if (kept_ > 0) std::memcpy(rest_.data(), at, kept_);
}

uint64_t ContentHash::value() const {
  uint64_t hash = kPrime5;
  if (length_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (const uint64_t lane : lanes_) hash = (hash ^ lane_round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += length_;
  size_t at = 0;
  for (; at + 8 <= kept_; at += 8) {
    hash = std::rotl(hash ^ lane_round(0, word_at<uint64_t>(rest_.data() + at)), 27) * kPrime1 + kPrime4;
  }
  for (; at + 4 <= kept_; at += 4) {
    hash = std::rotl(hash ^ (word_at<uint32_t>(rest_.data() + at) * kPrime1), 23) * kPrime2 + kPrime3;
  }
  for (; at < kept_; ++at) hash = std::rotl(hash ^ (static_cast<uint64_t>(rest_[at]) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::string ContentHash::digits() const { return fmt::format("{:016x}", value()); }

std::string content_hash(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.digits();
}

}  // namespace phasor
