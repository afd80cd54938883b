#include "phasor/ablation/run_ablation.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/train/config_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenSaves(5);

Json names(const std::vector<AblationMethod>& methods) {
  Json list = Json::array();
  for (const AblationMethod method : methods) list.push_back(name(method));
  return list;
}

// What scores depend on: of two equal plans one is enough.
std::string plan_text(const Session& session, const SweepOptions& sweep, const std::string& parameters) {
  const Json plan = {{"config", config_id(session.config())},
                     {"parameters", parameters},
                     {"methods", names(sweep.methods)},
                     {"only", names(sweep.only_methods)},
                     {"samples", sweep.samples},
                     {"batch", sweep.batch},
                     {"draws", sweep.draws},
                     {"seed", sweep.seed}};
  return plan.dump();
}

// Scores of the same plan, from a file that may not be there, or may be another's, or may be damaged.
std::optional<ScoreTable> earlier_scores(const fs::path& path, const std::string& plan) {
  if (!fs::exists(path)) return std::nullopt;
  try {
    StoredScores stored = load_scores(path);
    if (stored.plan == plan) return std::move(stored.table);
  } catch (const Error&) {
    // It is measured again.
  }
  return std::nullopt;
}

// Takes over what there is, measures the rest. False when stopped.
bool measure_scores(HeadSweep& sweep, const fs::path& folder, const std::string& stem, const std::string& plan,
                    const AblationProgress& progress, int64_t& taken_over) {
  const fs::path complete = folder / (stem + ".safetensors"), partial = folder / (stem + ".partial.safetensors");
  for (const fs::path& path : {complete, partial}) {
    const std::optional<ScoreTable> earlier = earlier_scores(path, plan);
    if (earlier && sweep.go_on_with(*earlier)) break;
  }
  taken_over = sweep.table().done;
  if (sweep.finished() && fs::exists(complete) && earlier_scores(complete, plan)) return true;
  Clock::time_point saved = Clock::now();
  const auto save = [&](const ScoreTable& table) {
    if (Clock::now() - saved < kBetweenSaves) return;
    save_scores(table, plan, partial);
    saved = Clock::now();
  };
  const auto tell = [&](double share) { return !progress || progress("heads", share); };
  if (!sweep.run(tell, save)) {
    save_scores(sweep.table(), plan, partial);
    return false;
  }
  save_scores(sweep.table(), plan, complete);
  fs::remove(partial);
  return true;
}

}  // namespace

std::string parameter_hash(const Transformer& model) {
  const std::vector<float> values = model.save_parameters();
  uint64_t hash = 14695981039346656037u;
  for (const std::byte byte : std::as_bytes(std::span(values))) {
    hash = (hash ^ static_cast<uint64_t>(byte)) * 1099511628211u;
  }
  return fmt::format("{:016x}", hash);
}

void judge(RunAblation& ablation, const VerdictOptions& options) {
  const auto answer = [&](Question question) -> std::optional<RunVerdict> {
    const std::optional<RunEvidence> found = evidence(ablation.scores, question, ablation.context);
    if (!found) return std::nullopt;
    return judge_run(*found, options);
  };
  ablation.importance = answer(Question::importance);
  ablation.position = answer(Question::position);
}

std::optional<RunAblation> ablate_run(Session& session, const fs::path& folder, const std::string& stem,
                                      const AblationOptions& options, const AblationProgress& progress) {
  Transformer& model = session.model();
  const Dataset& data = session.data().test;
  if (data.size() == 0) fail_usage("the run has no test samples (data.test=0): there is nothing to ablate on");
  RunAblation ablation;
  ablation.parameters = parameter_hash(model);
  HeadSweep sweep(model, data, options.sweep);
  const int64_t samples = sweep.table().samples;
  const std::string plan = plan_text(session, options.sweep, ablation.parameters);
  if (!measure_scores(sweep, folder, stem, plan, progress, ablation.taken_over)) return std::nullopt;
  ablation.scores = sweep.table();
  ablation.context = answer_context(session.task(), session.config().model.answer, data, samples);
  ablation.habits = head_habits(model, data, std::min(options.habit_samples, samples), options.sweep.batch);
  const RemovalOptions removal{
      .samples = samples, .batch = options.sweep.batch, .draws = options.removal_draws, .seed = options.sweep.seed};
  const auto tell = [&](double share) { return !progress || progress("stream", share); };
  const std::optional<StreamRemoval> removed = remove_positions(model, data, removal, tell);
  if (!removed) return std::nullopt;
  ablation.removal = *removed;
  if (progress && !progress("verdict", 0.0)) return std::nullopt;
  judge(ablation, options.verdict);
  if (parameter_hash(model) != ablation.parameters) fail("an ablation changed the model's parameters");
  return ablation;
}

}  // namespace phasor
