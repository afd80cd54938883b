#include "phasor/ablation/ablation_csv.h"

#include <fmt/format.h>

#include "phasor/statistics/effect.h"
#include "phasor/statistics/proportion.h"

namespace phasor {
namespace {

// Samples all of whose targets were right.
bool right(float correct) { return correct >= 1.0f; }

statistics::PairedAccuracy paired(const SampleScores& before, const SampleScores& after) {
  int64_t lost = 0, won = 0;
  for (size_t i = 0; i < before.correct.size(); ++i) {
    if (right(before.correct[i]) && !right(after.correct[i])) ++lost;
    if (!right(before.correct[i]) && right(after.correct[i])) ++won;
  }
  return statistics::mcnemar(lost, won, static_cast<int64_t>(before.correct.size()));
}

const char* name(AblationExtent extent) {
  return extent == AblationExtent::alone ? "alone" : extent == AblationExtent::whole ? "whole" : "only";
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string ablation_csv(const ScoreTable& table, const std::string& label_names, const std::string& labels) {
  std::string text = fmt::format(
      "{},layer,head,ablated,method,samples,loss_drop,loss_drop_low,loss_drop_high,accuracy,accuracy_drop,"
      "accuracy_drop_error,mcnemar_p\n",
      label_names);
  for (size_t c = 0; c < table.conditions.size(); ++c) {
    const Condition& condition = table.conditions[c];
    const statistics::MeanInterval drop = statistics::mean_interval(table.loss_drops(condition));
    const statistics::PairedAccuracy answers = paired(table.intact, table.scores[c]);
    const double accuracy = table.accuracy(condition);
    const std::string head = condition.head < 0 ? std::string() : fmt::format("{}", condition.head);
    text += fmt::format("{},{},{},{},{},{},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.4g}\n", labels, condition.layer,
                        head, name(condition.extent), phasor::name(condition.method), table.samples, drop.estimate,
                        drop.low, drop.high, accuracy, table.intact_accuracy() - accuracy, answers.standard_error,
                        answers.p);
  }
  return text;
}

}  // namespace phasor
