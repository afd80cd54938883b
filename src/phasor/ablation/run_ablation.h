#pragma once
// The ablation of one trained model from beginning to end: scores, verdicts, habits of its heads, and what the stream
// loses with its positional part. Scores are kept in a file while they are measured, so that an interrupted ablation
// goes on where it stopped.
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/ablation/head_habits.h"
#include "phasor/ablation/head_sweep.h"
#include "phasor/ablation/question.h"
#include "phasor/ablation/stream_removal.h"
#include "phasor/run/session.h"

namespace phasor {

struct AblationOptions {
  SweepOptions sweep;
  int64_t habit_samples = 256;
  int64_t removal_draws = 5;
  VerdictOptions verdict;
  bool replace = false;  // a finished ablation of the same model by other options
};

struct RunAblation {
  ScoreTable scores;
  AnswerContext context;
  std::optional<RunVerdict> importance, position;  // nothing where its method was not measured
  std::vector<std::vector<HeadHabit>> habits;      // [layers][heads]
  StreamRemoval removal;
  std::string parameters;  // a hash of them, the same before and after
  int64_t taken_over = 0;  // samples that an earlier, interrupted ablation had measured

  const std::optional<RunVerdict>& verdict(Question question) const {
    return question == Question::importance ? importance : position;
  }
};

// What is going on, and the share of it that is done. False stops.
using AblationProgress = std::function<bool(std::string_view what, double share)>;

// Of the session's model on its test set. Scores are left in <folder>/<stem>.safetensors; while they grow, in
// <stem>.<plan>.partial.safetensors. Nothing when `progress` stopped it: the next call goes on.
std::optional<RunAblation> ablate_run(Session& session, const std::filesystem::path& folder, const std::string& stem,
                                      const AblationOptions& options, const AblationProgress& progress = {});

// Answers both questions from scores.
void judge(RunAblation& ablation, const VerdictOptions& options);

// 64-bit FNV-1a of the parameters' bytes, as 16 hexadecimal digits.
std::string parameter_hash(const Transformer& model);

// Takes away scores that were on their way where the same ablation is complete: what a process left that was killed
// between the two.
void remove_superseded_scores(const std::filesystem::path& folder);

}  // namespace phasor
