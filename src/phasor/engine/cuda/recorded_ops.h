#pragma once
// Lists of ops recorded as CUDA graphs, for Backend::repeat. A list is run once as it is, so that what ops prepare on
// the host is prepared; the second time it is recorded, and replayed from then on.
#include <cuda_runtime_api.h>

#include <functional>
#include <map>

#include "phasor/engine/backend.h"

namespace phasor::cuda {

class RecordedOps {
 public:
  RecordedOps() = default;
  ~RecordedOps();
  RecordedOps(const RecordedOps&) = delete;
  RecordedOps& operator=(const RecordedOps&) = delete;

  void run(const RepeatKey& key, const std::function<void()>& ops, cudaStream_t stream);
  void forget(uint64_t owner);

 private:
  static cudaGraphExec_t record(const std::function<void()>& ops, cudaStream_t stream);

  std::map<RepeatKey, cudaGraphExec_t> graphs_;  // null: was run once
  bool is_recording_ = false;
};

}  // namespace phasor::cuda
