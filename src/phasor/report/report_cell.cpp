#include "phasor/report/report_cell.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/json_fields.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The run that stands for its cell where one must: the first that converged, else the first.
const RunRecord* shown_run(const CellRuns& cell) {
  for (const RunRecord& run : cell.runs) {
    if (run.converged) return &run;
  }
  return cell.runs.empty() ? nullptr : &cell.runs.front();
}

// Means over heads, of those that have a number.
double mean_over(const std::vector<HeadCurves>& heads, const std::function<double(const HeadCurves&)>& value) {
  double sum = 0.0;
  int64_t count = 0;
  for (const HeadCurves& head : heads) {
    if (!std::isfinite(value(head))) continue;
    sum += value(head);
    ++count;
  }
  return sum / static_cast<double>(count);  // NaN without any
}

PartShares mean_shares(const std::vector<HeadCurves>& heads) {
  const auto mean = [&](double PartShares::*share) {
    return mean_over(heads, [&](const HeadCurves& head) { return head.shares.*share; });
  };
  return {.content_content = mean(&PartShares::content_content),
          .content_position = mean(&PartShares::content_position),
          .position_content = mean(&PartShares::position_content),
          .position_position = mean(&PartShares::position_position),
          .bias = mean(&PartShares::bias),
          .rows = mean(&PartShares::rows)};
}

std::vector<ShownLayer> shown_layers(const std::vector<HeadCurves>& heads) {
  std::map<int64_t, std::vector<HeadCurves>> layers;
  for (const HeadCurves& head : heads) layers[head.layer].push_back(head);
  std::vector<ShownLayer> list;
  list.reserve(layers.size());
  for (const auto& [layer, own] : layers) list.push_back({layer, mean_shares(own)});
  return list;
}

ShownHead shown_head(const HeadCurves& head) {
  ShownHead shown{.layer = head.layer,
                  .head = head.head,
                  .singular = head.singular,
                  .kernel_value = head.kernel,
                  .shares = head.shares,
                  .contraction = head.contraction};
  if (!head.plain.empty()) shown.plain = head.plain;
  if (!head.eigenvalues.empty()) shown.eigenvalues = head.eigenvalues;
  const int64_t size = (std::ssize(head.kernel) + 1) / 2;
  for (int64_t i = 0; i < std::ssize(head.kernel); ++i) shown.kernel_distance.push_back(i - size + 1);
  return shown;
}

std::optional<ShownRun> shown_curves(const RunRecord& run, const fs::path& folder) {
  const fs::path path = folder / kHeadCurvesFile;
  if (!fs::exists(path)) return std::nullopt;
  try {
    const CurvesRecord record = read_head_curves(path, run.id);
    const auto largest = [](const HeadCurves& head) {
      return head.singular.empty() ? std::nan("") : head.singular.front();
    };
    ShownRun shown{.id = run.id,
                   .seed = run.seed,
                   .tokens = record.tokens,
                   .largest_singular = mean_over(record.heads, largest),
                   .shares = mean_shares(record.heads),
                   .layers = shown_layers(record.heads)};
    for (const HeadCurves& head : record.heads) shown.heads.push_back(shown_head(head));
    return shown;
  } catch (const FormatError&) {
    return std::nullopt;
  }
}

Json config_json(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  if (!fs::exists(path)) return nullptr;
  Json json = Json::parse(read_file(path), nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

const Fields<PartShares>& shown_shares() {
  using P = PartShares;
  static const Fields<P> fields = {
      field("content_content", &P::content_content, "of the logits' variance by content alone"),
      field("content_position", &P::content_position, "by the query's content and the key's position"),
      field("position_content", &P::position_content, "by the query's position and the key's content"),
      field("position_position", &P::position_position, "by position alone"),
      field("bias", &P::bias, "by the bias"),
      field("rows", &P::rows, "by products with distance rows; absent if there are none")
          .since_later()
          .left_out_if([](const P& shares) { return !shares.has_rows(); })};
  return fields;
}

}  // namespace

static const Fields<ShownHead>& json_fields(const ShownHead*) {
  using H = ShownHead;
  static const Fields<H> fields = {
      field("layer", &H::layer, "from 0"),
      field("head", &H::head, "from 0"),
      field("singular", &H::singular, "singular values of the logits, falling"),
      field("singular_plain", &H::plain, "the same with all angles at zero; null where nothing turns"),
      field("eigenvalues", &H::eigenvalues, "of the logits; null where they are causal"),
      group_field<H>("kernel",
                     {field("distance", &H::kernel_distance, "key minus query"),
                      field("value", &H::kernel_value, "what it adds to the logits")},
                     "by distance"),
      group_field("shares", part_fields(&H::shares, shown_shares()), "as in head_curves.json"),
      field("contraction", &H::contraction, "sigma_1 over that with all angles at zero")};
  return fields;
}

static const Fields<ShownLayer>& json_fields(const ShownLayer*) {
  using L = ShownLayer;
  static const Fields<L> fields = {
      field("layer", &L::layer, "from 0"),
      group_field("shares", part_fields(&L::shares, shown_shares()), "means over its heads")};
  return fields;
}

static const Fields<ShownRun>& json_fields(const ShownRun*) {
  using R = ShownRun;
  static const Fields<R> fields = {
      field("id", &R::id, "of the run"),
      field("seed", &R::seed, "of the run"),
      field("tokens", &R::tokens, "of the sequence"),
      field("largest_singular", &R::largest_singular, "mean over heads"),
      group_field("shares", part_fields(&R::shares, shown_shares()), "means over all heads"),
      field("layer_shares", &R::layers, "the same of every layer, from the input on"),
      field("heads", &R::heads, "as in head_curves.json")};
  return fields;
}

const Fields<ReportCell>& json_fields(const ReportCell*) {
  using C = ReportCell;
  static const Fields<C> fields = {
      json_field<C>(
          "config", "object or null", [](const C& cell) { return cell.config; },
          "config.json of the run that stands for the cell: the first that converged, else the first"),
      field("command", &C::command, "that repeats this run"),
      field("telemetry", &C::telemetry, "how the cell's runs trained"),
      field("head_curves", &C::head_curves, "what head_curves.json of this run has")};
  return fields;
}

ReportCell report_cell(const ReportSource& source, const CellRuns& cell) {
  const RunRecord* shown = shown_run(cell);
  if (shown == nullptr) return {};
  const fs::path folder = source.run_folder(*shown);
  return {.config = config_json(folder),
          .command = fmt::format("phasor train --config {} --out runs/again", (folder / "config.json").string()),
          .telemetry = telemetry_curves(cell.runs),
          .head_curves = shown_curves(*shown, folder)};
}

}  // namespace phasor
