#include "phasor/model/length_classes.h"

#include <utility>

namespace phasor {

LengthClasses::LengthClasses(Backend& backend, std::vector<int32_t> of_length, int64_t sequences)
    : of_length_(std::move(of_length)),
      memory_(backend.allocate(static_cast<size_t>(sequences) * sizeof(int32_t))),
      table_(static_cast<int32_t*>(memory_.data()), sequences) {}

void LengthClasses::upload(Backend& backend, const Batch& batch) {
  if (of_length_.empty()) return;
  std::vector<int32_t> tables;
  for (size_t s = 0; s + 1 < batch.offsets.size(); ++s) {
    tables.push_back(of_length_[static_cast<size_t>(batch.offsets[s + 1] - batch.offsets[s])]);
  }
  backend.copy_in(table_.data(), tables.data(), tables.size() * sizeof(int32_t));
}

}  // namespace phasor
