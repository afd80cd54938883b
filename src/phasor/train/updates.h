#pragma once
// Updates of a model, one after another, without waiting for the device: what each came to lies there in a ring until
// it is read.
#include <vector>

#include "phasor/train/optimizer.h"

namespace phasor {

class Updates {
 public:
  // At most so many updates are made before they must be read.
  static constexpr int64_t kMostUnread = 50;

  struct Outcome {
    int64_t step = 0;
    double loss = 0.0;           // mean over the batch's targets
    double gradient_norm = 0.0;  // before clipping
  };

  Updates(Backend& backend, Transformer& model, const TrainConfig& config);
  ~Updates();
  Updates(const Updates&) = delete;
  Updates& operator=(const Updates&) = delete;

  // Gives the device one update; `step` counts from 1 and from one call to the next.
  void make(const Batch& batch, int64_t step, double learning_rate);
  // Whether it is time to read: the ring is full, or reading costs no wait.
  bool is_due() const;
  // What the updates since the last call came to, in their order.
  std::vector<Outcome> read();

  const Optimizer& optimizer() const { return optimizer_; }

 private:
  Backend& backend_;
  Transformer& model_;
  Optimizer optimizer_;
  uint64_t owner_;  // of what the backend records
  Arena arena_;
  View<double, 2> sums_;  // [kMostUnread, kScoreSums]
  View<float, 1> norms_;  // [kMostUnread]
  int64_t first_unread_ = 0, unread_ = 0;
};

}  // namespace phasor
