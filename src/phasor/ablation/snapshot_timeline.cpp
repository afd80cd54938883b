#include "phasor/ablation/snapshot_timeline.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/ablation/ablation_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// The head that the finished model's verdict is about, and what share it has at an earlier step.
double share_of(const RunAblation& ablation, Question question, int64_t layer, int64_t head) {
  const std::optional<RunVerdict>& verdict = ablation.verdict(question);
  const LayerEffect& effect = verdict->layers[static_cast<size_t>(layer)].effect;
  return effect.shares.defined ? effect.shares.shares[static_cast<size_t>(head)] : std::nan("");
}

std::string question_timeline(const std::vector<SnapshotAblation>& rows, Question question) {
  const RunVerdict& last = *rows.back().ablation.verdict(question);
  const int64_t layer = last.layer, head = last.layers[static_cast<size_t>(layer)].effect.top;
  std::string text = fmt::format("\n{} ({}): the finished model's head is {}.{}\n", name(question),
                                 name(judged_method(question)), layer, head);
  text += fmt::format("{:>8}  {:>9}  {:>12}  {:>11}  {:>9}  {:>15}  {}\n", "step", "accuracy", "layer, nats",
                      "max share", "N2", "share of final", "verdict of the layer");
  for (const SnapshotAblation& row : rows) {
    const LayerVerdict& at = row.ablation.verdict(question)->layers[static_cast<size_t>(layer)];
    text += fmt::format("{:>8}  {:>9.1f}  {:>12.3f}  {:>11.2f}  {:>9.2f}  {:>15.2f}  {}\n", row.step,
                        100.0 * row.ablation.scores.intact_accuracy(), at.effect.layer.value, at.effect.max_share.value,
                        at.effect.n2.value, share_of(row.ablation, question, layer, head), name(at.verdict));
  }
  return text;
}

}  // namespace

std::string timeline_text(const std::vector<SnapshotAblation>& rows) {
  std::string text;
  for (const Question question : {Question::position, Question::importance}) {
    if (rows.back().ablation.verdict(question)) text += question_timeline(rows, question);
  }
  return text;
}

Json timeline_json(const std::vector<SnapshotAblation>& rows) {
  Json list = Json::array();
  for (const SnapshotAblation& row : rows) {
    Json entry = {{"step", row.step}, {"accuracy", row.ablation.scores.intact_accuracy()}};
    for (const Question question : {Question::position, Question::importance}) {
      if (row.ablation.verdict(question)) entry[name(question)] = to_json(*row.ablation.verdict(question));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace phasor
