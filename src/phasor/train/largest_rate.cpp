#include "phasor/train/largest_rate.h"

#include <algorithm>
#include <cmath>

#include "phasor/run/session.h"
#include "phasor/train/optimizer.h"

namespace phasor {
namespace {

double mean_loss(const BatchResult& result) {
  return result.loss / static_cast<double>(std::max<int64_t>(1, result.scored));
}

RateTrial train_at(Session& session, double rate, const RateSearch& search) {
  Transformer& model = session.model();
  const TrainConfig& config = session.config().train;
  model.load_parameters(model.layout().initial_values(session.config().seed));
  Optimizer optimizer(model.backend(), model, config);
  RateTrial trial{.rate = rate};
  const int64_t batches = std::clamp<int64_t>(search.batches, 1, search.steps);
  for (int64_t step = 1; step <= batches; ++step) {
    trial.first_loss += mean_loss(model.evaluate(session.training_batch(step))) / static_cast<double>(batches);
  }
  const double warmup = config.warmup * static_cast<double>(search.steps);
  for (int64_t step = 1; step <= search.steps && trial.finite; ++step) {
    const double loss = mean_loss(model.forward_backward(session.training_batch(step), static_cast<uint32_t>(step)));
    const double share = warmup > 0.0 ? std::min(1.0, static_cast<double>(step) / warmup) : 1.0;
    const double norm = optimizer.update(model, step, rate * share);
    trial.finite = std::isfinite(loss) && std::isfinite(norm);
    trial.steps = step;
    if (step > search.steps - batches) trial.last_loss += loss / static_cast<double>(batches);
  }
  trial.trains = trial.finite && trial.last_loss <= (1.0 - search.fall) * trial.first_loss;
  return trial;
}

}  // namespace

RateTrial try_rate(Backend& backend, const RunConfig& config, double rate, const RateSearch& search) {
  Session session(backend, config, {});
  return train_at(session, rate, search);
}

LargestRate largest_rate(Backend& backend, const RunConfig& config, const RateSearch& search,
                         const std::function<void(const RateTrial&)>& progress) {
  Session session(backend, config, {});
  const auto attempt = [&](double rate) {
    const RateTrial trial = train_at(session, rate, search);
    if (progress) progress(trial);
    return trial;
  };
  return largest_rate(attempt, config.train.learning_rate, search.doublings);
}

LargestRate largest_rate(const std::function<RateTrial(double)>& attempt, double first, int64_t doublings) {
  LargestRate found;
  const auto trains = [&](double rate) {
    found.trials.push_back(attempt(rate));
    const bool good = found.trials.back().trains;
    (good ? found.rate : found.failing) = rate;
    return good;
  };
  const bool up = trains(first);
  for (int64_t k = 1; k <= doublings; ++k) {
    const double factor = std::exp2(static_cast<double>(up ? k : -k));
    if (trains(first * factor) != up) break;
  }
  if (found.rate == 0.0 || found.failing == 0.0) return found;
  for (const double part : {0.5, 0.25}) trains(found.rate * std::exp2(part));
  return found;
}

}  // namespace phasor
