#pragma once
// Seeded inputs. Every number is exactly representable in the dtype it will be stored in, so that the
// reference and the engine see the same operands.
#include "phasor/random/distributions.h"
#include "phasor/tensor/matrix.h"
#include "reference/grid.h"

namespace phasor::testing_support {

using reference::Grid;

inline double representable(double x, Dtype dtype) {
  const auto narrow = static_cast<float>(x);
  return dtype == Dtype::f32 ? double{narrow} : double{to_float(to_bfloat16(narrow))};
}

inline Grid<double> representable(Grid<double> grid, Dtype dtype) {
  for (double& x : grid.data) x = representable(x, dtype);
  return grid;
}

// Each call draws from a site of its own: the n-th table of a test does not depend on the sizes of
// those before it.
class RandomData {
 public:
  explicit RandomData(uint64_t seed) : seed_(seed) {}
  uint64_t seed() const { return seed_; }

  Grid<double> normal(int64_t rows, int64_t columns, Dtype dtype = Dtype::f32, double deviation = 1.0,
                      double mean = 0.0) {
    const RandomStream stream = next();
    Grid<double> grid(rows, columns);
    for (size_t i = 0; i < grid.data.size(); ++i) {
      grid.data[i] = representable(mean + deviation * phasor::normal(stream, i), dtype);
    }
    return grid;
  }

  // Uniform in low .. high.
  std::vector<int32_t> integers(int64_t count, int32_t low, int32_t high) {
    Draws draws(next());
    std::vector<int32_t> values(static_cast<size_t>(count));
    for (int32_t& value : values)
      value = low + static_cast<int32_t>(draws.below(static_cast<uint32_t>(high - low + 1)));
    return values;
  }

  // `count` different numbers below `bound`, in random order (Fisher and Yates).
  std::vector<int32_t> distinct(int64_t count, int32_t bound) {
    Draws draws(next());
    std::vector<int32_t> all(static_cast<size_t>(bound));
    for (int32_t i = 0; i < bound; ++i) all[static_cast<size_t>(i)] = i;
    for (int64_t i = 0; i < count; ++i) {
      std::swap(all[static_cast<size_t>(i)],
                all[static_cast<size_t>(i + draws.below(static_cast<uint32_t>(bound - i)))]);
    }
    all.resize(static_cast<size_t>(count));
    return all;
  }

 private:
  RandomStream next() { return {.seed = seed_, .purpose = Purpose::test, .site = site_++}; }

  uint64_t seed_;
  uint32_t site_ = 0;
};

}  // namespace phasor::testing_support
