#pragma once
// The files of a run. A folder is complete when result.json is there. metrics.jsonl and telemetry.jsonl grow by whole
// lines; every other file is written aside and renamed, so a reader never sees half of one.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/content_hash.h"
#include "phasor/model/parameters.h"
#include "phasor/run/config.h"
#include "phasor/run/loss_spikes.h"
#include "phasor/run/metrics.h"
#include "phasor/run/telemetry.h"

namespace phasor {

// Everything that a run needs to go on as if it had never stopped.
struct TrainingState {
  int64_t step = 0;
  int64_t tokens = 0;
  double seconds = 0.0;
  double batch_loss = 0.0;
  double gradient_norm = 0.0;
  LossSpikes spikes;
  std::string config;  // canonical text: a state goes on with its own run only
  // What metrics.jsonl and telemetry.jsonl held when the state was saved; empty in files of older versions.
  std::string metrics, telemetry;
  std::vector<float> parameters, first_moment, second_moment;
};

// How many lines a file has, and their hash: whether it is still the file that somebody knew.
class LineTally {
 public:
  void add(std::string_view line);  // without its end
  int64_t lines() const { return lines_; }
  std::string hash() const { return hash_.digits(); }
  // "13 0123456789abcdef"
  std::string text() const { return fmt::format("{} {}", lines_, hash()); }

 private:
  int64_t lines_ = 0;
  ContentHash hash_;
};

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  bool exists() const;    // holds a run, complete or not
  bool complete() const;  // result.json is there

  // Throws UsageError where the folder holds something already, other than a claim and what killed writers left.
  void require_free() const;
  // require_free(), then makes the folder and writes config.json.
  void create(const RunConfig& config) const;
  RunConfig load_config() const;

  void save_model(const ParameterLayout& layout, const std::vector<float>& parameters, const RunConfig& config,
                  int64_t step, const std::string& name) const;
  // Parameters by name, checked against the layout. `name` is model.safetensors or a snapshot.
  std::vector<float> load_model(const ParameterLayout& layout, const std::string& name) const;
  // Throws FormatError, naming a key, where the model was trained with another value of it: weights fit any number of
  // heads of the same width together. Keys that its file does not know are passed over.
  void check_model(const RunConfig& config, const std::string& name) const;

  void save_state(const ParameterLayout& layout, const TrainingState& state) const;
  std::optional<TrainingState> load_state(const ParameterLayout& layout) const;

  // The evaluations up to `step`; later ones (from a run that was killed) are cut off the file.
  std::vector<Metrics> rewind_metrics(int64_t step) const;
  std::vector<Metrics> load_metrics() const;
  // Of a file of lines as it is now.
  LineTally tally(const std::string& name) const;

  // Likewise the measurements of telemetry.jsonl. Returns what is left.
  LineTally rewind_telemetry(int64_t step) const;
  std::vector<Telemetry> load_telemetry() const;

 private:
  std::filesystem::path path_;
};

// snapshots/step_000100.safetensors
std::string snapshot_name(int64_t step);

}  // namespace phasor
