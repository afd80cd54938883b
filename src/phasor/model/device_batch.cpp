#include "phasor/model/device_batch.h"

#include "phasor/base/error.h"

namespace phasor {
namespace {

template <class T>
void upload_vector(Backend& backend, T* device, const std::vector<T>& host) {
  if (!host.empty()) backend.copy_in(device, host.data(), host.size() * sizeof(T));
}

}  // namespace

DeviceBatch::DeviceBatch(Arena& arena, const Capacity& capacity, Readout readout, int64_t axes)
    : capacity_(capacity),
      readout_(readout),
      counts_(arena.view<int32_t>(2)),
      tokens_(arena.view<int32_t>(capacity.tokens)),
      offsets_(arena.view<int32_t>(capacity.sequences + 1)),
      targets_(arena.view<int32_t>(readout == Readout::every ? capacity.tokens : capacity.sequences)),
      places_(arena.view<int32_t>(capacity.sequences)),
      positions_(arena.view<int32_t>(capacity.tokens, axes)),
      target_weights_(arena.view<float>(targets_.extent(0))) {}

void DeviceBatch::upload(Backend& backend, const Batch& batch, const std::vector<int32_t>& positions) {
  if (batch.token_count() > capacity_.tokens || batch.sequence_count() > capacity_.sequences) {
    fail("a batch of {} sequences and {} tokens does not fit the model's capacity of {} and {}", batch.sequence_count(),
         batch.token_count(), capacity_.sequences, capacity_.tokens);
  }
  const std::vector<int32_t> counts = {static_cast<int32_t>(batch.sequence_count()),
                                       static_cast<int32_t>(batch.token_count())};
  upload_vector(backend, counts_.data(), counts);
  upload_vector(backend, tokens_.data(), batch.tokens);
  upload_vector(backend, offsets_.data(), batch.offsets);
  upload_vector(backend, positions_.data(), positions);
  upload_vector(backend, targets_.data(), batch.targets);
  upload_vector(backend, target_weights_.data(), batch.target_weights);
  upload_vector(backend, places_.data(), batch.places);
}

Sequences DeviceBatch::sequences() const {
  return {.offsets = offsets_, .positions = positions_, .count = counts_.data(), .tokens = counts_.data() + 1};
}

}  // namespace phasor
