#include "phasor/train/stability_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// The first samples of the training set, in batches that the model has room for.
std::vector<Batch> first_batches(const Session& session, int64_t samples) {
  const Dataset& data = session.data().train;
  const int64_t largest = session.config().train.batch;
  std::vector<Batch> batches;
  for (int64_t i = 0; i < std::min(samples, data.size()); ++i) {
    if (i % largest == 0) batches.emplace_back();
    data.append_to(batches.back(), i);
  }
  for (Batch& batch : batches) batch.finish();
  return batches;
}

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json hessian_json(const HessianTop& top, int64_t samples) {
  return {{"eigenvalue", top.eigenvalue},
          {"residual", top.residual},
          {"difference_error", top.difference_error},
          {"product_error", top.product_error},
          {"converged", top.converged},
          {"iterations", top.iterations},
          {"step", top.step},
          {"most_negative", top.negative_first ? Json(top.most_negative) : Json(nullptr)},
          {"samples", samples}};
}

Json rate_json(const LargestRate& found) {
  Json trials = Json::array();
  for (const RateTrial& trial : found.trials) {
    trials.push_back({{"rate", trial.rate},
                      {"trains", trial.trains},
                      {"first_loss", trial.first_loss},
                      {"last_loss", trial.finite ? Json(trial.last_loss) : Json(nullptr)},
                      {"steps", trial.steps}});
  }
  return {{"rate", found.rate > 0.0 ? Json(found.rate) : Json(nullptr)},
          {"failing", found.failing > 0.0 ? Json(found.failing) : Json(nullptr)},
          {"trials", std::move(trials)}};
}

std::string training_text(const TrainingStability& stability) {
  std::string text;
  if (stability.loss_spikes) {
    text += fmt::format("  loss spikes           {}, largest jump {:.1f} % above the median of the 50 steps before\n",
                        *stability.loss_spikes, 100.0 * stability.largest_loss_jump.value_or(0.0));
  } else {
    text += fmt::format("  loss spikes           not judged: fewer than 51 steps after the warm-up began\n");
  }
  text += fmt::format(
      "  gradient norm         mean {:.4g} at {} evaluations, spread {}\n", stability.mean_gradient_norm,
      stability.norms,
      stability.gradient_norm_spread ? fmt::format("{:.3f} of it", *stability.gradient_norm_spread) : "unknown");
  return text;
}

std::string hessian_text(const HessianTop& top, int64_t samples) {
  std::string text;
  text += fmt::format("  Hessian, largest      {:.6g}  residual {:.2g}, differences off by {:.2g}; {} iterations{}\n",
                      top.eigenvalue, top.residual, top.difference_error, top.iterations,
                      top.converged ? "" : ", NOT CONVERGED: the largest eigenvalue may be another");
  if (top.negative_first) text += fmt::format("  Hessian, most negative {:.6g}\n", top.most_negative);
  text += fmt::format("                        of the mean loss of {} training samples, without dropout\n", samples);
  return text;
}

std::string rate_text(const LargestRate& found, const RateSearch& search) {
  std::string text;
  if (found.rate == 0.0) {
    text += fmt::format("  largest learning rate none: {:g} is still too large\n", found.failing);
  } else if (found.failing == 0.0) {
    text += fmt::format("  largest learning rate above {:g}: nothing that was tried failed\n", found.rate);
  } else {
    text += fmt::format("  largest learning rate {:.4g} ({:.4g} fails)\n", found.rate, found.failing);
  }
  text += fmt::format(
      "                        trains: after {} steps from the first weights the loss is {:g} % below its start\n",
      search.steps, 100.0 * search.fall);
  return text;
}

}  // namespace

StabilityReport measure_stability(const RunFolder& folder, Session& session, const StabilityReportOptions& options,
                                  const std::function<void(const RateTrial&)>& progress) {
  const RunConfig config = folder.load_config();
  StabilityReport report{.task = config.task,
                         .encoding = config.model.encoding,
                         .training = training_stability(folder),
                         .search = options.search};
  const std::vector<Batch> batches = first_batches(session, options.samples);
  for (const Batch& batch : batches) report.samples += batch.sequence_count();
  report.hessian = hessian_top(session.model(), batches, options.hessian);
  if (options.largest_rate) {
    report.rate = largest_rate(session.model().backend(), config, options.search, progress);
  }
  return report;
}

std::string to_text(const StabilityReport& report) {
  return fmt::format("{} on {}\n{}{}{}", report.encoding, report.task, training_text(report.training),
                     hessian_text(report.hessian, report.samples),
                     report.rate ? rate_text(*report.rate, report.search) : "");
}

std::string to_text(const RateTrial& trial) {
  return fmt::format("rate {:.4g}: loss {:.4f} -> {}  {}\n", trial.rate, trial.first_loss,
                     trial.finite ? fmt::format("{:.4f}", trial.last_loss) : "not finite",
                     trial.trains ? "trains" : "fails");
}

Json to_json(const StabilityReport& report) {
  const TrainingStability& training = report.training;
  Json json = {{"task", report.task},
               {"encoding", report.encoding},
               {"loss_spikes", training.loss_spikes ? Json(*training.loss_spikes) : Json(nullptr)},
               {"largest_loss_jump", optional_number(training.largest_loss_jump)},
               {"mean_gradient_norm", training.mean_gradient_norm},
               {"gradient_norm_spread", optional_number(training.gradient_norm_spread)},
               {"gradient_norms", training.norms},
               {"hessian", hessian_json(report.hessian, report.samples)}};
  if (report.rate) json["largest_lr"] = rate_json(*report.rate);
  return json;
}

}  // namespace phasor
