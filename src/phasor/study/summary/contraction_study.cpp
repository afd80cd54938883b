#include "phasor/study/summary/contraction_study.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "phasor/base/error.h"
#include "phasor/statistics/correlation.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

constexpr double kLevel = 0.05;

struct Quantity {
  const char* name;
  double (*of)(const RunFacts&);
};

const Quantity kCauses[] = {{"contraction", [](const RunFacts& run) { return run.start.contraction; }},
                            {"sigma_1 of products", [](const RunFacts& run) { return run.start.product_norm; }}};
const Quantity kEffects[] = {{"gradient variation", [](const RunFacts& run) { return run.gradient_variation; }},
                             {"loss area", [](const RunFacts& run) { return run.loss_area; }},
                             {"loss spikes", [](const RunFacts& run) { return run.loss_spikes; }}};
constexpr size_t kIntervened = 2;  // of the effects

using Groups = std::map<std::string, std::vector<const RunFacts*>>;

Groups at_scale_one(const std::vector<RunFacts>& runs) {
  Groups groups;
  for (const RunFacts& run : runs) {
    if (run.logit_scale == 1.0) groups[run.encoding].push_back(&run);
  }
  return groups;
}

std::vector<double> values(const std::vector<const RunFacts*>& runs, const Quantity& quantity) {
  std::vector<double> all;
  all.reserve(runs.size());
  for (const RunFacts* run : runs) all.push_back(quantity.of(*run));
  return all;
}

bool varies(const std::vector<double>& x) {
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  return *most - *least > 1e-9 * std::abs(*most);
}

ContractionVerdict judge(double adjusted_p, double sign) {
  if (!(adjusted_p <= kLevel)) return ContractionVerdict::undetermined;
  return sign > 0.0 ? ContractionVerdict::holds : ContractionVerdict::contradicted;
}

ContractionCorrelation correlate(const Groups& groups, const Quantity& cause, const Quantity& effect) {
  ContractionCorrelation result{.cause = cause.name, .effect = effect.name};
  std::vector<double> x, y, means_x, means_y;
  std::vector<int64_t> labels;
  int64_t label = 0;
  for (const auto& [encoding, runs] : groups) {
    const std::vector<double> causes = values(runs, cause), effects = values(runs, effect);
    means_x.push_back(statistics::mean(causes));
    means_y.push_back(statistics::mean(effects));
    // Where the measure is the same for every seed (no angles: contraction 1), seeds say nothing.
    if (runs.size() < 2 || !varies(causes)) continue;
    x.insert(x.end(), causes.begin(), causes.end());
    y.insert(y.end(), effects.begin(), effects.end());
    labels.insert(labels.end(), causes.size(), label++);
  }
  constexpr auto kKind = statistics::CorrelationKind::spearman;
  result.runs = static_cast<int64_t>(x.size());
  if (x.size() > 2) {
    result.within = statistics::correlation_within_interval(kKind, x, y, labels).within(-1.0, 1.0);
    result.test = statistics::permute_correlation(kKind, x, y, labels);
  }
  if (means_x.size() > 2) {
    result.between = statistics::correlation(kKind, means_x, means_y);
    result.between_p = statistics::permute_correlation(kKind, means_x, means_y).p;
  }
  return result;
}

void add_interventions(const std::vector<RunFacts>& runs, const Groups& groups, ContractionStudy& study) {
  std::map<std::pair<std::string, double>, std::vector<const RunFacts*>> scaled;
  for (const RunFacts& run : runs) {
    if (run.logit_scale != 1.0) scaled[{run.encoding, run.logit_scale}].push_back(&run);
  }
  for (const auto& [key, after] : scaled) {
    const auto before = groups.find(key.first);
    if (before == groups.end()) continue;
    for (size_t e = 0; e < kIntervened; ++e) {
      const std::vector<double> x = values(after, kEffects[e]), y = values(before->second, kEffects[e]);
      study.interventions.push_back({.encoding = key.first,
                                     .effect = kEffects[e].name,
                                     .scale = key.second,
                                     .norm_before = statistics::mean(values(before->second, kCauses[1])),
                                     .norm_after = statistics::mean(values(after, kCauses[1])),
                                     .change = statistics::mean_difference(x, y),
                                     .test = statistics::permute_two_samples(x, y)});
    }
  }
}

template <class Results>
void adjust(Results& results) {
  std::vector<double> p;
  p.reserve(results.size());
  for (const auto& result : results) p.push_back(result.test.p);
  if (p.empty()) return;
  const std::vector<double> adjusted = statistics::holm(p);
  for (size_t i = 0; i < p.size(); ++i) results[i].holm = adjusted[i];
}

}  // namespace

const char* name(ContractionVerdict verdict) {
  switch (verdict) {
    case ContractionVerdict::holds:
      return "holds";
    case ContractionVerdict::contradicted:
      return "contradicted";
    case ContractionVerdict::undetermined:
      break;
  }
  return "undetermined";
}

ContractionStudy study_contraction(const std::vector<RunFacts>& runs) {
  const Groups groups = at_scale_one(runs);
  const auto most = std::max_element(groups.begin(), groups.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (groups.empty() || most->second.size() < 2) {
    fail_usage("{} runs with model.logit_scale=1 have no two seeds of one encoding: there is nothing to correlate",
               runs.size());
  }
  ContractionStudy study;
  for (const Quantity& cause : kCauses) {
    for (const Quantity& effect : kEffects) study.correlations.push_back(correlate(groups, cause, effect));
  }
  adjust(study.correlations);
  for (ContractionCorrelation& result : study.correlations) {
    result.verdict = judge(result.holm, result.within.estimate);
  }
  add_interventions(runs, groups, study);
  adjust(study.interventions);
  for (ScaleIntervention& result : study.interventions) {
    result.verdict = judge(result.holm, result.change.estimate * (result.norm_after - result.norm_before));
  }
  return study;
}

}  // namespace phasor
