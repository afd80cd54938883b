#include "phasor/study/summary/contraction_output.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "phasor/statistics/summary.h"

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

// JSON has no infinity and no NaN.
Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json facts_json(const RunFacts& run) {
  const auto facts = [](const SpectralFacts& f) {
    return Json{{"contraction", f.contraction},
                {"product_norm", f.product_norm},
                {"spectral_norm", f.spectral_norm},
                {"stable_rank", f.stable_rank}};
  };
  return {{"folder", run.folder.string()},
          {"encoding", run.encoding},
          {"logit_scale", run.logit_scale},
          {"seed", run.seed},
          {"converged", run.converged},
          {"test_accuracy", run.test_accuracy},
          {"start", facts(run.start)},
          {"end", facts(run.end)},
          {"gradient_variation", run.gradient_variation},
          {"loss_area", run.loss_area},
          {"loss_spikes", run.loss_spikes}};
}

}  // namespace

std::string contraction_text(const std::vector<RunFacts>& runs, const ContractionStudy& study) {
  return groups_text(group_runs(runs)) + answers_text(study);
}

Json contraction_json(const std::vector<RunFacts>& runs, const ContractionStudy& study) {
  Json json = {{"runs", Json::array()}, {"correlations", Json::array()}, {"interventions", Json::array()}};
  for (const RunFacts& run : runs) json["runs"].push_back(facts_json(run));
  for (const ContractionCorrelation& c : study.correlations) {
    json["correlations"].push_back({{"cause", c.cause},
                                    {"effect", c.effect},
                                    {"runs", c.runs},
                                    {"within", number_json(c.within.estimate)},
                                    {"within_low", number_json(c.within.low)},
                                    {"within_high", number_json(c.within.high)},
                                    {"p", c.test.p},
                                    {"adjusted_p", c.holm},
                                    {"between", number_json(c.between)},
                                    {"between_p", c.between_p},
                                    {"verdict", name(c.verdict)}});
  }
  for (const ScaleIntervention& i : study.interventions) {
    json["interventions"].push_back({{"encoding", i.encoding},
                                     {"logit_scale", i.scale},
                                     {"effect", i.effect},
                                     {"norm_before", i.norm_before},
                                     {"norm_after", i.norm_after},
                                     {"change", number_json(i.change.estimate)},
                                     {"change_low", number_json(i.change.low)},
                                     {"change_high", number_json(i.change.high)},
                                     {"p", i.test.p},
                                     {"smallest_p", i.test.smallest_p},
                                     {"adjusted_p", i.holm},
                                     {"verdict", name(i.verdict)}});
  }
  return json;
}

}  // namespace phasor
