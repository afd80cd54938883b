#pragma once
// The files that an ablation of a trained model leaves in a folder, as docs/formats.md describes them.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "phasor/ablation/ablation_json.h"
#include "phasor/ablation/published_ablation.h"
#include "phasor/ablation/run_ablation.h"

namespace phasor {

inline constexpr const char* kAblationFormat = "phasor ablation 1";

// Samples at once: donors and means are the same whatever batch trained the model, unless that was a smaller one.
inline constexpr int64_t kAblationBatch = 128;

// A model of a run: the snapshot of a step, or nothing for the finished one.
using SnapshotStep = std::optional<int64_t>;

// "ablation", or "ablation_step_000500" for a snapshot.
std::string ablation_stem(SnapshotStep snapshot = {});

AblationSource ablation_source(const RunConfig& config, SnapshotStep snapshot = {});

// A file's text: `members` behind its format and kind, with a checksum.
std::string ablation_file_text(const char* kind, const nlohmann::ordered_json& members);

// ablate_run(), then <stem>.csv and, last, <stem>.json beside its scores. Nothing when `progress` stopped it.
std::optional<RunAblation> ablate_to_files(Session& session, const std::filesystem::path& folder, SnapshotStep snapshot,
                                           const AblationOptions& options, const AblationProgress& progress = {});

// The files of a finished ablation are there, whole, and were measured with these methods, samples, draws and seed.
bool has_ablation(const std::filesystem::path& folder, SnapshotStep snapshot, const AblationOptions& options);

// An ablation as its files tell it, without the model.
struct FinishedAblation {
  RunAblation ablation;
  SweepOptions sweep;  // methods, samples, draws and seed that it was asked for
};
// Nothing where there is none, where it is not whole, or where it is of a run with other settings than `config`.
std::optional<FinishedAblation> load_ablation(const std::filesystem::path& folder, SnapshotStep snapshot,
                                              const RunConfig& config);

// "512 samples, methods zero, position_off, 1 draw, seed 0"
std::string sweep_text(const SweepOptions& sweep);

// ablate_as_published() on training and test data together, then <stem>_published.json. What the run's protocol says of
// heads or latents holds; a clean one leaves it to the model. Nothing when stopped.
std::optional<PublishedAblation> ablate_as_published_to_file(Session& session, const std::filesystem::path& folder,
                                                             SnapshotStep snapshot = {},
                                                             const std::function<bool(double share)>& progress = {});

}  // namespace phasor
