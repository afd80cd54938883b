#include "options/swap_options.h"

#include "options/length_factors.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"

namespace phasor::app {

void SwapOptionWords::add_to(CLI::App& command) {
  command
      .add_option("--swap", swaps,
                  "Train the one encoding, then run its weights under this one, which may have a name: "
                  "linear='rope(scaling=linear,factor={length})'. {length}: how many times as long as in training "
                  "sequences are; {trained}: the longest of training in tokens. May be repeated")
      ->type_name("TEXT");
  command
      .add_option("--recalibrate", recalibrated,
                  "Likewise, after further training under it; {length} cannot stand here. May be repeated")
      ->type_name("TEXT");
  add_whole(command, "--recalibration-steps", steps, {.least = 1, .most = 1000000000},
            "Steps of that training (default: a tenth of the run's)");
  add_text(command, "--lengths", lengths, "With --swap: multiples of the training length (default: 1,2,4,8,16)")
      ->type_name("FACTORS");
  add_whole(command, "--samples", samples, {.least = 1, .most = 10000000},
            "With --swap: samples at each length (default: 1024)");
  add_whole(command, "--damage-samples", damage_samples, {.least = 0, .most = 100000},
            "With --swap: sequences at each length by which attention is compared; 0: none (default: 8)");
}

void SwapOptionWords::require_alone() const {
  const char* given = steps            ? "--recalibration-steps"
                      : samples        ? "--samples"
                      : damage_samples ? "--damage-samples"
                                       : "--lengths";
  if (!steps && !samples && !damage_samples && lengths.empty()) return;
  fail_usage("{} is of --swap and --recalibrate", given);
}

SwapPlan SwapOptionWords::plan(int64_t trained_length) const {
  SwapPlan plan;
  for (const std::string& swap : swaps) plan.swaps.push_back(parse_named_encoding(swap));
  for (const std::string& swap : recalibrated) plan.recalibrated.push_back(parse_named_encoding(swap));
  if (steps && recalibrated.empty()) fail_usage("--recalibration-steps is of --recalibrate");
  plan.steps = steps.value_or(plan.steps);
  plan.samples = samples.value_or(plan.samples);
  plan.damage_samples = damage_samples.value_or(plan.damage_samples);
  if (!lengths.empty()) plan.factors = read_length_factors(lengths);
  check(plan, trained_length);
  return plan;
}

}  // namespace phasor::app
