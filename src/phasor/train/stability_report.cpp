#include "phasor/train/stability_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "phasor/base/json_fields.h"

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

static const Fields<RateTrial>& json_fields(const RateTrial*) {
  using T = RateTrial;
  static const Fields<T> fields = {
      field("rate", &T::rate, "that was tried"), field("trains", &T::trains, "the loss fell"),
      field("first_loss", &T::first_loss, "mean of the first batches"),
      derived_field<T>(
          "last_loss", [](const T& trial) { return trial.finite ? std::optional(trial.last_loss) : std::nullopt; },
          "mean of the last batches; null: not finite"),
      field("steps", &T::steps, "done; fewer where something was not finite")};
  return fields;
}

static const Fields<LargestRate>& json_fields(const LargestRate*) {
  using R = LargestRate;
  const auto if_any = [](double R::*member) {
    return [member](const R& found) { return found.*member > 0.0 ? std::optional(found.*member) : std::nullopt; };
  };
  static const Fields<R> fields = {
      derived_field<R>("rate", if_any(&R::rate), "the largest that trains; null: none of those tried does"),
      derived_field<R>("failing", if_any(&R::failing), "the smallest rate that failed; null: none did"),
      field("trials", &R::trials, "in the order in which they were tried")};
  return fields;
}

const Fields<StabilityReport>& json_fields(const StabilityReport*) {
  using T = TrainingStability;
  static const Fields<T> training = {
      field("loss_spikes", &T::loss_spikes, "as in result.json"),
      field("largest_loss_jump", &T::largest_loss_jump, "as in result.json"),
      field("mean_gradient_norm", &T::mean_gradient_norm, "of the evaluations in metrics.jsonl"),
      field("gradient_norm_spread", &T::gradient_norm_spread, "standard deviation / mean; null of fewer than 2"),
      field("gradient_norms", &T::norms, "how many these are")};
  using H = HessianTop;
  static const Fields<H> hessian = {
      field("eigenvalue", &H::eigenvalue, "the largest"),
      field("residual", &H::residual, "length of Hv - eigenvalue v"),
      field("difference_error", &H::difference_error, "of the eigenvalue, from differences of gradients"),
      field("product_error", &H::product_error, "of Hv, likewise"),
      field("converged", &H::converged, "whether the iteration did"),
      field("iterations", &H::iterations, "done"),
      field("step", &H::step, "the distance of the gradients whose differences are taken"),
      derived_field<H>(
          "most_negative",
          [](const H& top) { return top.negative_first ? std::optional(top.most_negative) : std::nullopt; },
          "that eigenvalue, if it has the largest modulus; else null")};
  using R = StabilityReport;
  static const Fields<R> fields = joined_fields<R>(
      {{field("task", &R::task, "of the run"), field("encoding", &R::encoding, "of the run")},
       part_fields(&R::training, training),
       {group_field(
            "hessian",
            joined_fields<R>({part_fields(&R::hessian, hessian),
                              {field("samples", &R::samples, "training samples that the loss is the mean of")}}),
            "of the mean loss"),
        field("largest_lr", &R::rate, "with `--largest-lr` only").left_out_if([](const R& report) {
          return !report.rate;
        })}});
  return fields;
}

Json to_json(const StabilityReport& report) { return write_json(report); }

}  // namespace phasor
