#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/ablation/ablation_csv.h"
#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/ablation/run_groups.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json prevalence_json(const Prevalence& prevalence) {
  return {{"seeds", prevalence.seeds},
          {"low", prevalence.interval.low},
          {"high", prevalence.interval.high},
          {"lower", prevalence.lower}};
}

Json encoding_verdict_json(const AblatedGroup& group, size_t question) {
  const EncodingVerdict& verdict = *group.verdicts[question];
  Json seeds = Json::array();
  for (size_t s = 0; s < verdict.seeds.size(); ++s) {
    const SeedShares& seed = verdict.seeds[s];
    const AblatedRun& run = group.runs[group.seed_runs[question][s]];
    seeds.push_back({{"run", run.folder.string()},
                     {"seed", run.seed},
                     {"verdict", name(seed.verdict)},
                     {"layer", seed.layer},
                     {"max_share", to_json(seed.max_share)},
                     {"n2", to_json(seed.n2)},
                     {"necessity", to_json(seed.necessity)},
                     {"sufficiency", to_json(seed.sufficiency)},
                     {"shares", seed.shares}});
  }
  return {{"verdict", name(verdict.verdict)},
          {"reason", verdict.reason},
          {"deposit", prevalence_json(verdict.deposit)},
          {"spread", prevalence_json(verdict.spread)},
          {"not_used", prevalence_json(verdict.not_used)},
          {"undetermined", prevalence_json(verdict.undetermined)},
          {"max_share", to_json(verdict.max_share)},
          {"n2", to_json(verdict.n2)},
          {"necessity", to_json(verdict.necessity)},
          {"sufficiency", to_json(verdict.sufficiency)},
          {"seeds", seeds}};
}

Json group_comparison_json(const GroupComparison& comparison, const RunGroups& all) {
  const ShareComparison& share = comparison.found.max_share;
  Json json = {{"encoding", all.groups[comparison.group].label},
               {"against", all.against},
               {"question", name(kQuestions[comparison.question])},
               {"text", share.text},
               {"p", share.test ? Json(share.test->p) : Json(nullptr)},
               {"smallest_p", share.test ? Json(share.test->smallest_p) : Json(nullptr)},
               {"p_holm", comparison.p_holm ? Json(*comparison.p_holm) : Json(nullptr)}};
  if (share.cliffs_delta) {
    json["cliffs_delta"] =
        to_json(Estimate{share.cliffs_delta->estimate, share.cliffs_delta->low, share.cliffs_delta->high});
  }
  return json;
}

}  // namespace

Json run_groups_json(const RunGroups& groups) {
  Json json = {{"format", kAblationFormat}, {"kind", "runs"}};
  json["groups"] = Json::array();
  for (const AblatedGroup& group : groups.groups) {
    Json entry = {{"label", group.label},       {"task", group.task},         {"protocol", group.protocol},
                  {"encoding", group.encoding}, {"accuracy", group.accuracy}, {"not_converged", group.not_converged}};
    for (size_t q = 0; q < kQuestions.size(); ++q) {
      if (group.verdicts[q]) entry[name(kQuestions[q])] = encoding_verdict_json(group, q);
    }
    entry["removal"] = Json::array();
    for (const StreamRemoval& removal : group.removals) entry["removal"].push_back(to_json(removal));
    json["groups"].push_back(std::move(entry));
  }
  json["comparisons"] = Json::array();
  for (const GroupComparison& comparison : groups.comparisons) {
    json["comparisons"].push_back(group_comparison_json(comparison, groups));
  }
  return json;
}

std::string run_groups_csv(const RunGroups& groups) {
  std::string text =
      "group,encoding,task,protocol,question,run,seed,accuracy,verdict,layer,max_share,n2,necessity,sufficiency\n";
  for (const AblatedGroup& group : groups.groups) {
    for (size_t q = 0; q < kQuestions.size(); ++q) {
      if (!group.verdicts[q]) continue;
      const std::vector<SeedShares>& seeds = group.verdicts[q]->seeds;
      for (size_t s = 0; s < seeds.size(); ++s) {
        const size_t run = group.seed_runs[q][s];
        text += fmt::format("{},{},{},{},{},{},{},{:.6g},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", csv_field(group.label),
                            csv_field(group.encoding), csv_field(group.task), csv_field(group.protocol),
                            name(kQuestions[q]), csv_field(group.runs[run].folder.string()), group.runs[run].seed,
                            group.accuracy[run], name(seeds[s].verdict), seeds[s].layer, seeds[s].max_share.value,
                            seeds[s].n2.value, seeds[s].necessity.value, seeds[s].sufficiency.value);
      }
    }
  }
  return text;
}

}  // namespace phasor
