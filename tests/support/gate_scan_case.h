#pragma once
// Cases of gates summed along sequences, and how to run them on a backend.
#include "reference/gate_scan.h"
#include "support/sequences.h"

namespace phasor::testing_support {

struct GateCase {
  std::string name;
  std::vector<int32_t> lengths;
  std::vector<int32_t> heads;  // of the gates
  int64_t columns = 0;         // of the sums
  GateMap map = GateMap::log_sigmoid;
  int64_t gap = 0;    // numbers between the rows of z
  int64_t spare = 0;  // tokens and sequences of capacity beyond the batch
};

inline void PrintTo(const GateCase& c, std::ostream* out) { *out << c.name; }

inline std::vector<GateCase> gate_cases() {
  return {
      {"OneHead", {1, 2, 3, 17}, {0}, 1},
      {"AllHeads", {5, 64, 1, 70, 130, 65}, {0, 1, 2, 3}, 4, GateMap::minus_softplus},
      {"SomeHeads", {33, 1, 9}, {4, 0, 2}, 6, GateMap::log_sigmoid, 5, 7},
      {"ManyHeads", {3, 200}, {7, 3, 1, 0, 2, 6, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 20, GateMap::minus_softplus},
      {"ManySequences", std::vector<int32_t>(50, 3), {1, 0}, 2, GateMap::log_sigmoid, 0, 4},
      {"NoTokens", {}, {0, 1}, 2},
  };
}

class GateData {
 public:
  GateData(const GateCase& given, uint64_t seed, double deviation = 2.0)
      : shape(given), data(seed), batch(make_batch(data, given.lengths)) {
    z = data.normal(batch.tokens(), static_cast<int64_t>(given.heads.size()), Dtype::f32, deviation);
    dsums = data.normal(batch.tokens(), given.columns);
  }

  template <class S>
  Grid<S> sums(const Grid<S>& at) const {
    return reference::gate_sums(shape.map, at, batch.offsets, shape.heads, shape.columns);
  }
  template <class S>
  Grid<S> gradient(const Grid<S>& at) const {
    return reference::gate_gradient(shape.map, at, batch.offsets, shape.heads, reference::lift<S>(dsums));
  }

  GateCase shape;
  RandomData data;
  Batch batch;
  Grid<double> z, dsums;
};

struct GateOutputs {
  Grid<double> sums, dz;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

// Columns that no gate has hold `kUntouched`.
inline constexpr double kUntouched = 0.0;

inline GateOutputs run_gates(Backend& backend, const GateData& data, Dtype dtype) {
  const int64_t tokens = data.batch.tokens(), capacity = tokens + data.shape.spare, columns = data.shape.columns;
  const auto gates = static_cast<int64_t>(data.shape.heads.size());
  const DeviceSequences sequences(backend, data.batch, data.shape.spare, data.shape.spare);
  const DeviceMatrix z(backend, Dtype::f32, data.z, data.shape.spare, data.shape.gap);
  const DeviceArray<int32_t> heads(backend, data.shape.heads);
  const View<float, 2> wide(static_cast<float*>(z.matrix().at(0, 0)), capacity, gates + data.shape.gap);
  const GateScan scan{
      .z = wide.last_range(0, gates), .head = heads.view(), .map = data.shape.map, .sequences = sequences.get()};
  const std::vector<double> untouched(static_cast<size_t>(capacity * columns), kUntouched);
  const DeviceArray<double> sums(backend, untouched);
  backend.run(GateScanForward{.sums = View<double, 2>(sums.data(), capacity, columns), .scan = scan});
  const DeviceArray<double> dsums(backend, data.dsums.data, data.shape.spare * columns);
  const DeviceMatrix dz(backend, dtype, capacity, gates, 3);
  backend.run(GateScanBackward{
      .dz = dz.matrix(), .dsums = View<const double, 2>(dsums.data(), capacity, columns), .scan = scan});
  GateOutputs got{Grid<double>(tokens, columns), dz.read(tokens), dz.spoiled_beyond(tokens), {dz.download()}};
  const std::vector<double> all = sums.read(capacity * columns);
  got.sums.data.assign(all.begin(), all.begin() + tokens * columns);
  for (size_t i = got.sums.data.size(); i < all.size(); ++i) got.spoiled += all[i] != kUntouched ? 1 : 0;
  Bytes image(all.size() * sizeof(double));
  if (!image.empty()) std::memcpy(image.data(), all.data(), image.size());
  got.images.push_back(std::move(image));
  return got;
}

}  // namespace phasor::testing_support
