#include "phasor/ablation/run_ablation.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "phasor/ablation/ablation_json.h"
#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/run/config_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenSaves(5);
constexpr int64_t kFewestSamples = 20;  // as judge_run() asks
// Of what methods and measures mean: scores of another version are measured again.
constexpr int kVersion = 2;

uint64_t fnv1a(std::string_view bytes) {
  uint64_t hash = 14695981039346656037u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return hash;
}

// A sample without a target that counts has no loss to lose.
Dataset first_scored(const Dataset& data, int64_t samples) {
  Dataset scored;
  for (int64_t i = 0; i < data.size() && scored.size() < samples; ++i) {
    if (data.scored(i)) scored.append(data, i);
  }
  return scored;
}

Json names(const std::vector<AblationMethod>& methods) {
  Json list = Json::array();
  for (const AblationMethod method : methods) list.push_back(name(method));
  return list;
}

// What scores depend on: of two equal plans one is enough.
std::string plan_text(const Session& session, const AblationOptions& options, const std::string& parameters) {
  const SweepOptions& sweep = options.sweep;
  const Json plan = {{"version", kVersion},
                     {"config", config_id(session.config())},
                     {"parameters", parameters},
                     {"methods", names(sweep.methods)},
                     {"only", names(sweep.only_methods)},
                     {"samples", sweep.samples},
                     {"batch", sweep.batch},
                     {"draws", sweep.draws},
                     {"seed", sweep.seed},
                     {"habit_samples", options.habit_samples},
                     {"removal_draws", options.removal_draws}};
  return plan.dump();
}

// Scores of the same plan, from a file that may not be there, or may be another's, or may be damaged.
std::optional<StoredScores> earlier_scores(const fs::path& path, const std::string& plan) {
  if (!fs::exists(path)) return std::nullopt;
  try {
    StoredScores stored = load_scores(path);
    if (stored.plan == plan) return stored;
  } catch (const Error&) {
    // It is measured again.
  }
  return std::nullopt;
}

// The files of one ablation: what is complete, and what is on its way there.
struct ScoreFiles {
  fs::path complete, partial;

  // What is on its way has its plan in its name: another plan's work is left alone.
  ScoreFiles(const fs::path& folder, const std::string& stem, const std::string& plan)
      : complete(folder / (stem + ".safetensors")),
        partial(folder / fmt::format("{}.{:08x}.partial.safetensors", stem, static_cast<uint32_t>(fnv1a(plan)))) {}
};

// A finished ablation of the same model by other options would be lost.
void check_not_replaced(const fs::path& complete, const std::string& plan) {
  if (!fs::exists(complete)) return;
  std::string stored;
  try {
    stored = load_scores(complete).plan;
  } catch (const Error&) {
    return;
  }
  const Json earlier = Json::parse(stored, nullptr, false), wanted = Json::parse(plan);
  if (stored == plan || !earlier.is_object() || earlier.value("version", 0) != kVersion ||
      earlier.value("parameters", Json()) != wanted.at("parameters")) {
    return;
  }
  fail_usage(
      "'{}' holds a finished ablation by other options ({} samples, methods {}); choose another --out, or "
      "--replace to do without it",
      complete.string(), earlier.value("samples", 0), earlier.value("methods", Json()).dump());
}

// Measures what `sweep` has not got yet. False when stopped.
bool measure_scores(HeadSweep& sweep, const ScoreFiles& files, const std::string& plan,
                    const AblationProgress& progress) {
  Clock::time_point saved = Clock::now();
  const auto save = [&](const ScoreTable& table) {
    if (Clock::now() - saved < kBetweenSaves) return;
    save_scores({plan, table, ""}, files.partial);
    saved = Clock::now();
  };
  const auto tell = [&](double share) { return !progress || progress("heads", share); };
  const bool finished = sweep.run(tell, save);
  save_scores({plan, sweep.table(), ""}, files.partial);
  return finished;
}

// Habits and removals as they were stored; false where they were not.
bool read_description(const std::string& text, RunAblation& ablation) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return false;
  try {
    ablation.habits = read_json<std::vector<std::vector<HeadHabit>>>(json.at("habits"));
    ablation.removal = read_json<StreamRemoval>(json.at("removal"));
    return true;
  } catch (const Json::exception&) {
    return false;
  } catch (const FormatError&) {
    return false;
  }
}

// False when stopped.
bool describe(Session& session, const Dataset& data, const AblationOptions& options, const AblationProgress& progress,
              RunAblation& ablation) {
  const int64_t samples = ablation.scores.samples;
  const RemovalOptions removal{
      .samples = samples, .batch = options.sweep.batch, .draws = options.removal_draws, .seed = options.sweep.seed};
  const auto tell = [&](double share) { return !progress || progress("stream", share); };
  ablation.habits = head_habits(session.model(), data, std::min(options.habit_samples, samples), options.sweep.batch);
  const std::optional<StreamRemoval> removed = remove_positions(session.model(), data, removal, tell);
  if (removed) ablation.removal = *removed;
  return removed.has_value();
}

}  // namespace

std::string parameter_hash(const Transformer& model) {
  const std::vector<float> values = model.save_parameters();
  return fmt::format("{:016x}", fnv1a({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}));
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
  const Dataset data = first_scored(session.data().test, options.sweep.samples);
  if (data.size() < kFewestSamples) {
    fail_usage(
        "an ablation needs at least {} held-out samples with an answer that counts; the run has {} (data.test={})",
        kFewestSamples, data.size(), session.config().data.test_samples);
  }
  RunAblation ablation;
  ablation.parameters = parameter_hash(model);
  HeadSweep sweep(model, data, options.sweep);
  const std::string plan = plan_text(session, options, ablation.parameters);
  const ScoreFiles files(folder, stem, plan);
  if (!options.replace) check_not_replaced(files.complete, plan);
  std::optional<StoredScores> earlier = earlier_scores(files.complete, plan);
  const bool described = earlier && read_description(earlier->described, ablation);
  if (!earlier) earlier = earlier_scores(files.partial, plan);
  if (earlier && sweep.go_on_with(earlier->table)) ablation.taken_over = sweep.table().done;
  if (!sweep.finished() && !measure_scores(sweep, files, plan, progress)) return std::nullopt;
  ablation.scores = sweep.table();
  ablation.context = answer_context(session.task(), session.config().model.answer, data, sweep.table().samples);
  if (!described) {
    if (!describe(session, data, options, progress, ablation)) return std::nullopt;
    const Json text = {{"habits", write_json(ablation.habits)}, {"removal", write_json(ablation.removal)}};
    save_scores({plan, ablation.scores, text.dump()}, files.complete);
    fs::remove(files.partial);
  }
  if (progress && !progress("verdict", 0.0)) return std::nullopt;
  judge(ablation, options.verdict);
  if (parameter_hash(model) != ablation.parameters) fail("an ablation changed the model's parameters");
  return ablation;
}

void remove_superseded_scores(const fs::path& folder) {
  constexpr std::string_view kEnd = ".partial.safetensors";
  constexpr size_t kPlanDigits = 8;
  std::error_code ignored;
  std::vector<fs::path> superseded;
  for (fs::directory_iterator file(folder, ignored), end; !ignored && file != end; file.increment(ignored)) {
    const std::string name = file->path().filename().string();
    if (!name.ends_with(kEnd) || name.size() < kEnd.size() + kPlanDigits + 2) continue;
    const fs::path complete = folder / (name.substr(0, name.size() - kEnd.size() - kPlanDigits - 1) + ".safetensors");
    try {
      if (fs::exists(complete) && load_scores(complete).plan == load_scores(file->path()).plan) {
        superseded.push_back(file->path());
      }
    } catch (const Error&) {
      // One of them is damaged: whoever ablates again decides.
    }
  }
  for (const fs::path& path : superseded) fs::remove(path, ignored);
}

}  // namespace phasor
