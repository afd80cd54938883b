#include <fmt/format.h>

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/ablation/run_groups.h"
#include "phasor/base/csv.h"
#include "phasor/base/json_fields.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// A verdict over seeds with the seeds' own key layers.
struct GroupVerdict {
  struct Seed {
    std::string run;
    uint64_t seed = 0;
    SeedShares shares;
  };
  EncodingVerdict verdict;
  std::vector<Seed> seeds;
};

std::optional<GroupVerdict> group_verdict(const AblatedGroup& group, size_t question) {
  const std::optional<EncodingVerdict>& verdict = group.verdicts[question];
  if (!verdict) return std::nullopt;
  GroupVerdict found{.verdict = *verdict, .seeds = {}};
  for (size_t s = 0; s < verdict->seeds.size(); ++s) {
    const AblatedRun& run = group.runs[group.seed_runs[question][s]];
    found.seeds.push_back({run.folder.string(), run.seed, verdict->seeds[s]});
  }
  return found;
}

struct ComparedGroup {
  std::string encoding, against, question, text;
  std::optional<double> p, smallest_p, p_holm;
  std::optional<Estimate> cliffs_delta;
};

std::vector<ComparedGroup> compared_groups(const RunGroups& all) {
  std::vector<ComparedGroup> list;
  for (const GroupComparison& comparison : all.comparisons) {
    const ShareComparison& share = comparison.found.max_share;
    ComparedGroup row{.encoding = all.groups[comparison.group].label,
                      .against = all.against,
                      .question = std::string(name(kQuestions[comparison.question])),
                      .text = share.text,
                      .p_holm = comparison.p_holm};
    if (share.test) {
      row.p = share.test->p;
      row.smallest_p = share.test->smallest_p;
    }
    if (share.cliffs_delta) {
      row.cliffs_delta = {share.cliffs_delta->estimate, share.cliffs_delta->low, share.cliffs_delta->high};
    }
    list.push_back(std::move(row));
  }
  return list;
}

const Fields<GroupVerdict::Seed>& json_fields(const GroupVerdict::Seed*) {
  using S = SeedShares;
  static const Fields<S> shares = {
      derived_field<S>(
          "verdict", [](const S& seed) { return name(seed.verdict); }, "of this seed"),
      field("layer", &S::layer, "the one that matters most"),
      field("max_share", &S::max_share, "largest share of a head in its cost; undefined where no head costs anything"),
      field("n2", &S::n2, "effective heads by Simpson"),
      field("necessity", &S::necessity, "the top head's cost over the layer's"),
      field("sufficiency", &S::sufficiency, "what the top head keeps of the layer's worth alone"),
      field("shares", &S::shares, "of all its heads, falling")};
  using Seed = GroupVerdict::Seed;
  static const Fields<Seed> fields =
      joined_fields<Seed>({{field("run", &Seed::run, "its folder"), field("seed", &Seed::seed, "of the run")},
                           part_fields(&Seed::shares, shares)});
  return fields;
}

const Fields<GroupVerdict>& json_fields(const GroupVerdict*) {
  using V = EncodingVerdict;
  static const Fields<V> summary = {
      derived_field<V>(
          "verdict", [](const V& verdict) { return name(verdict.verdict); },
          "the one that more than half of all seeds would get, by an exact 95 % bound, else `UNDETERMINED`"),
      field("reason", &V::reason, "in words")};
  static const Fields<GroupVerdict> fields = joined_fields<GroupVerdict>(
      {part_fields(&GroupVerdict::verdict, joined_fields({summary, prevalence_fields(), share_fields()})),
       {field("seeds", &GroupVerdict::seeds, "every seed's own")}});
  return fields;
}

const Fields<ComparedGroup>& json_fields(const ComparedGroup*) {
  using C = ComparedGroup;
  static const Fields<C> fields = {
      field("encoding", &C::encoding, "the label of a group"),
      field("against", &C::against, "the encoding that it is compared with"),
      field("question", &C::question, "`position` or `importance`"),
      field("text", &C::text, "the comparison of max_share in words"),
      field("p", &C::p, "of a permutation test of the seeds' labels, two-sided; null: no test was possible"),
      field("smallest_p", &C::smallest_p, "that the test can give with so many seeds"),
      field("p_holm", &C::p_holm, "adjusted by Holm over the tests of the question"),
      field("cliffs_delta", &C::cliffs_delta, "positive where the first has more; absent without a test")
          .left_out_if([](const C& row) { return !row.cliffs_delta; })};
  return fields;
}

}  // namespace

static const Fields<AblatedGroup>& json_fields(const AblatedGroup*) {
  using G = AblatedGroup;
  const auto verdict = [](size_t question, const char* help) {
    return derived_field<G>(
               name(kQuestions[question]), [question](const G& group) { return group_verdict(group, question); }, help)
        .left_out_if([question](const G& group) { return !group.verdicts[question]; });
  };
  static const Fields<G> fields = {
      field("label", &G::label,
            "what a study calls the encoding, else the expression behind the folders that the runs lie in; with the "
            "settings that tell it from other groups; no two are the same"),
      field("settings", &G::settings,
            "`key=value`: what differs from groups of the same folder, encoding, task and "
            "protocol"),
      field("task", &G::task, "of the runs"),
      field("protocol", &G::protocol, "of the runs"),
      field("encoding", &G::encoding, "the canonical expression"),
      field("accuracy", &G::accuracy, "of every run"),
      field("not_converged", &G::not_converged, "how many runs had not stopped improving"),
      verdict(0, "where position is, over seeds; absent if not measured"),
      verdict(1, "which heads matter, over seeds; absent if not measured"),
      field("removal", &G::removals, "of every run, as in ablation.json of one model")};
  return fields;
}

const Fields<RunGroups>& json_fields(const RunGroups*) {
  static const Fields<RunGroups> fields = {
      field("groups", &RunGroups::groups, "runs that differ in their seed alone"),
      derived_field<RunGroups>("comparisons", compared_groups, "of every group with the named encoding")};
  return fields;
}

Json run_groups_json(const RunGroups& groups) {
  Json json = {{"format", kAblationFormat}, {"kind", "runs"}};
  json.update(write_json(groups));
  return json;
}

std::string run_groups_csv(const RunGroups& groups) {
  std::string text =
      "group,label,encoding,task,protocol,question,run,seed,accuracy,verdict,layer,max_share,n2,necessity,"
      "sufficiency\n";
  for (const AblatedGroup& group : groups.groups) {
    for (size_t q = 0; q < kQuestions.size(); ++q) {
      if (!group.verdicts[q]) continue;
      const std::vector<SeedShares>& seeds = group.verdicts[q]->seeds;
      for (size_t s = 0; s < seeds.size(); ++s) {
        const size_t run = group.seed_runs[q][s];
        text += fmt::format("{},{},{},{},{},{},{},{},{:.6g},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n",
                            csv_field(group.label), csv_field(group.name), csv_field(group.encoding),
                            csv_field(group.task), csv_field(group.protocol), name(kQuestions[q]),
                            csv_field(group.runs[run].folder.string()), group.runs[run].seed, group.accuracy[run],
                            name(seeds[s].verdict), seeds[s].layer, seeds[s].max_share.value, seeds[s].n2.value,
                            seeds[s].necessity.value, seeds[s].sufficiency.value);
      }
    }
  }
  return text;
}

}  // namespace phasor
