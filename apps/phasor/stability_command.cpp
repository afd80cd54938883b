// phasor stability: how smoothly a run trained, how sharply its loss bends, how fast it could have trained.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/base/error.h"
#include "phasor/train/config_text.h"
#include "phasor/train/hessian.h"
#include "phasor/train/largest_rate.h"
#include "phasor/train/stability.h"
#include "run_folder_options.h"
#include "terminal.h"
#include "usage.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

struct StabilityOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::string samples = "512";
  std::string iterations = "500";
  std::string steps = "200";
  bool largest_lr = false;
  bool json = false;
};

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

void print_training(const TrainingStability& stability) {
  if (stability.loss_spikes) {
    print_out("  loss spikes           {}, largest jump {:.1f} % above the median of the 50 steps before\n",
              *stability.loss_spikes, 100.0 * stability.largest_loss_jump.value_or(0.0));
  } else {
    print_out("  loss spikes           not judged: fewer than 51 steps after the warm-up began\n");
  }
  print_out("  gradient norm         mean {:.4g} at {} evaluations, spread {}\n", stability.mean_gradient_norm,
            stability.norms,
            stability.gradient_norm_spread ? fmt::format("{:.3f} of it", *stability.gradient_norm_spread) : "unknown");
}

void print_hessian(const HessianTop& top, int64_t samples) {
  print_out("  Hessian, largest      {:.6g}  residual {:.2g}, differences off by {:.2g}; {} iterations{}\n",
            top.eigenvalue, top.residual, top.difference_error, top.iterations,
            top.converged ? "" : ", NOT CONVERGED: the largest eigenvalue may be another");
  if (top.negative_first) print_out("  Hessian, most negative {:.6g}\n", top.most_negative);
  print_out("                        of the mean loss of {} training samples, without dropout\n", samples);
}

void print_rate(const LargestRate& found, const RateSearch& search) {
  if (found.rate == 0.0) {
    print_out("  largest learning rate none: {:g} is still too large\n", found.failing);
  } else if (found.failing == 0.0) {
    print_out("  largest learning rate above {:g}: nothing that was tried failed\n", found.rate);
  } else {
    print_out("  largest learning rate {:.4g} ({:.4g} fails)\n", found.rate, found.failing);
  }
  print_out(
      "                        trains: after {} steps from the first weights the loss is {:g} % below its start\n",
      search.steps, 100.0 * search.fall);
}

void print_trial(const RateTrial& trial) {
  say(fmt::format("rate {:.4g}: loss {:.4f} -> {}  {}\n", trial.rate, trial.first_loss,
                  trial.finite ? fmt::format("{:.4f}", trial.last_loss) : "not finite",
                  trial.trains ? "trains" : "fails"));
}

void run_stability(const StabilityOptions& options) {
  const int64_t samples = read_whole("--samples", options.samples, {.least = 1, .most = 10000000});
  const HessianOptions hessian{.max_iterations =
                                   read_whole("--iterations", options.iterations, {.least = 1, .most = 1000000})};
  const RateSearch search{.steps = read_whole("--steps", options.steps, {.least = 20, .most = 1000000})};
  const std::unique_ptr<Backend> backend = options.device.open();
  const RunFolder folder(options.run.folder);
  const RunConfig config = folder.load_config();
  const TrainingStability stability = training_stability(folder);
  // Differences of gradients need fp32, whatever precision trained.
  Session session = options.run.open_for_gradients(*backend);
  const std::vector<Batch> batches = first_batches(session, samples);
  int64_t used = 0;
  for (const Batch& batch : batches) used += batch.sequence_count();
  const HessianTop top = hessian_top(session.model(), batches, hessian);
  std::optional<LargestRate> rate;
  if (options.largest_lr) rate = largest_rate(*backend, config, search, print_trial);

  if (!options.json) {
    print_out("{} on {}\n", config.model.encoding, config.task);
    print_training(stability);
    print_hessian(top, used);
    if (rate) print_rate(*rate, search);
    return;
  }
  Json json = {{"task", config.task},
               {"encoding", config.model.encoding},
               {"loss_spikes", stability.loss_spikes ? Json(*stability.loss_spikes) : Json(nullptr)},
               {"largest_loss_jump", optional_number(stability.largest_loss_jump)},
               {"mean_gradient_norm", stability.mean_gradient_norm},
               {"gradient_norm_spread", optional_number(stability.gradient_norm_spread)},
               {"gradient_norms", stability.norms},
               {"hessian", hessian_json(top, used)}};
  if (rate) json["largest_lr"] = rate_json(*rate);
  print_out("{}\n", json.dump(2));
}

}  // namespace

void add_stability_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "stability", "How steadily a run trained: loss spikes, gradient norms, the loss's sharpest bend, largest rate");
  auto options = std::make_shared<StabilityOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--samples", options->samples, "Training samples that the Hessian's loss is the mean of")
      ->type_name("N")
      ->capture_default_str();
  add_text(*command, "--iterations", options->iterations, "At most so many power iterations")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--largest-lr", options->largest_lr,
                    "Also search the largest learning rate that trains, by short trainings");
  add_text(*command, "--steps", options->steps, "Length of these trainings")->type_name("N")->capture_default_str();
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer(
      "Examples:\n"
      "  phasor stability runs/rope\n"
      "  phasor stability runs/rope --largest-lr --json\n"
      "  phasor stability runs/rope --step 0         the Hessian at the first weights; needs train.snapshots=0\n"
      "An eigenvalue lies within the residual of the one printed, beside what differences of gradients are off by.");
  command->callback([options] { run_stability(*options); });
}

}  // namespace phasor::app
