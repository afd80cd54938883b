#include "phasor/ablation/snapshot_timeline.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/ablation/ablation_json.h"
#include "phasor/base/json_fields.h"

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

const Fields<SnapshotAblation>& json_fields(const SnapshotAblation*) {
  using S = SnapshotAblation;
  const auto verdict = [](Question question, const char* help) {
    const auto found = [question](const S& row) { return row.ablation.verdict(question); };
    return derived_field<S>(name(question), found, help).left_out_if([found](const S& row) { return !found(row); });
  };
  static const Fields<S> fields = {
      field("step", &S::step, "of the snapshot; the finished model is last"),
      derived_field<S>(
          "accuracy", [](const S& row) { return row.ablation.scores.intact_accuracy(); }, "of the intact model"),
      verdict(Question::position, "where position is; absent if its method was not measured"),
      verdict(Question::importance, "which heads matter; absent likewise")};
  return fields;
}

Json timeline_json(const std::vector<SnapshotAblation>& rows) { return write_json(rows); }

}  // namespace phasor
