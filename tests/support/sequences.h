#pragma once
// A ragged batch for tests: lengths, positions with gaps and out of order, room for more.
#include <algorithm>

#include "support/device.h"

namespace phasor::testing_support {

struct Batch {
  std::vector<int32_t> offsets;  // [sequences + 1]
  Grid<int32_t> positions;       // [tokens, axes]
  int32_t position_count = 0;    // positions are below this
  bool running = false;          // positions go up by one on every axis, and the backend is told so, and the longest

  int64_t sequences() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t tokens() const { return offsets.back(); }
  int64_t longest() const {
    int64_t result = 0;
    for (size_t s = 1; s < offsets.size(); ++s) result = std::max<int64_t>(result, offsets[s] - offsets[s - 1]);
    return result;
  }
  std::vector<int32_t> first_axis() const {
    std::vector<int32_t> p;
    for (int64_t t = 0; t < positions.rows; ++t) p.push_back(positions(t, 0));
    return p;
  }
};

// shuffled: distinct positions in random order from a range half as long again; else 0 .. n - 1.
inline Batch make_batch(RandomData& data, const std::vector<int32_t>& lengths, int64_t axes = 1, bool shuffled = true) {
  Batch batch;
  batch.offsets = {0};
  for (int32_t length : lengths) batch.offsets.push_back(batch.offsets.back() + length);
  const int32_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  batch.running = !shuffled;
  batch.position_count = shuffled ? longest + longest / 2 + 1 : longest;
  batch.positions = Grid<int32_t>(batch.tokens(), axes, 0);
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      const int32_t begin = batch.offsets[static_cast<size_t>(s)];
      const int32_t n = lengths[static_cast<size_t>(s)];
      const std::vector<int32_t> drawn = data.distinct(n, batch.position_count);
      for (int32_t i = 0; i < n; ++i) batch.positions(begin + i, axis) = shuffled ? drawn[static_cast<size_t>(i)] : i;
    }
  }
  return batch;
}

class DeviceSequences {
 public:
  DeviceSequences(Backend& backend, const Batch& batch, int64_t spare_tokens = 0, int64_t spare_sequences = 0)
      : offsets_(backend, batch.offsets, spare_sequences),
        positions_(backend, batch.positions.data, spare_tokens * batch.positions.columns),
        counts_(backend, {static_cast<int32_t>(batch.sequences()), static_cast<int32_t>(batch.tokens())}) {
    sequences_.offsets = offsets_.view();
    sequences_.positions =
        View<const int32_t, 2>(positions_.data(), batch.tokens() + spare_tokens, batch.positions.columns);
    sequences_.count = counts_.data();
    sequences_.tokens = counts_.data() + 1;
    sequences_.running = batch.running;
    if (batch.running) sequences_.length_bound = batch.longest();
  }

  const Sequences& get() const { return sequences_; }

 private:
  DeviceArray<int32_t> offsets_, positions_, counts_;
  Sequences sequences_;
};

}  // namespace phasor::testing_support
