#pragma once
// Which of several tables a sequence reads, by its length.
#include <cstdint>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/task/batch.h"

namespace phasor {

class LengthClasses {
 public:
  LengthClasses() = default;
  // A sequence of length n reads table of_length[n].
  LengthClasses(Backend& backend, std::vector<int32_t> of_length, int64_t sequences);

  void upload(Backend& backend, const Batch& batch);
  View<const int32_t, 1> sequence_table() const { return table_; }  // empty where there is one table

 private:
  std::vector<int32_t> of_length_;
  Memory memory_;
  View<int32_t, 1> table_;
};

}  // namespace phasor
