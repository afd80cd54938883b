#include "phasor/ablation/run_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/run/config_keys.h"
#include "phasor/statistics/multiplicity.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

std::string group_key(RunConfig config) {
  config.seed = 0;
  config.data.seed = 0;  // compared by itself
  config.train.snapshots.clear();
  return canonical_text(config);
}

bool has_own_data(const RunConfig& config) { return config.data.seed == config.seed; }

// Of a group with the same key otherwise.
bool shares_data(const AblatedGroup& group, const RunConfig& config) {
  const bool same = config.data.seed == group.config.data.seed;
  if (group.data == GroupData::own) return has_own_data(config);
  return same || (group.data == GroupData::either && has_own_data(config));
}

std::string data_text(const AblatedGroup& group) {
  return group.data == GroupData::shared ? std::to_string(group.config.data.seed) : "seed";
}

// Groups that may be compared differ in nothing but the encoding, how it was trained, and the feed-forward width that
// evens out numbers of parameters.
std::string comparison_key(const AblatedGroup& group) {
  RunConfig config = group.config;
  config.model.encoding = "nope";
  config.model.hidden = 1;
  config.train = {};
  return group_key(std::move(config));
}

// One run of its seed's data may be compared with both kinds.
bool comparable(const AblatedGroup& a, const AblatedGroup& b) {
  if (comparison_key(a) != comparison_key(b)) return false;
  const bool a_shares = a.data == GroupData::shared, b_shares = b.data == GroupData::shared;
  if (!a_shares && !b_shares) return true;
  const bool one_own = a.data == GroupData::own || b.data == GroupData::own;
  return !one_own && a.config.data.seed == b.config.data.seed;
}

using Setting = std::pair<std::string, std::string>;  // key and value

// What may tell two groups of one encoding, task and protocol apart.
std::vector<Setting> settings_of(const AblatedGroup& group) {
  static const std::set<std::string> shown_elsewhere = {"preset",   "seed",           "task",
                                                        "protocol", "model.encoding", "train.snapshots"};
  std::vector<Setting> settings;
  for (const ConfigKey& key : config_keys(find_task(group.task))) {
    if (shown_elsewhere.contains(key.name)) continue;
    settings.emplace_back(key.name, key.name == "data.seed" ? data_text(group) : key.get(group.config));
  }
  return settings;
}

// Groups of one place are told apart by task and protocol, and those that have these in common, and so have the same
// keys, by the settings that differ.
void tell_apart(std::vector<AblatedGroup>& groups) {
  std::vector<std::vector<Setting>> settings;
  settings.reserve(groups.size());
  for (const AblatedGroup& group : groups) settings.push_back(settings_of(group));
  for (size_t g = 0; g < groups.size(); ++g) {
    AblatedGroup& group = groups[g];
    bool other_task = false, other_protocol = false;
    std::set<size_t> differing;  // places in settings[g]
    for (size_t o = 0; o < groups.size(); ++o) {
      const AblatedGroup& other = groups[o];
      if (o == g || other.place != group.place) continue;
      other_task = other_task || other.task != group.task;
      other_protocol = other_protocol || other.protocol != group.protocol;
      if (other.task != group.task || other.protocol != group.protocol) continue;
      for (size_t k = 0; k < settings[g].size(); ++k) {
        if (settings[g][k] != settings[o][k]) differing.insert(k);
      }
    }
    for (const size_t k : differing) {
      group.settings.push_back(fmt::format("{}={}", settings[g][k].first, settings[g][k].second));
    }
    group.label = group.place;
    if (other_task) group.label += " task=" + group.task;
    if (other_protocol) group.label += " protocol=" + group.protocol;
    for (const std::string& setting : group.settings) group.label += " " + setting;
  }
}

std::vector<GroupComparison> compare_groups(const std::vector<AblatedGroup>& groups, const std::string& against) {
  std::vector<GroupComparison> comparisons;
  for (size_t q = 0; q < kQuestions.size(); ++q) {
    std::vector<double> p;
    std::vector<size_t> tested;
    for (size_t g = 0; g < groups.size(); ++g) {
      const AblatedGroup& group = groups[g];
      const auto other = std::find_if(groups.begin(), groups.end(), [&](const AblatedGroup& one) {
        return one.encoding == against && comparable(one, group);
      });
      if (other == groups.end() || group.encoding == against || !group.verdicts[q] || !other->verdicts[q]) continue;
      comparisons.push_back({g, q, compare(*group.verdicts[q], *other->verdicts[q]), std::nullopt});
      if (!comparisons.back().found.max_share.test) continue;
      p.push_back(comparisons.back().found.max_share.test->p);
      tested.push_back(comparisons.size() - 1);
    }
    if (p.empty()) continue;
    const std::vector<double> adjusted = statistics::holm(p);
    for (size_t i = 0; i < adjusted.size(); ++i) comparisons[tested[i]].p_holm = adjusted[i];
  }
  return comparisons;
}

}  // namespace

std::string RunGroupsBuilder::name_of(const std::string& encoding) const {
  return names_ && names_->contains(encoding) ? names_->at(encoding) : encoding;
}

AblatedGroup& RunGroupsBuilder::group_for(const fs::path& folder, const RunConfig& config) {
  const std::string key = group_key(config);
  for (AblatedGroup& group : groups_) {
    if (group_key(group.config) != key || !shares_data(group, config)) continue;
    if (group.data == GroupData::either) group.data = has_own_data(config) ? GroupData::own : GroupData::shared;
    return group;
  }
  const std::string within = names_ ? "" : fs::relative(folder, root_).parent_path().string();
  const std::string name = name_of(config.model.encoding);
  groups_.push_back({.label = {},
                     .name = name,
                     .place = within.empty() ? name : within + "/" + name,
                     .encoding = config.model.encoding,
                     .task = config.task,
                     .protocol = config.protocol,
                     .settings = {},
                     .config = config,
                     .data = has_own_data(config) ? GroupData::either : GroupData::shared});
  return groups_.back();
}

void RunGroupsBuilder::require_new(const RunConfig& config) const {
  const std::string key = group_key(config);
  for (const AblatedGroup& group : groups_) {
    if (group_key(group.config) != key || !shares_data(group, config)) continue;
    for (const AblatedRun& other : group.runs) {
      if (other.seed == config.seed) fail("the same run as '{}': one seed counts once", other.folder.string());
    }
  }
}

void RunGroupsBuilder::add(const fs::path& folder, const FinishedRun& run, const RunAblation& ablation) {
  require_new(run.config);
  AblatedGroup& group = group_for(folder, run.config);
  group.runs.push_back({folder, run.config.seed});
  group.accuracy.push_back(ablation.scores.intact_accuracy());
  if (!run.result.converged) ++group.not_converged;
  group.removals.push_back(ablation.removal);
  for (size_t q = 0; q < kQuestions.size(); ++q) {
    const std::optional<RunVerdict>& verdict = ablation.verdict(kQuestions[q]);
    if (!verdict) continue;
    group.seeds[q].push_back({*verdict, ablation.scores.drops(verdict->layer, judged_method(kQuestions[q]))});
    group.seed_runs[q].push_back(group.runs.size() - 1);
  }
}

RunGroups RunGroupsBuilder::finish(const std::string& against) {
  tell_apart(groups_);
  for (AblatedGroup& group : groups_) {
    for (size_t q = 0; q < kQuestions.size(); ++q) {
      if (!group.seeds[q].empty()) group.verdicts[q] = judge_encoding(group.seeds[q]);
    }
  }
  RunGroups result{.groups = std::move(groups_), .against = against, .against_name = name_of(against)};
  result.comparisons = compare_groups(result.groups, against);
  return result;
}

}  // namespace phasor
