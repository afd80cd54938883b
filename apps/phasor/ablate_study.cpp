#include "ablate_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ablate_run.h"
#include "interrupt.h"
#include "phasor/ablation/ablation_csv.h"
#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/ablation/encoding_verdict.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/seal.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/run_list.h"
#include "phasor/train/config_json.h"
#include "phasor/train/finished_run.h"
#include "spectrum_files.h"
#include "terminal.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::array<Question, 2> kQuestions = {Question::position, Question::importance};

struct AblatedRun {
  fs::path folder;
  uint64_t seed = 0;
};

// Runs that differ in their seed alone.
struct AblatedGroup {
  std::string label, encoding, task, protocol;
  RunConfig config;  // of the first run
  std::vector<AblatedRun> runs;
  std::vector<double> accuracy;
  int64_t not_converged = 0;
  std::array<std::vector<SeedRun>, 2> seeds;  // per question
  std::array<std::optional<EncodingVerdict>, 2> verdicts;
  std::vector<StreamRemoval> removals;
};

struct Study {
  std::vector<AblatedGroup> groups;
  std::vector<std::string> failures;
};

struct GroupComparison {
  const AblatedGroup* group = nullptr;
  size_t question = 0;
  EncodingComparison found;
  std::optional<double> p_holm;  // of max_share, over the tests of the question
};

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

bool converged(const fs::path& folder) { return read_finished_run(RunFolder(folder)).result.converged; }

void add_run(AblatedGroup& group, const RunAblation& ablation, const AblatedRun& run) {
  group.runs.push_back(run);
  group.accuracy.push_back(ablation.scores.intact_accuracy());
  if (!converged(run.folder)) ++group.not_converged;
  group.removals.push_back(ablation.removal);
  for (size_t q = 0; q < kQuestions.size(); ++q) {
    const std::optional<RunVerdict>& verdict = ablation.verdict(kQuestions[q]);
    if (!verdict) continue;
    group.seeds[q].push_back({*verdict, ablation.scores.drops(verdict->layer, judged_method(kQuestions[q]))});
  }
}

AblatedGroup& group_for(const fs::path& folder, const RunConfig& config, const std::string& root,
                        std::vector<AblatedGroup>& groups) {
  const std::string key = group_key(config);
  for (AblatedGroup& group : groups) {
    if (group_key(group.config) == key) return group;
  }
  const std::string within = fs::relative(folder, root).parent_path().string();
  groups.push_back({.label = within.empty() ? config.model.encoding : within + "/" + config.model.encoding,
                    .encoding = config.model.encoding,
                    .task = config.task,
                    .protocol = config.protocol,
                    .config = config});
  return groups.back();
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

Study ablate_all(const AblateOptions& options, const std::vector<fs::path>& runs) {
  Study study;
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunFolderOptions run{.folder = runs[i].string(), .step = options.run.step};
    AblateOptions own = options;
    own.out.clear();
    const std::string label = fmt::format("{} ({} of {})", runs[i].string(), i + 1, runs.size());
    try {
      const RunConfig config = RunFolder(runs[i]).load_config();
      AblatedGroup& group = group_for(runs[i], config, options.run.folder, study.groups);
      for (const AblatedRun& other : group.runs) {
        if (other.seed == config.seed) fail("the same run as '{}': one seed counts once", other.folder.string());
      }
      add_run(group, ablate_folder(own, run, label), {runs[i], config.seed});
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      if (interrupted()) throw;
      study.failures.push_back(fmt::format("{}: {}", runs[i].string(), error.what()));
    }
  }
  std::erase_if(study.groups, [](const AblatedGroup& group) { return group.runs.empty(); });
  if (study.groups.empty()) fail("no run could be ablated; the first: {}", study.failures.front());
  tell_apart(study.groups);
  for (AblatedGroup& group : study.groups) {
    for (size_t q = 0; q < kQuestions.size(); ++q) {
      if (!group.seeds[q].empty()) group.verdicts[q] = judge_encoding(group.seeds[q]);
    }
  }
  return study;
}

// Every group against the named encoding, where all else is equal. Holm's correction is over the tests made.
std::vector<GroupComparison> compare_all(const std::vector<AblatedGroup>& groups, const std::string& against) {
  std::vector<GroupComparison> comparisons;
  for (size_t q = 0; q < kQuestions.size(); ++q) {
    std::vector<double> p;
    std::vector<size_t> tested;
    for (const AblatedGroup& group : groups) {
      const auto other = std::find_if(groups.begin(), groups.end(), [&](const AblatedGroup& g) {
        return g.encoding == against && comparison_key(g.config) == comparison_key(group.config);
      });
      if (other == groups.end() || group.encoding == against || !group.verdicts[q] || !other->verdicts[q]) continue;
      comparisons.push_back({&group, q, compare(*group.verdicts[q], *other->verdicts[q]), std::nullopt});
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

std::string with_interval(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "-";
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", estimate.value, estimate.low, estimate.high);
}

std::string accuracy_text(const AblatedGroup& group) {
  const double mean = 100.0 * statistics::mean(group.accuracy);
  if (group.accuracy.size() < 2) return fmt::format("{:.1f}", mean);
  return fmt::format("{:.1f} +- {:.1f}", mean, 100.0 * statistics::standard_deviation(group.accuracy));
}

void print_question(const std::vector<AblatedGroup>& groups, const std::vector<GroupComparison>& comparisons, size_t q,
                    const std::string& against) {
  const AblationMethod method = judged_method(kQuestions[q]);
  print_out("\n{} ({}): the layer that matters most, over seeds; D S N U: DEPOSIT, SPREAD, NOT USED, UNDETERMINED\n",
            name(kQuestions[q]), name(method));
  print_out("{:<34} {:>14}  {:>11}  {:<13} {:<18} {:<18} {:<18} {}\n", "encoding", "accuracy %", "D S N U", "verdict",
            "max share", "N2", "sufficiency", fmt::format("p against {} (Holm)", against));
  for (const AblatedGroup& group : groups) {
    if (!group.verdicts[q]) continue;
    const EncodingVerdict& verdict = *group.verdicts[q];
    const auto found = std::find_if(comparisons.begin(), comparisons.end(),
                                    [&](const GroupComparison& c) { return c.group == &group && c.question == q; });
    std::string p = "-";
    if (found != comparisons.end() && found->found.max_share.test) {
      p = fmt::format("{:.3f} ({:.3f})", found->found.max_share.test->p, found->p_holm.value_or(1.0));
    }
    print_out("{:<34.34} {:>14}{} {:>11}  {:<13} {:<18} {:<18} {:<18} {}\n", group.label, accuracy_text(group),
              group.not_converged > 0 ? "*" : " ",
              fmt::format("{} {} {} {}", verdict.deposit.seeds, verdict.spread.seeds, verdict.not_used.seeds,
                          verdict.undetermined.seeds),
              name(verdict.verdict), with_interval(verdict.max_share), with_interval(verdict.n2),
              with_interval(verdict.sufficiency), p);
  }
  for (const AblatedGroup& group : groups) {
    if (group.verdicts[q]) print_out("  {}: {}\n", group.label, group.verdicts[q]->reason);
  }
}

double mean_random(const LayerRemoval& layer) {
  double sum = 0.0;
  for (const RemovalScore& score : layer.random) sum += score.accuracy;
  return sum / static_cast<double>(std::max<size_t>(1, layer.random.size()));
}

// Accuracy with p removed / with random vectors of its length removed, mean over seeds.
void print_removals(const std::vector<AblatedGroup>& groups) {
  print_out("\naccuracy in % with p taken out of the stream entering a layer / with random vectors as long\n");
  for (const AblatedGroup& group : groups) {
    std::string line = fmt::format("{:<34.34}", group.label);
    for (size_t l = 0; l < group.removals.front().layers.size(); ++l) {
      std::vector<double> without, random;
      for (const StreamRemoval& removal : group.removals) {
        without.push_back(100.0 * removal.layers[l].means.accuracy);
        random.push_back(100.0 * mean_random(removal.layers[l]));
      }
      line += fmt::format("  layer {}: {:5.1f} / {:5.1f}", l, statistics::mean(without), statistics::mean(random));
    }
    print_out("{}\n", line);
  }
}

Json prevalence_json(const Prevalence& prevalence) {
  return {{"seeds", prevalence.seeds},
          {"low", prevalence.interval.low},
          {"high", prevalence.interval.high},
          {"lower", prevalence.lower}};
}

Json verdict_json(const EncodingVerdict& verdict, const std::vector<AblatedRun>& runs) {
  Json seeds = Json::array();
  for (size_t s = 0; s < verdict.seeds.size(); ++s) {
    const SeedShares& seed = verdict.seeds[s];
    seeds.push_back({{"run", runs[s].folder.string()},
                     {"seed", runs[s].seed},
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

Json comparison_json(const GroupComparison& comparison, const std::string& against) {
  const ShareComparison& share = comparison.found.max_share;
  Json json = {{"encoding", comparison.group->label},
               {"against", against},
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

Json study_json(const std::vector<AblatedGroup>& groups, const std::vector<GroupComparison>& comparisons,
                const std::string& against) {
  Json json = {{"format", kAblationFormat}, {"kind", "runs"}};
  json["groups"] = Json::array();
  for (const AblatedGroup& group : groups) {
    Json entry = {{"label", group.label},       {"task", group.task},         {"protocol", group.protocol},
                  {"encoding", group.encoding}, {"accuracy", group.accuracy}, {"not_converged", group.not_converged}};
    for (size_t q = 0; q < kQuestions.size(); ++q) {
      if (group.verdicts[q]) entry[name(kQuestions[q])] = verdict_json(*group.verdicts[q], group.runs);
    }
    entry["removal"] = Json::array();
    for (const StreamRemoval& removal : group.removals) entry["removal"].push_back(to_json(removal));
    json["groups"].push_back(std::move(entry));
  }
  json["comparisons"] = Json::array();
  for (const GroupComparison& comparison : comparisons)
    json["comparisons"].push_back(comparison_json(comparison, against));
  return json;
}

// A line per group, question and seed.
std::string study_csv(const std::vector<AblatedGroup>& groups) {
  std::string text =
      "group,encoding,task,protocol,question,run,seed,accuracy,verdict,layer,max_share,n2,necessity,sufficiency\n";
  for (const AblatedGroup& group : groups) {
    for (size_t q = 0; q < kQuestions.size(); ++q) {
      if (!group.verdicts[q]) continue;
      const std::vector<SeedShares>& seeds = group.verdicts[q]->seeds;
      for (size_t s = 0; s < seeds.size(); ++s) {
        text += fmt::format("{},{},{},{},{},{},{},{:.6g},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", csv_field(group.label),
                            csv_field(group.encoding), csv_field(group.task), csv_field(group.protocol),
                            name(kQuestions[q]), csv_field(group.runs[s].folder.string()), group.runs[s].seed,
                            group.accuracy[s], name(seeds[s].verdict), seeds[s].layer, seeds[s].max_share.value,
                            seeds[s].n2.value, seeds[s].necessity.value, seeds[s].sufficiency.value);
      }
    }
  }
  return text;
}

}  // namespace

void run_ablate_study(const AblateOptions& options) {
  const std::vector<fs::path> runs = finished_runs(options.run.folder);
  const std::string against = options.against.empty() ? "nope" : options.against;
  const auto has_it = [&](const fs::path& run) { return RunFolder(run).load_config().model.encoding == against; };
  if (!options.against.empty() && std::none_of(runs.begin(), runs.end(), has_it)) {
    fail_usage("--against {}: no run in '{}' has this encoding", against, options.run.folder);
  }
  const Study study = ablate_all(options, runs);
  const std::vector<AblatedGroup>& groups = study.groups;
  const std::vector<GroupComparison> comparisons = compare_all(groups, against);
  const Json json = study_json(groups, comparisons, against);
  const fs::path folder = options.out.empty() ? options.run.folder : options.out;
  const std::string stem = ablation_stem(options.run);
  make_directory(folder);
  write_file_atomically(folder / (stem + ".csv"), study_csv(groups));
  write_file_atomically(folder / (stem + ".json"), sealed(json.dump(2) + "\n"));
  if (options.json) {
    print_out("{}\n", json.dump(2));
  } else {
    print_out("{} runs, {} encodings and settings\n", runs.size() - study.failures.size(), groups.size());
    for (size_t q = 0; q < kQuestions.size(); ++q) print_question(groups, comparisons, q, against);
    print_removals(groups);
    if (std::any_of(groups.begin(), groups.end(), [](const AblatedGroup& group) { return group.not_converged > 0; })) {
      print_out("* some of these runs had not converged\n");
    }
    print_out("\nwritten: {}.json, .csv\n", (folder / stem).string());
  }
  for (const std::string& failure : study.failures) say_progress(fmt::format("left out: {}", failure));
  if (!study.failures.empty()) fail("{} of {} runs could not be ablated", study.failures.size(), runs.size());
}

}  // namespace phasor::app
