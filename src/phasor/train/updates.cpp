#include "phasor/train/updates.h"

#include <algorithm>

#include "phasor/engine/download.h"

namespace phasor {

Updates::Updates(Backend& backend, Transformer& model, const TrainConfig& config)
    : backend_(backend), model_(model), optimizer_(backend, model, config), owner_(backend.new_owner()) {
  const auto carve = [&](Arena& arena) {
    sums_ = arena.view<double>(kMostUnread, kScoreSums);
    norms_ = arena.view<float>(kMostUnread);
  };
  Arena measure;
  carve(measure);
  arena_ = Arena(backend, measure.used());
  carve(arena_);
}

Updates::~Updates() { backend_.forget(owner_); }

void Updates::make(const Batch& batch, int64_t step, double learning_rate) {
  model_.load_training_batch(batch, static_cast<uint32_t>(step));
  optimizer_.load(step, learning_rate);
  backend_.repeat(model_.repeat_key(owner_), [this] {
    model_.run_training_step(sums_);
    optimizer_.run(model_, norms_);
  });
  if (unread_ == 0) first_unread_ = step;
  ++unread_;
}

bool Updates::is_due() const { return unread_ == kMostUnread || (unread_ > 0 && backend_.is_synchronous()); }

std::vector<Updates::Outcome> Updates::read() {
  std::vector<Outcome> outcomes;
  if (unread_ == 0) return outcomes;
  const std::vector<double> sums = download(backend_, sums_.data(), sums_.size());
  const std::vector<float> norms = download(backend_, norms_.data(), norms_.size());
  for (int64_t step = first_unread_; step < first_unread_ + unread_; ++step) {
    const auto slot = static_cast<size_t>(step % kMostUnread);
    const BatchResult batch = batch_result(&sums[slot * kScoreSums]);
    outcomes.push_back({.step = step,
                        .loss = batch.loss / static_cast<double>(std::max<int64_t>(1, batch.scored)),
                        .gradient_norm = static_cast<double>(norms[slot])});
  }
  unread_ = 0;
  return outcomes;
}

}  // namespace phasor
