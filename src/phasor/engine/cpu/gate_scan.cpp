// Gates and their sums along a sequence: the map in fp32, whole vectors at a time, the sums in double.
#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/scratch.h"
#include "phasor/engine/cpu/simd.h"

namespace phasor {
namespace {

using simd::kLanes;
using simd::Vec;

constexpr int64_t kScanSequences = 4;
constexpr int64_t kScanRows = 64;  // tokens whose gates are mapped at one time

// log(1 + e) for e in [0, 1], to the accuracy of e however small it is: the rounding of 1 + e cancels.
[[gnu::always_inline]] inline Vec log_of_one_more(Vec e) {
  const Vec rounded = 1.0f + e;
  const Vec added = rounded - 1.0f;
  // Where nothing was added the quotient is 0 / 1.
  const Vec safe = simd::where_positive(added, added) + simd::where_positive(1.0e-8f - added, simd::splat(1.0f));
  const Vec result = simd::log(rounded) * (e / safe);
  return simd::where_negative(added - 1.0e-8f, e, result);
}

// log sigmoid(z) = min(z, 0) - log(1 + e^-|z|)
[[gnu::always_inline]] inline Vec log_sigmoid(Vec z) {
  const Vec below = simd::where_negative(z, z, Vec{});
  return below - log_of_one_more(simd::exp(-simd::abs(z)));
}

[[gnu::always_inline]] inline Vec mapped(GateMap map, Vec z) {
  return map == GateMap::log_sigmoid ? log_sigmoid(z) : log_sigmoid(-z);
}

// By z: sigmoid(-z), or -sigmoid(z).
[[gnu::always_inline]] inline Vec slope(GateMap map, Vec z) {
  return map == GateMap::log_sigmoid ? 1.0f / (1.0f + simd::exp(z)) : -1.0f / (1.0f + simd::exp(-z));
}

// What a block of tokens is worked on in.
struct ScanScratch {
  double* sums;   // [gates]
  float* values;  // [kScanRows, gates], padded to whole vectors

  explicit ScanScratch(int64_t gates) {
    const int64_t doubles = simd::round_up(2 * gates);
    float* memory = float_scratch(ScratchSlot::tile, doubles + simd::round_up(kScanRows * gates));
    sums = reinterpret_cast<double*>(memory);
    values = memory + doubles;
    std::fill_n(sums, gates, 0.0);
  }
};

void read_gates(float* to, const View<const float, 2>& z, int64_t first, int64_t rows) {
  const int64_t gates = z.extent(1);
  for (int64_t r = 0; r < rows; ++r) std::copy_n(z.row(first + r), gates, to + r * gates);
  std::fill(to + rows * gates, to + simd::round_up(rows * gates), 0.0f);
}

template <class Map>
void map_gates(float* x, int64_t count, const Map& map) {
  for (int64_t i = 0; i < count; i += kLanes) simd::store(x + i, map(simd::load(x + i)));
}

void sum_sequence(const GateScanForward& op, int64_t first, int64_t last) {
  const GateScan& scan = op.scan;
  const int64_t gates = scan.z.extent(1);
  const ScanScratch scratch(gates);
  for (int64_t block = first; block < last; block += kScanRows) {
    const int64_t rows = std::min(kScanRows, last - block);
    read_gates(scratch.values, scan.z, block, rows);
    map_gates(scratch.values, rows * gates, [&](Vec z) { return mapped(scan.map, z); });
    for (int64_t r = 0; r < rows; ++r) {
      double* to = op.sums.row(block + r);
      for (int64_t g = 0; g < gates; ++g) {
        scratch.sums[g] += double{scratch.values[r * gates + g]};
        to[scan.head(g)] = scratch.sums[g];
      }
    }
  }
}

// dz_t = slope(z_t) * sum of dc over the tokens from t on.
void sum_back(const GateScanBackward& op, int64_t first, int64_t last) {
  const GateScan& scan = op.scan;
  const int64_t gates = scan.z.extent(1);
  const ScanScratch scratch(gates);
  for (int64_t end = last; end > first; end -= std::min(kScanRows, end - first)) {
    const int64_t rows = std::min(kScanRows, end - first);
    const int64_t block = end - rows;
    read_gates(scratch.values, scan.z, block, rows);
    map_gates(scratch.values, rows * gates, [&](Vec z) { return slope(scan.map, z); });
    for (int64_t r = rows - 1; r >= 0; --r) {
      const double* dsums = op.dsums.row(block + r);
      float* values = scratch.values + r * gates;
      for (int64_t g = 0; g < gates; ++g) {
        scratch.sums[g] += dsums[scan.head(g)];
        values[g] = static_cast<float>(double{values[g]} * scratch.sums[g]);
      }
      write_row(op.dz.at(block + r, 0), op.dz.dtype(), values, gates);
    }
  }
}

template <class Sequence>
void for_each_sequence(const Sequences& sequences, const Sequence& sequence) {
  parallel_for(*sequences.count, kScanSequences, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) sequence(sequences.offsets(s), sequences.offsets(s + 1));
  });
}

}  // namespace

void CpuBackend::run(const GateScanForward& op) {
  for_each_sequence(op.scan.sequences, [&](int64_t first, int64_t last) { sum_sequence(op, first, last); });
}

void CpuBackend::run(const GateScanBackward& op) {
  for_each_sequence(op.scan.sequences, [&](int64_t first, int64_t last) { sum_back(op, first, last); });
}

}  // namespace phasor
