#include "phasor/ablation/ablation_csv.h"

#include <fmt/format.h>

#include "phasor/statistics/effect.h"
#include "phasor/statistics/proportion.h"

namespace phasor {
namespace {

bool is_answer(float correct) { return correct == 0.0f || correct == 1.0f; }

// McNemar's test, where every sample has one answer, right or wrong; with several draws or targets there is none.
std::string mcnemar_p(const SampleScores& before, const SampleScores& after) {
  int64_t lost = 0, won = 0;
  for (size_t i = 0; i < before.correct.size(); ++i) {
    if (!is_answer(before.correct[i]) || !is_answer(after.correct[i])) return "";
    if (before.correct[i] > after.correct[i]) ++lost;
    if (before.correct[i] < after.correct[i]) ++won;
  }
  return fmt::format("{:.4g}", statistics::mcnemar(lost, won, static_cast<int64_t>(before.correct.size())).p);
}

statistics::MeanInterval accuracy_drop(const SampleScores& before, const SampleScores& after) {
  std::vector<double> drops(before.correct.size());
  for (size_t i = 0; i < drops.size(); ++i) {
    drops[i] = static_cast<double>(before.correct[i]) - static_cast<double>(after.correct[i]);
  }
  return statistics::mean_interval(drops);
}

const char* extent_word(AblationExtent extent) {
  return extent == AblationExtent::alone ? "alone" : extent == AblationExtent::whole ? "whole" : "only";
}

}  // namespace

std::string ablation_csv(const ScoreTable& table, const std::string& label_names, const std::string& labels) {
  std::string text = fmt::format(
      "{},layer,head,ablated,method,samples,loss_drop,loss_drop_low,loss_drop_high,accuracy,accuracy_drop,"
      "accuracy_drop_low,accuracy_drop_high,mcnemar_p\n",
      label_names);
  for (size_t c = 0; c < table.conditions.size(); ++c) {
    const Condition& condition = table.conditions[c];
    const statistics::MeanInterval drop = statistics::mean_interval(table.loss_drops(condition));
    const statistics::MeanInterval answers = accuracy_drop(table.intact, table.scores[c]);
    const std::string head = condition.head < 0 ? std::string() : fmt::format("{}", condition.head);
    text += fmt::format("{},{},{},{},{},{},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{}\n", labels,
                        condition.layer, head, extent_word(condition.extent), phasor::name(condition.method),
                        table.samples, drop.estimate, drop.low, drop.high, table.accuracy(condition), answers.estimate,
                        answers.low, answers.high, mcnemar_p(table.intact, table.scores[c]));
  }
  return text;
}

}  // namespace phasor
