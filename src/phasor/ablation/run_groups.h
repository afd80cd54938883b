#pragma once
// Ablations of many runs: those that differ in their seed alone judged together, groups compared with one another.
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/ablation/encoding_verdict.h"
#include "phasor/ablation/run_ablation.h"
#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/finished_run.h"

namespace phasor {

inline constexpr std::array<Question, 2> kQuestions = {Question::position, Question::importance};

struct AblatedRun {
  std::filesystem::path folder;
  uint64_t seed = 0;
};

// Which data sets the runs of a group have: one for all, or each its own, of its seed, as in studies. One run whose two
// seeds are equal may be of either kind.
enum class GroupData : uint8_t { either, shared, own };

// Runs that differ in their seed alone, or in it and the data that it draws.
struct AblatedGroup {
  std::string label;  // no two groups have the same
  std::string name;   // of the encoding: as a study calls it, else as it is written
  std::string place;  // the name, behind the folders that the runs lie in, which are of no interest in a study
  std::string encoding, task, protocol;
  // "train.lr=0.01": what sets it apart from groups of the same place, task and protocol.
  std::vector<std::string> settings;
  RunConfig config;  // of the first run
  GroupData data = GroupData::shared;
  std::vector<AblatedRun> runs;
  std::vector<double> accuracy;
  int64_t not_converged = 0;
  // Per question: the runs whose ablations answer it, as indices into `runs`.
  std::array<std::vector<SeedRun>, 2> seeds;
  std::array<std::vector<size_t>, 2> seed_runs;
  std::array<std::optional<EncodingVerdict>, 2> verdicts;
  std::vector<StreamRemoval> removals;
};

struct GroupComparison {
  size_t group = 0;  // which one
  size_t question = 0;
  EncodingComparison found;
  std::optional<double> p_holm;  // of max_share, over the tests of the question
};

struct RunGroups {
  std::vector<AblatedGroup> groups;
  std::string against;  // the encoding that the others are compared with
  std::string against_name;
  std::vector<GroupComparison> comparisons;
};

// Takes ablations one by one.
class RunGroupsBuilder {
 public:
  // Labels of groups are the encodings, behind the folders below `root` that they lie in, with those settings that tell
  // them apart.
  explicit RunGroupsBuilder(std::filesystem::path root) : root_(std::move(root)) {}
  // Of a study's folder: what it calls its encodings, by their canonical expressions. Labels have no folders then.
  RunGroupsBuilder(std::filesystem::path root, std::map<std::string, std::string> names)
      : root_(std::move(root)), names_(std::move(names)) {}

  // Throws Error where a run with these settings and this seed was added before.
  void require_new(const RunConfig& config) const;
  void add(const std::filesystem::path& folder, const FinishedRun& run, const RunAblation& ablation);
  bool empty() const { return groups_.empty(); }

  // Verdicts over seeds, and every group against the named encoding where all else is equal. Holm's correction is over
  // the tests made of a question.
  RunGroups finish(const std::string& against);

 private:
  AblatedGroup& group_for(const std::filesystem::path& folder, const RunConfig& config);
  std::string name_of(const std::string& encoding) const;

  std::filesystem::path root_;
  std::optional<std::map<std::string, std::string>> names_;
  std::vector<AblatedGroup> groups_;
};

const Fields<RunGroups>& json_fields(const RunGroups*);
std::string run_groups_text(const RunGroups& groups);
nlohmann::ordered_json run_groups_json(const RunGroups& groups);
// A line per group, question and seed.
std::string run_groups_csv(const RunGroups& groups);

}  // namespace phasor
