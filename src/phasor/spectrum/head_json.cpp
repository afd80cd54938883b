#include <nlohmann/json.hpp>

#include "phasor/spectrum/check_groups.h"
#include "phasor/spectrum/head_output.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// null where no sequence defines it.
Json spread_json(const Spread& spread) {
  if (spread.count == 0) return nullptr;
  return {{"mean", spread.mean}, {"least", spread.least}, {"most", spread.most}, {"count", spread.count}};
}

Json check_json(const BoundCheck& check) {
  return {{"bound", check.bound}, {"measured", check.measured}, {"why", check.why}};
}

Json first_json(const HeadReport& report) {
  Json json = {{"n", report.size}, {"causal", report.causal}, {"biased", report.biased}};
  json["rank_tolerance"] = report.logits.singular.rank_tolerance;
  json["numerical_radius"] = report.range ? Json(report.range->radius) : Json(nullptr);
  json["numerical_radius_bound"] = report.range ? Json(report.range->radius_bound) : Json(nullptr);
  json["relative"] = {{"r2", report.relative.r2},
                      {"null", report.relative.null},
                      {"adjusted", report.relative.adjusted},
                      {"defined", report.relative.defined},
                      {"gauge", "kernel of mean 0"}};
  json["toeplitz"] = {
      {"share", report.toeplitz.share}, {"null", report.toeplitz.null}, {"defined", report.toeplitz.defined}};
  json["symbol"] = {{"width", report.symbol.width},
                    {"dominant_frequency", report.symbol.dominant_frequency},
                    {"dominant_magnitude", report.symbol.dominant_magnitude},
                    {"decay_length", report.symbol.decay_length}};
  json["split_null"] = {{"gauge", report.split.gauge_null},
                        {"relative", report.split.relative_null},
                        {"absolute_key", report.split.absolute_key_null},
                        {"residual", report.split.residual_null}};
  return json;
}

}  // namespace

Json head_json(const HeadSummary& head) {
  Json json = {{"layer", head.layer}, {"head", head.head}, {"sequences", head.sequences}};
  const std::pair<const char*, const Spread*> spreads[] = {{"spectral_norm", &head.spectral_norm},
                                                           {"stable_rank", &head.stable_rank},
                                                           {"effective_rank", &head.effective_rank},
                                                           {"participation_ratio", &head.participation_ratio},
                                                           {"numerical_rank", &head.numerical_rank},
                                                           {"condition", &head.condition},
                                                           {"abscissa", &head.abscissa},
                                                           {"symmetric_width", &head.symmetric_width},
                                                           {"antisymmetry", &head.antisymmetry},
                                                           {"spectral_radius", &head.spectral_radius},
                                                           {"henrici", &head.henrici},
                                                           {"contraction", &head.contraction},
                                                           {"stable_rank_ratio", &head.stable_rank_ratio},
                                                           {"majorisation_gap", &head.majorisation_gap},
                                                           {"bias_expansion", &head.bias_expansion},
                                                           {"relative_r2", &head.relative_r2},
                                                           {"toeplitz", &head.toeplitz}};
  for (const auto& [name, spread] : spreads) json[name] = spread_json(*spread);
  json["split"] = {{"gauge", spread_json(head.gauge)},
                   {"relative", spread_json(head.relative)},
                   {"absolute_key", spread_json(head.absolute_key)},
                   {"residual", spread_json(head.residual)}};
  json["first"] = first_json(head.first);
  Json checks = Json::array();
  for (const CheckTally& tally : head.checks) {
    Json check = {{"name", tally.first.name},
                  {"verdict", tally.verdict()},
                  {"sequences", tally.sequences},
                  {"applied", tally.applied},
                  {"held", tally.held}};
    check.update(check_json(tally.first));
    checks.push_back(check);
  }
  json["checks"] = checks;
  return json;
}

Json checks_json(const std::vector<HeadSummary>& heads) {
  Json checks = Json::array();
  for (const CheckGroup& group : check_groups(heads)) {
    Json check = {{"name", group.first.first.name}, {"verdict", group.verdict}, {"heads", group.heads},
                  {"sequences", group.sequences},   {"applied", group.applied}, {"held", group.held}};
    check.update(check_json(group.first.first));
    checks.push_back(check);
  }
  return checks;
}

}  // namespace phasor
