#include "phasor/random/distributions.h"

#include <cmath>
#include <numbers>

namespace phasor {
namespace {

double unit(uint32_t high, uint32_t low) {
  const uint64_t bits = (uint64_t{high} << 32 | low) >> 12;  // 52 bits, so that adding a half stays exact
  return (static_cast<double>(bits) + 0.5) * 0x1.0p-52;
}

}  // namespace

double uniform(const RandomStream& stream, uint64_t index) {
  const PhiloxBlock block = stream.block(index / 2);
  return index % 2 == 0 ? unit(block[0], block[1]) : unit(block[2], block[3]);
}

double normal(const RandomStream& stream, uint64_t index) {
  const PhiloxBlock block = stream.block(index / 2);
  const double radius = std::sqrt(-2.0 * std::log(unit(block[0], block[1])));
  const double angle = 2.0 * std::numbers::pi * unit(block[2], block[3]);
  return index % 2 == 0 ? radius * std::cos(angle) : radius * std::sin(angle);
}

uint32_t Draws::next() {
  if (index_ % 4 == 0) block_ = stream_.block(index_ / 4);
  return block_[index_++ % 4];
}

uint32_t Draws::below(uint32_t bound) {
  // Lemire's multiply-shift: the low half of the product tells when a word would favour small values.
  uint64_t product = uint64_t{next()} * bound;
  if (static_cast<uint32_t>(product) < bound) {
    const uint32_t threshold = (0u - bound) % bound;
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{next()} * bound;
  }
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace phasor
