#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/ablation/run_groups.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

std::string with_interval(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "-";
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", estimate.value, estimate.low, estimate.high);
}

std::string accuracy_text(const AblatedGroup& group) {
  const double mean = 100.0 * statistics::mean(group.accuracy);
  if (group.accuracy.size() < 2) return fmt::format("{:.1f}", mean);
  return fmt::format("{:.1f} +- {:.1f}", mean, 100.0 * statistics::standard_deviation(group.accuracy));
}

std::string question_text(const RunGroups& all, size_t q) {
  std::string text;
  const AblationMethod method = judged_method(kQuestions[q]);
  text += fmt::format(
      "\n{} ({}): the layer that matters most, over seeds; D P S N U: DEPOSIT, PARTIAL, SPREAD, NOT USED, "
      "UNDETERMINED\n",
      name(kQuestions[q]), name(method));
  text += fmt::format("{:<34} {:>14}  {:>11}  {:<13} {:<18} {:<18} {:<18} {}\n", "encoding", "accuracy %", "D P S N U",
                      "verdict", "max share", "N2", "sufficiency", fmt::format("p against {} (Holm)", all.against));
  for (size_t g = 0; g < all.groups.size(); ++g) {
    const AblatedGroup& group = all.groups[g];
    if (!group.verdicts[q]) continue;
    const EncodingVerdict& verdict = *group.verdicts[q];
    const auto found = std::find_if(all.comparisons.begin(), all.comparisons.end(),
                                    [&](const GroupComparison& c) { return c.group == g && c.question == q; });
    std::string p = "-";
    if (found != all.comparisons.end() && found->found.max_share.test) {
      p = fmt::format("{:.3f} ({:.3f})", found->found.max_share.test->p, found->p_holm.value_or(1.0));
    }
    text += fmt::format("{:<34.34} {:>14}{} {:>11}  {:<13} {:<18} {:<18} {:<18} {}\n", group.label,
                        accuracy_text(group), group.not_converged > 0 ? "*" : " ",
                        fmt::format("{} {} {} {} {}", verdict.deposit.seeds, verdict.partial.seeds,
                                    verdict.spread.seeds, verdict.not_used.seeds, verdict.undetermined.seeds),
                        name(verdict.verdict), with_interval(verdict.max_share), with_interval(verdict.n2),
                        with_interval(verdict.sufficiency), p);
  }
  for (const AblatedGroup& group : all.groups) {
    if (group.verdicts[q]) text += fmt::format("  {}: {}\n", group.label, group.verdicts[q]->reason);
  }
  return text;
}

double mean_random(const LayerRemoval& layer) {
  double sum = 0.0;
  for (const RemovalScore& score : layer.random) sum += score.accuracy;
  return sum / static_cast<double>(std::max<size_t>(1, layer.random.size()));
}

// Accuracy with p removed / with random vectors of its length removed, mean over seeds.
std::string removals_text(const std::vector<AblatedGroup>& groups) {
  std::string text;
  text +=
      fmt::format("\naccuracy in % with p taken out of the stream entering a layer / with random vectors as long\n");
  for (const AblatedGroup& group : groups) {
    std::string line = fmt::format("{:<34.34}", group.label);
    for (size_t l = 0; l < group.removals.front().layers.size(); ++l) {
      std::vector<double> without, random;
      for (const StreamRemoval& removal : group.removals) {
        without.push_back(100.0 * removal.layers[l].means.accuracy);
        random.push_back(100.0 * mean_random(removal.layers[l]));
      }
      line += fmt::format("  layer {}: {:5.1f} / {:5.1f}", l, statistics::mean(without), statistics::mean(random));
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string run_groups_text(const RunGroups& groups) {
  std::string text;
  for (size_t q = 0; q < kQuestions.size(); ++q) text += question_text(groups, q);
  text += removals_text(groups.groups);
  if (std::any_of(groups.groups.begin(), groups.groups.end(),
                  [](const AblatedGroup& group) { return group.not_converged > 0; })) {
    text += "* some of these runs had not converged\n";
  }
  return text;
}

}  // namespace phasor
