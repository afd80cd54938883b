#include "phasor/ablation/run_groups.h"

#include <algorithm>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/statistics/multiplicity.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

std::string group_key(RunConfig config) {
  config.seed = 0;
  config.train.snapshots.clear();
  return canonical_text(config);
}

// Groups that may be compared differ in nothing but the encoding, how it was trained, and the feed-forward width that
// evens out numbers of parameters.
std::string comparison_key(RunConfig config) {
  config.model.encoding = "nope";
  config.model.hidden = 1;
  config.train = {};
  return group_key(std::move(config));
}

// Groups of one folder and encoding are told apart by the settings that differ.
void tell_apart(std::vector<AblatedGroup>& groups) {
  for (size_t g = 1; g < groups.size(); ++g) {
    const auto twin =
        std::find_if(groups.begin(), groups.begin() + static_cast<int64_t>(g), [&](const AblatedGroup& other) {
          return other.encoding == groups[g].encoding && groups[g].label.rfind(other.label, 0) == 0;
        });
    if (twin == groups.begin() + static_cast<int64_t>(g)) continue;
    std::istringstream first(group_key(twin->config)), second(group_key(groups[g].config));
    for (std::string one, other; std::getline(first, one) && std::getline(second, other);) {
      if (one != other) groups[g].label += " " + other;
    }
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
        return one.encoding == against && comparison_key(one.config) == comparison_key(group.config);
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

AblatedGroup& RunGroupsBuilder::group_for(const fs::path& folder, const RunConfig& config) {
  const std::string key = group_key(config);
  for (AblatedGroup& group : groups_) {
    if (group_key(group.config) == key) return group;
  }
  const std::string within = fs::relative(folder, root_).parent_path().string();
  groups_.push_back({.label = within.empty() ? config.model.encoding : within + "/" + config.model.encoding,
                     .encoding = config.model.encoding,
                     .task = config.task,
                     .protocol = config.protocol,
                     .config = config});
  return groups_.back();
}

void RunGroupsBuilder::require_new(const RunConfig& config) const {
  const std::string key = group_key(config);
  for (const AblatedGroup& group : groups_) {
    if (group_key(group.config) != key) continue;
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
  RunGroups result{.groups = std::move(groups_), .against = against};
  result.comparisons = compare_groups(result.groups, against);
  return result;
}

}  // namespace phasor
