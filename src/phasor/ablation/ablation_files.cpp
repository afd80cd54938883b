#include "phasor/ablation/ablation_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/ablation/ablation_csv.h"
#include "phasor/base/csv.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"
#include "phasor/run/config_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

int64_t step_of(const RunConfig& config, SnapshotStep snapshot) { return snapshot.value_or(config.train.steps); }

std::string csv_of(const RunAblation& ablation, const RunConfig& config, SnapshotStep snapshot) {
  const std::string labels = fmt::format("{},{},{},{},{}", csv_field(config.model.encoding), csv_field(config.task),
                                         csv_field(config.protocol), config.seed, step_of(config, snapshot));
  return ablation_csv(ablation.scores, "encoding,task,protocol,seed,step", labels);
}

// As the plan of scores has them.
bool is_planned(const Json& plan, const SweepOptions& sweep) {
  Json methods = Json::array();
  for (const AblationMethod method : sweep.methods) methods.push_back(name(method));
  return plan.at("methods") == methods && plan.at("samples") == sweep.samples && plan.at("draws") == sweep.draws &&
         plan.at("seed") == sweep.seed;
}

SweepOptions planned_sweep(const Json& plan) {
  std::string methods;
  for (const Json& method : plan.at("methods")) {
    if (!methods.empty()) methods += ',';
    methods += method.get<std::string>();
  }
  SweepOptions sweep;
  sweep.methods = parse_methods(methods);
  sweep.samples = plan.at("samples").get<int64_t>();
  sweep.draws = plan.at("draws").get<int64_t>();
  sweep.seed = plan.at("seed").get<uint64_t>();
  return sweep;
}

}  // namespace

std::string ablation_stem(SnapshotStep snapshot) {
  return snapshot ? fmt::format("ablation_step_{:06}", *snapshot) : "ablation";
}

AblationSource ablation_source(const RunConfig& config, SnapshotStep snapshot) {
  return {.task = config.task,
          .encoding = config.model.encoding,
          .protocol = config.protocol,
          .seed = config.seed,
          .step = step_of(config, snapshot),
          .layers = config.model.layers,
          .heads = config.model.heads};
}

std::string ablation_file_text(const char* kind, const Json& members) {
  Json json = {{"format", kAblationFormat}, {"kind", kind}};
  json.update(members);
  return sealed(json.dump(2) + "\n");
}

std::optional<RunAblation> ablate_to_files(Session& session, const fs::path& folder, SnapshotStep snapshot,
                                           const AblationOptions& options, const AblationProgress& progress) {
  const std::string stem = ablation_stem(snapshot);
  std::optional<RunAblation> ablation = ablate_run(session, folder, stem, options, progress);
  if (!ablation) return std::nullopt;
  write_file_atomically(folder / (stem + ".csv"), csv_of(*ablation, session.config(), snapshot));
  const StoredAblation stored = stored_ablation(*ablation, ablation_source(session.config(), snapshot));
  write_file_atomically(folder / (stem + ".json"), ablation_file_text("run", write_json(stored)));
  return ablation;
}

bool has_ablation(const fs::path& folder, SnapshotStep snapshot, const AblationOptions& options) {
  const std::string stem = ablation_stem(snapshot);
  const fs::path json_path = folder / (stem + ".json"), scores_path = folder / (stem + ".safetensors");
  if (!fs::exists(json_path) || !fs::exists(scores_path)) return false;
  try {
    const Json json = read_sealed_file(json_path, [](const std::string& text) { return Json::parse(text); });
    const StoredScores scores = load_scores(scores_path);
    const Json plan = Json::parse(scores.plan);
    const bool finished = scores.table.done == scores.table.samples && !scores.described.empty();
    // An ablation that was stopped before its verdict leaves the JSON of an earlier one beside its own scores.
    const bool belong = json.at("format") == kAblationFormat && json.at("samples") == scores.table.samples &&
                        json.at("parameters") == plan.at("parameters");
    return finished && belong && is_planned(plan, options.sweep);
  } catch (const Json::exception&) {
    return false;
  } catch (const FormatError&) {
    return false;
  }
}

std::optional<FinishedAblation> load_ablation(const fs::path& folder, SnapshotStep snapshot, const RunConfig& config) {
  const std::string stem = ablation_stem(snapshot);
  const fs::path json_path = folder / (stem + ".json"), scores_path = folder / (stem + ".safetensors");
  if (!fs::exists(json_path) || !fs::exists(scores_path)) return std::nullopt;
  try {
    Json json = read_sealed_file(json_path, [](const std::string& text) { return Json::parse(text); });
    StoredScores scores = load_scores(scores_path);
    const Json plan = Json::parse(scores.plan);
    FinishedAblation found{.ablation = {}, .sweep = planned_sweep(plan)};
    if (!has_ablation(folder, snapshot, {.sweep = found.sweep}) || plan.at("config") != config_id(config)) {
      return std::nullopt;
    }
    for (const char* of_the_file : {"format", "kind", "xxh64"}) json.erase(of_the_file);
    const auto stored = read_json<StoredAblation>(json);
    found.ablation.scores = std::move(scores.table);
    found.ablation.context = {.floor_accuracy = stored.floor_accuracy, .guess_loss = stored.guess_loss};
    found.ablation.habits = stored.habits;
    found.ablation.removal = stored.removal;
    found.ablation.parameters = stored.parameters;
    judge(found.ablation, AblationOptions().verdict);
    return found;
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string sweep_text(const SweepOptions& sweep) {
  std::string methods;
  for (const AblationMethod method : sweep.methods) methods += fmt::format(", {}", name(method));
  return fmt::format("{} samples, {}{}, {} draw{}, seed {}", sweep.samples,
                     sweep.methods.size() == 1 ? "method" : "methods", methods.substr(1), sweep.draws,
                     sweep.draws == 1 ? "" : "s", sweep.seed);
}

std::optional<PublishedAblation> ablate_as_published_to_file(Session& session, const fs::path& folder,
                                                             SnapshotStep snapshot,
                                                             const std::function<bool(double share)>& progress) {
  const RunConfig& config = session.config();
  const HeadAblation way = config.switches.head_ablation;
  std::optional<bool> latents;
  if (way != HeadAblation::alone) latents = way == HeadAblation::latent;
  std::optional<PublishedAblation> ablation = ablate_as_published(
      session.model(), {&session.data().train, &session.data().test}, config.train.batch, latents, progress);
  if (!ablation) return std::nullopt;
  write_file_atomically(
      folder / (ablation_stem(snapshot) + "_published.json"),
      ablation_file_text("published", write_json(StoredPublished{ablation_source(config, snapshot), *ablation})));
  return ablation;
}

}  // namespace phasor
