#include "phasor/model/device_batch.h"

#include <algorithm>
#include <cstring>

#include "phasor/base/error.h"

namespace phasor {
namespace {

// Bounds are rounded up to these, so that the batches of a run have a handful of different ones.
constexpr int64_t kTokenStep = 512;
constexpr int64_t kSequenceStep = 64;

int64_t rounded_up(int64_t count, int64_t step, int64_t capacity) {
  return std::min(capacity, (count + step - 1) / step * step);
}

bool are_indices(const std::vector<PositionAxis>& axes) {
  return std::all_of(axes.begin(), axes.end(),
                     [](const PositionAxis& axis) { return axis.kind == PositionAxis::Kind::index; });
}

// Places in a block of words of four bytes, each array at a multiple of 64 of them.
class Carver {
 public:
  explicit Carver(int32_t* block) : block_(block) {}

  template <class T, class... Extents>
  View<T, sizeof...(Extents)> view(Extents... extents) {
    static_assert(sizeof(T) == sizeof(int32_t));
    int32_t* start = block_ == nullptr ? nullptr : block_ + used_;
    used_ += ((int64_t{1} * ... * static_cast<int64_t>(extents)) + 63) / 64 * 64;
    return View<T, sizeof...(Extents)>(reinterpret_cast<T*>(start), extents...);
  }
  int64_t used() const { return used_; }

 private:
  int32_t* block_;
  int64_t used_ = 0;
};

}  // namespace

DeviceBatch::DeviceBatch(Arena& arena, const Capacity& capacity, Readout readout, const ResolvedEncoding& encoding)
    : capacity_(capacity),
      readout_(readout),
      token_bound_(capacity.tokens),
      sequence_bound_(capacity.sequences),
      longest_(encoding.shape.positions),
      running_(are_indices(encoding.axes)) {
  const int64_t targets = readout == Readout::every ? capacity.tokens : capacity.sequences;
  const auto carve = [&](Carver carver) {
    counts_ = carver.view<int32_t>(2);
    step_ = carver.view<uint32_t>(1);
    offsets_ = carver.view<int32_t>(capacity.sequences + 1);
    places_ = carver.view<int32_t>(capacity.sequences);
    targets_ = carver.view<int32_t>(targets);
    target_weights_ = carver.view<float>(targets);
    tokens_ = carver.view<int32_t>(capacity.tokens);
    positions_ = carver.view<int32_t>(capacity.tokens, encoding.axes.size());
    return carver.used();
  };
  const int64_t size = carve(Carver(nullptr));
  block_ = arena.view<int32_t>(size);
  carve(Carver(block_.data()));
}

void DeviceBatch::upload(Backend& backend, const Batch& batch, const std::vector<int32_t>& positions, uint32_t step) {
  if (batch.token_count() > capacity_.tokens || batch.sequence_count() > capacity_.sequences) {
    fail("a batch of {} sequences and {} tokens does not fit the model's capacity of {} and {}", batch.sequence_count(),
         batch.token_count(), capacity_.sequences, capacity_.tokens);
  }
  staging_.resize(static_cast<size_t>(block_.size()));
  int64_t end = 0;
  const auto stage = [&](const auto* device, const void* values, size_t count) {
    if (count == 0) return;
    const int64_t start = reinterpret_cast<const int32_t*>(device) - block_.data();
    std::memcpy(&staging_[static_cast<size_t>(start)], values, count * sizeof(int32_t));
    end = std::max(end, start + static_cast<int64_t>(count));
  };
  const int32_t counts[] = {static_cast<int32_t>(batch.sequence_count()), static_cast<int32_t>(batch.token_count())};
  stage(counts_.data(), counts, std::size(counts));
  stage(step_.data(), &step, 1);
  stage(offsets_.data(), batch.offsets.data(), batch.offsets.size());
  stage(places_.data(), batch.places.data(), batch.places.size());
  stage(targets_.data(), batch.targets.data(), batch.targets.size());
  stage(target_weights_.data(), batch.target_weights.data(), batch.target_weights.size());
  stage(tokens_.data(), batch.tokens.data(), batch.tokens.size());
  stage(positions_.data(), positions.data(), positions.size());
  backend.copy_in(block_.data(), staging_.data(), static_cast<size_t>(end) * sizeof(int32_t));
  token_bound_ = rounded_up(batch.token_count(), kTokenStep, capacity_.tokens);
  sequence_bound_ = rounded_up(batch.sequence_count(), kSequenceStep, capacity_.sequences);
}

Sequences DeviceBatch::sequences() const {
  return {.offsets = offsets_,
          .positions = positions_,
          .count = counts_.data(),
          .tokens = counts_.data() + 1,
          .count_bound = sequence_bound_,
          .token_bound = token_bound_,
          .length_bound = longest_,
          .running = running_};
}

Rows DeviceBatch::target_rows() const {
  if (readout_ == Readout::every) return token_rows();
  return {.used = counts_.data(), .bound = sequence_bound_};
}

}  // namespace phasor
