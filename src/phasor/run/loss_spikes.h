#pragma once
// Loss spikes: steps whose batch loss stands out from those just before it. A step is judged once the warm-up is over
// and 50 steps lie before it: with their median m and their median absolute deviation MAD, its loss is a spike where
//   loss - m > 3 max(1.4826 MAD, 0.01).
// 1.4826 MAD is the standard deviation of normal noise, of which one step in some 700 passes; the floor of 0.01 (nats)
// keeps batches of a solved task, whose losses differ by factors but hardly at all, from counting.
#include <cstdint>
#include <vector>

namespace phasor {

class LossSpikes {
 public:
  static constexpr int64_t kWindow = 50;
  static constexpr double kDeviations = 3.0;
  static constexpr double kLeastDeviation = 0.01;

  // The loss of the next step; one of the warm-up is remembered, but not judged.
  void add(double loss, bool warmup);

  int64_t judged() const { return judged_; }
  int64_t spikes() const { return spikes_; }
  // The largest (loss - m) / max(m, 0.01) of judged steps, at least 0.
  double largest_jump() const { return largest_jump_; }

  // All of it as numbers, for the training state: how many losses, judged, spikes, largest jump, then the losses from
  // the oldest on, padded by zeros.
  static constexpr int64_t kStored = 4 + kWindow;
  std::vector<double> stored() const;
  // Throws Error where these are not such numbers.
  static LossSpikes restored(const std::vector<double>& numbers);

 private:
  void judge(double loss);

  std::vector<double> losses_;  // the last kWindow at most, from the oldest on
  int64_t judged_ = 0;
  int64_t spikes_ = 0;
  double largest_jump_ = 0.0;
};

}  // namespace phasor
