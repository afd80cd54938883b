#include "phasor/run/loss_spikes.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"

namespace phasor {
namespace {

constexpr double kNormalDeviation = 1.4826;  // of normal noise, in units of its median absolute deviation

// Of an even number of values.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

}  // namespace

void LossSpikes::add(double loss, bool warmup) {
  if (!warmup && static_cast<int64_t>(losses_.size()) == kWindow) judge(loss);
  if (static_cast<int64_t>(losses_.size()) == kWindow) losses_.erase(losses_.begin());
  losses_.push_back(loss);
}

void LossSpikes::judge(double loss) {
  const double middle = median(losses_);
  std::vector<double> distances = losses_;
  for (double& value : distances) value = std::abs(value - middle);
  const double deviation = std::max(kNormalDeviation * median(std::move(distances)), kLeastDeviation);
  ++judged_;
  if (loss - middle > kDeviations * deviation) ++spikes_;
  largest_jump_ = std::max(largest_jump_, (loss - middle) / std::max(middle, kLeastDeviation));
}

std::vector<double> LossSpikes::stored() const {
  std::vector<double> numbers = {static_cast<double>(losses_.size()), static_cast<double>(judged_),
                                 static_cast<double>(spikes_), largest_jump_};
  numbers.insert(numbers.end(), losses_.begin(), losses_.end());
  numbers.resize(static_cast<size_t>(kStored));
  return numbers;
}

LossSpikes LossSpikes::restored(const std::vector<double>& numbers) {
  const auto is_count = [](double value, double most) {
    return value >= 0.0 && value <= most && value == std::floor(value);
  };
  const bool finite = std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); });
  if (static_cast<int64_t>(numbers.size()) != kStored || !finite || !is_count(numbers[0], kWindow) ||
      !is_count(numbers[1], 9007199254740992.0) || !is_count(numbers[2], numbers[1])) {
    fail("these are not the losses of a run");
  }
  LossSpikes spikes;
  spikes.judged_ = static_cast<int64_t>(numbers[1]);
  spikes.spikes_ = static_cast<int64_t>(numbers[2]);
  spikes.largest_jump_ = numbers[3];
  spikes.losses_.assign(numbers.begin() + 4, numbers.begin() + 4 + static_cast<int64_t>(numbers[0]));
  return spikes;
}

}  // namespace phasor
