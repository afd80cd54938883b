#include "phasor/study/summary/contraction_output.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "phasor/base/json_fields.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/carry_out/study_spectrum.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

struct FactsGroup {
  std::string encoding;
  double scale = 1.0;
  std::vector<const RunFacts*> runs;

  std::string label() const { return scale == 1.0 ? encoding : fmt::format("{} scale {:.3g}", encoding, scale); }

  template <class Of>
  std::vector<double> values(const Of& of) const {
    std::vector<double> all;
    all.reserve(runs.size());
    for (const RunFacts* run : runs) all.push_back(of(*run));
    return all;
  }
};

std::vector<FactsGroup> group_runs(const std::vector<RunFacts>& runs) {
  std::map<std::pair<std::string, double>, FactsGroup> groups;
  for (const RunFacts& run : runs) {
    FactsGroup& group = groups[{run.encoding, run.logit_scale}];
    group.encoding = run.encoding;
    group.scale = run.logit_scale;
    group.runs.push_back(&run);
  }
  std::vector<FactsGroup> list;
  list.reserve(groups.size());
  for (auto& entry : groups) list.push_back(std::move(entry.second));
  return list;
}

std::string mean_and_spread(const std::vector<double>& values) {
  if (values.size() < 2) return fmt::format("{:.3f}", values.front());
  return fmt::format("{:.3f}+-{:.3f}", statistics::mean(values), statistics::standard_deviation(values));
}

std::string groups_text(const std::vector<FactsGroup>& groups) {
  std::string text;
  text +=
      fmt::format("{:<34} {:>4} {:>14} {:>14} {:>14} {:>14} {:>14} {:>14}\n", "encoding (mean +- deviation over seeds)",
                  "runs", "contraction 0", "sigma_1 0", "sigma_1 end", "gradient var.", "loss area", "accuracy");
  for (const FactsGroup& group : groups) {
    text += fmt::format("{:<34.34} {:>4} {:>14} {:>14} {:>14} {:>14} {:>14} {:>14}\n", group.label(), group.runs.size(),
                        mean_and_spread(group.values([](const RunFacts& run) { return run.start.contraction; })),
                        mean_and_spread(group.values([](const RunFacts& run) { return run.start.product_norm; })),
                        mean_and_spread(group.values([](const RunFacts& run) { return run.end.product_norm; })),
                        mean_and_spread(group.values([](const RunFacts& run) { return run.gradient_variation; })),
                        mean_and_spread(group.values([](const RunFacts& run) { return run.loss_area; })),
                        mean_and_spread(group.values([](const RunFacts& run) { return run.test_accuracy; })));
  }
  return text;
}

std::string answers_text(const ContractionStudy& study) {
  std::string text;
  text += fmt::format(
      "\nOver seeds within each encoding (rank correlation with a 95 % interval; p by permuting seeds, by Holm):\n");
  for (const ContractionCorrelation& c : study.correlations) {
    if (c.runs == 0 || std::isnan(c.within.estimate)) {
      text += fmt::format("  {:<20} ~ {:<19} one of the two is the same for every seed\n", c.cause, c.effect);
      continue;
    }
    text += fmt::format("  {:<20} ~ {:<19} {:+.2f} ({:+.2f} to {:+.2f}), {} runs, p {:.3f}, adjusted {:.3f}: {}\n",
                        c.cause, c.effect, c.within.estimate, c.within.low, c.within.high, c.runs, c.test.p, c.holm,
                        name(c.verdict));
    text += fmt::format("  {:<42} between encodings {:+.2f}, p {:.3f}\n", "", c.between, c.between_p);
  }
  if (study.interventions.empty()) {
    text += fmt::format("\nNo runs with another model.logit_scale: company and cause are not told apart.\n");
    return text;
  }
  text += fmt::format(
      "\nThe same encoding with sigma_1 set by the logit scale (change of the mean with a 95 % interval):\n");
  for (const ScaleIntervention& i : study.interventions) {
    text += fmt::format(
        "  {:<20.20} sigma_1 {:.2f} -> {:.2f}  {:<19} {:+.3f} ({:+.3f} to {:+.3f}), p {:.3f}, adjusted {:.3f}: {}\n",
        i.encoding, i.norm_before, i.norm_after, i.effect, i.change.estimate, i.change.low, i.change.high, i.test.p,
        i.holm, name(i.verdict));
  }
  text += fmt::format(
      "\nholds: less of the norm goes with less of the effect, or more with more, at adjusted p <= 0.05.\n");
  return text;
}

}  // namespace

std::string contraction_text(const std::vector<RunFacts>& runs, const ContractionStudy& study) {
  return groups_text(group_runs(runs)) + answers_text(study);
}

static const Fields<RunFacts>& json_fields(const RunFacts*) {
  using F = RunFacts;
  static const Fields<F> fields = {
      derived_field<F>(
          "folder", [](const F& run) { return run.folder.string(); }, "of the run"),
      field("encoding", &F::encoding, "the canonical expression"),
      field("logit_scale", &F::logit_scale, "`model.logit_scale`"),
      field("seed", &F::seed, "of the run"),
      field("converged", &F::converged, "had stopped improving"),
      field("test_accuracy", &F::test_accuracy, "on the whole test set"),
      field("start", &F::start, "before training, means over heads"),
      field("end", &F::end, "of the trained model, means over heads"),
      field("gradient_variation", &F::gradient_variation, "standard deviation / mean of gradient norms after warm-up"),
      field("loss_area", &F::loss_area, "mean test loss over all evaluations / loss before the first step"),
      field("loss_spikes", &F::loss_spikes, "as in result.json")};
  return fields;
}

static const Fields<ContractionCorrelation>& json_fields(const ContractionCorrelation*) {
  using C = ContractionCorrelation;
  static const Fields<C> fields = {
      field("cause", &C::cause, "a measure before training"),
      field("effect", &C::effect, "how the run went"),
      field("runs", &C::runs, "in encodings where the measure varies"),
      derived_field<C>(
          "within", [](const C& c) { return c.within.estimate; }, "rank correlation over seeds within encodings"),
      derived_field<C>(
          "within_low", [](const C& c) { return c.within.low; }, "its 95 % interval"),
      derived_field<C>(
          "within_high", [](const C& c) { return c.within.high; }, "upper end"),
      derived_field<C>(
          "p", [](const C& c) { return c.test.p; }, "seeds permuted within encodings"),
      field("adjusted_p", &C::holm, "by Holm over the correlations"),
      field("between", &C::between, "rank correlation of the encodings' means"),
      field("between_p", &C::between_p, "encodings permuted"),
      derived_field<C>(
          "verdict", [](const C& c) { return name(c.verdict); }, "`holds`, `contradicted` or `undetermined`")};
  return fields;
}

static const Fields<ScaleIntervention>& json_fields(const ScaleIntervention*) {
  using I = ScaleIntervention;
  static const Fields<I> fields = {
      field("encoding", &I::encoding, "the canonical expression"),
      field("logit_scale", &I::scale, "that it was trained with beside 1"),
      field("effect", &I::effect, "how the run went"),
      field("norm_before", &I::norm_before, "sigma_1 of the products before training, at scale 1"),
      field("norm_after", &I::norm_after, "the same at `logit_scale`"),
      derived_field<I>(
          "change", [](const I& i) { return i.change.estimate; }, "of the effect's mean"),
      derived_field<I>(
          "change_low", [](const I& i) { return i.change.low; }, "its 95 % interval"),
      derived_field<I>(
          "change_high", [](const I& i) { return i.change.high; }, "upper end"),
      derived_field<I>(
          "p", [](const I& i) { return i.test.p; }, "of a permutation test"),
      derived_field<I>(
          "smallest_p", [](const I& i) { return i.test.smallest_p; }, "that it can give with so many runs"),
      field("adjusted_p", &I::holm, "by Holm over the interventions"),
      derived_field<I>(
          "verdict", [](const I& i) { return name(i.verdict); }, "`holds`, `contradicted` or `undetermined`")};
  return fields;
}

Json contraction_json(const std::vector<RunFacts>& runs, const ContractionStudy& study) {
  return {{"runs", write_json(runs)},
          {"correlations", write_json(study.correlations)},
          {"interventions", write_json(study.interventions)}};
}

}  // namespace phasor
