#pragma once
// Cases of angles of tokens, and how to run them on a backend.
#include "reference/scalar.h"
#include "support/sequences.h"

namespace phasor::testing_support {

struct AngleCase {
  std::string name;
  std::vector<int32_t> lengths;
  int64_t sets = 1, pairs = 1;
  bool per_pair = false, summed = false, gated = false;
  int64_t spare = 0;
};

inline void PrintTo(const AngleCase& c, std::ostream* out) { *out << c.name; }

inline std::vector<AngleCase> angle_cases() {
  return {
      {"Positions", {1, 5, 17}, 3, 4},
      {"GatedPositions", {2, 9, 1}, 2, 5, false, false, true, 3},
      {"Sums", {40, 1, 7, 33}, 2, 8, true, true},
      {"GatedSums", {3, 70, 12}, 4, 3, true, true, true, 2},
      {"OneSumPerHead", {20, 6}, 1, 16, false, true},
      {"NoTokens", {}, 2, 2, true, true},
  };
}

class AngleData {
 public:
  AngleData(const AngleCase& given, uint64_t seed) : shape(given), data(seed), batch(make_batch(data, given.lengths)) {
    z = data.normal(batch.tokens(), given.sets * (given.per_pair ? given.pairs : 1), Dtype::f32, 2.0);
    if (given.gated) gate = data.normal(batch.tokens(), given.sets);
    frequency = data.normal(1, given.pairs, Dtype::f32, 1.0);
    dangle = data.normal(batch.tokens(), given.sets * given.pairs);
  }

  // [tokens, sets * pairs]
  template <class S>
  Grid<S> angles(const Grid<S>& numbers, const Grid<S>& gates) const {
    using std::exp;
    Grid<S> result(numbers.rows, shape.sets * shape.pairs);
    const int64_t per_set = numbers.columns / shape.sets;
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      std::vector<reference::Sum<S>> sums(static_cast<size_t>(numbers.columns));
      for (int64_t t = batch.offsets[static_cast<size_t>(s)]; t < batch.offsets[static_cast<size_t>(s) + 1]; ++t) {
        for (int64_t k = 0; k < numbers.columns; ++k) {
          reference::Sum<S>& sum = sums[static_cast<size_t>(k)];
          if (!shape.summed) sum = {};
          sum.add(gates.empty() ? numbers(t, k) : numbers(t, k) / (S(1.0) + exp(-gates(t, k / per_set))));
        }
        for (int64_t k = 0; k < result.columns; ++k) {
          const int64_t number = per_set == 1 ? k / shape.pairs : k;
          result(t, k) = S(frequency(0, k % shape.pairs)) * sums[static_cast<size_t>(number)].total();
        }
      }
    }
    return result;
  }

  AngleCase shape;
  RandomData data;
  Batch batch;
  Grid<double> z, gate, frequency, dangle;
};

struct AngleOutputs {
  Grid<double> factors;  // [tokens, sets * pairs * 2]
  Grid<double> dz, dgate;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

inline AngleOutputs run_angles(Backend& backend, const AngleData& data, Dtype dtype) {
  const AngleCase& shape = data.shape;
  const int64_t tokens = data.batch.tokens(), capacity = tokens + shape.spare;
  const DeviceSequences sequences(backend, data.batch, shape.spare, shape.spare);
  const DeviceMatrix z(backend, Dtype::f32, data.z, shape.spare);
  const DeviceMatrix gate(backend, Dtype::f32, data.gate, shape.gated ? shape.spare : 0);
  const DeviceArray<double> frequency(backend, data.frequency.data);
  TokenAngles angles{.z = z.view(),
                     .frequency = frequency.view(),
                     .sets = static_cast<int32_t>(shape.sets),
                     .summed = shape.summed,
                     .sequences = sequences.get()};
  if (shape.gated) angles.gate = gate.view();
  const DeviceMatrix factors(backend, Dtype::f32, capacity, shape.sets * shape.pairs * 2);
  backend.run(TokenAnglesForward{.factors = View<float, 4>(factors.flat().data(), capacity, shape.sets, shape.pairs, 2),
                                 .angles = angles});
  const DeviceMatrix dangle(backend, Dtype::f32, data.dangle, shape.spare);
  const DeviceMatrix dz(backend, dtype, capacity, data.z.columns, 2);
  const DeviceMatrix dgate(backend, dtype, capacity, shape.sets, 1);
  TokenAnglesBackward op{.dz = dz.matrix(),
                         .dangle = View<const float, 3>(dangle.flat().data(), capacity, shape.sets, shape.pairs),
                         .angles = angles};
  if (shape.gated) op.dgate = dgate.matrix();
  backend.run(op);
  AngleOutputs got{factors.read(tokens), dz.read(tokens), {}, 0, {}};
  if (shape.gated) got.dgate = dgate.read(tokens);
  got.spoiled =
      factors.spoiled_beyond(tokens) + dz.spoiled_beyond(tokens) + dgate.spoiled_beyond(shape.gated ? tokens : 0);
  got.images = {factors.download(), dz.download(), dgate.download()};
  return got;
}

}  // namespace phasor::testing_support
