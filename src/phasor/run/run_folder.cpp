#include "phasor/run/run_folder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/seal.h"
#include "phasor/base/shown_text.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/run/config_json.h"

namespace phasor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kResult = "result.json";
constexpr const char* kState = "state.safetensors";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kTelemetry = "telemetry.jsonl";
constexpr const char* kModelFormat = "phasor model 1";
constexpr const char* kStateFormat = "phasor state 2";
// The same file, of a version whose dropout drew other masks.
constexpr const char* kOtherMasksFormat = "phasor state 1";
constexpr std::array<std::string_view, 6> kMetadataKeys = {"config", "format",    "metrics",
                                                           "step",   "telemetry", kSealKey};

std::string metadata_of(const SafetensorsFile& file, std::string_view key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? std::string() : found->second;
}

SafetensorsFile open_as(const fs::path& path, const char* format) {
  SafetensorsFile file = SafetensorsFile::open(path);
  const std::string found = metadata_of(file, "format");
  if (found != format) {
    throw FormatError(fmt::format("'{}': its format is '{}', not '{}'", path.string(), found, format));
  }
  for (const auto& [key, value] : file.metadata()) {
    // What is none of these was one of them once: most likely the checksum's own name.
    if (std::find(kMetadataKeys.begin(), kMetadataKeys.end(), key) == kMetadataKeys.end()) {
      throw FormatError(fmt::format("'{}': its metadata has an unknown key '{}'", path.string(), shown_text(key)));
    }
  }
  if (!file.is_sealed()) notice_unsealed(fmt::format("'{}'", path.string()));
  return file;
}

// "key=value" lines.
std::map<std::string, std::string> settings_of(const std::string& text) {
  std::map<std::string, std::string> settings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) settings[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return settings;
}

// A run without dropout goes on from an older state with the same bits.
SafetensorsFile open_state(const fs::path& path) {
  if (metadata_of(SafetensorsFile::open(path), "format") != kOtherMasksFormat) return open_as(path, kStateFormat);
  SafetensorsFile state = open_as(path, kOtherMasksFormat);
  const std::map<std::string, std::string> settings = settings_of(metadata_of(state, "config"));
  const auto dropout = settings.find("model.dropout");
  if (dropout != settings.end() && dropout->second != "0") {
    throw FormatError(
        fmt::format("'{}' is of an older version, whose dropout of {} drew other masks: resumed, the run would not be "
                    "the one that was "
                    "begun; train it again in a new folder",
                    path.string(), dropout->second));
  }
  return state;
}

// Numbers are stored as doubles; a count beyond 2^53 was never written by a run.
int64_t stored_count(double value, const char* what, const fs::path& path) {
  if (!(value >= 0.0 && value <= 9007199254740992.0) || value != std::floor(value)) {
    throw FormatError(fmt::format("'{}': {} is {}, not a count", path.string(), what, value));
  }
  return static_cast<int64_t>(value);
}

LossSpikes stored_spikes(const SafetensorsFile& file, const fs::path& path) {
  const std::span<const double> numbers = file.data<double>("loss_spikes", {LossSpikes::kStored});
  try {
    return LossSpikes::restored({numbers.begin(), numbers.end()});
  } catch (const Error& error) {
    throw FormatError(fmt::format("'{}': loss_spikes: {}", path.string(), error.what()));
  }
}

// A last line without its end was cut by a crash: it does not count.
std::vector<std::string> whole_lines(const fs::path& path) {
  std::vector<std::string> all;
  if (!fs::exists(path)) return all;
  std::istringstream lines(read_file(path));
  std::string line;
  while (std::getline(lines, line) && !lines.eof()) all.push_back(line);
  return all;
}

std::string place(const fs::path& path, size_t line) { return fmt::format("{}:{}", path.string(), line + 1); }

std::span<const float> piece(const std::vector<float>& flat, const Parameter& entry) {
  return std::span(flat).subspan(static_cast<size_t>(entry.offset), static_cast<size_t>(entry.size));
}

void add_tensors(SafetensorsWriter& writer, const std::string& prefix, const ParameterLayout& layout,
                 const std::vector<float>& flat) {
  for (const Parameter& entry : layout.entries()) writer.add(prefix + entry.name, entry.shape, piece(flat, entry));
}

std::vector<float> gather_tensors(const SafetensorsFile& file, const std::string& prefix,
                                  const ParameterLayout& layout) {
  std::vector<float> flat(static_cast<size_t>(layout.size()));
  for (const Parameter& entry : layout.entries()) {
    const std::span<const float> values = file.data<float>(prefix + entry.name, entry.shape);
    std::copy(values.begin(), values.end(), flat.begin() + entry.offset);
  }
  return flat;
}

}  // namespace

void LineTally::add(std::string_view line) {
  ++lines_;
  hash_.add(line);
  hash_.add("\n");
}

std::string snapshot_name(int64_t step) { return fmt::format("snapshots/step_{:06}.safetensors", step); }

bool RunFolder::exists() const {
  std::error_code unreadable;
  return fs::exists(file(kConfig), unreadable);
}

bool RunFolder::complete() const {
  std::error_code unreadable;
  return fs::exists(file(kResult), unreadable);
}

void RunFolder::require_free() const {
  if (fs::exists(path_) && !fs::is_directory(path_)) {
    fail_usage("'{}' is a file; --out wants a folder of its own", path_.string());
  }
  // Asked in this order, so that a run that somebody else starts meanwhile is taken for one.
  const bool is_free = !fs::exists(path_) || is_free_folder(path_);
  if (exists()) {
    fail_usage("'{}' contains a run already; --resume continues it, or choose another --out", path_.string());
  }
  if (!is_free) {
    fail_usage("'{}' is not empty and holds no run; choose another --out", path_.string());
  }
}

void RunFolder::create(const RunConfig& config) const {
  require_free();
  make_directory(path_);
  write_file_atomically(file(kConfig), sealed(config_to_json(config)));
}

RunConfig RunFolder::load_config() const {
  if (!exists()) fail_usage("'{}' holds no run: there is no {}", path_.string(), kConfig);
  const std::string path = file(kConfig).string();
  return read_sealed_file(path, [&](const std::string& text) { return config_from_json(text, path); });
}

void RunFolder::save_model(const ParameterLayout& layout, const std::vector<float>& parameters, const RunConfig& config,
                           int64_t step, const std::string& name) const {
  SafetensorsWriter writer;
  add_tensors(writer, "", layout, parameters);
  writer.set_metadata("format", kModelFormat);
  writer.set_metadata("step", fmt::format("{}", step));
  writer.set_metadata("config", canonical_text(config));
  make_directory(file(name).parent_path());
  writer.write(file(name));
}

std::vector<float> RunFolder::load_model(const ParameterLayout& layout, const std::string& name) const {
  return gather_tensors(open_as(file(name), kModelFormat), "", layout);
}

void RunFolder::check_model(const RunConfig& config, const std::string& name) const {
  const SafetensorsFile model = open_as(file(name), kModelFormat);
  const std::map<std::string, std::string> trained = settings_of(metadata_of(model, "config"));
  for (const auto& [key, value] : settings_of(canonical_text(config))) {
    const auto found = trained.find(key);
    if (found == trained.end() || found->second == value) continue;
    throw FormatError(fmt::format("'{}' was trained with {}={}, but config.json says {}", file(name).string(), key,
                                  found->second, value));
  }
  // A snapshot under the name of the finished model, or of another step.
  const std::string step = metadata_of(model, "step");
  const bool is_last = step == fmt::format("{}", config.train.steps);
  const bool fits = name == "model.safetensors"   ? is_last
                    : name == "start.safetensors" ? step == "0"
                                                  : name == fmt::format("snapshots/step_{:0>6}.safetensors", step);
  if (!fits) throw FormatError(fmt::format("'{}' holds the weights of step {}", file(name).string(), step));
}

void RunFolder::save_state(const ParameterLayout& layout, const TrainingState& state) const {
  SafetensorsWriter writer;
  add_tensors(writer, "parameter/", layout, state.parameters);
  add_tensors(writer, "first_moment/", layout, state.first_moment);
  add_tensors(writer, "second_moment/", layout, state.second_moment);
  writer.add("progress", {5},
             std::vector<double>{static_cast<double>(state.step), static_cast<double>(state.tokens), state.seconds,
                                 state.batch_loss, state.gradient_norm});
  writer.add("loss_spikes", {LossSpikes::kStored}, state.spikes.stored());
  writer.set_metadata("format", kStateFormat);
  writer.set_metadata("config", state.config);
  writer.set_metadata("metrics", state.metrics);
  writer.set_metadata("telemetry", state.telemetry);
  writer.write(file(kState));
}

std::optional<TrainingState> RunFolder::load_state(const ParameterLayout& layout) const {
  if (!fs::exists(file(kState))) return std::nullopt;
  const SafetensorsFile stored = open_state(file(kState));
  const std::span<const double> progress = stored.data<double>("progress", {5});
  for (const double value : progress) {
    if (!std::isfinite(value))
      throw FormatError(fmt::format("'{}': its progress is not finite", file(kState).string()));
  }
  return TrainingState{.step = stored_count(progress[0], "the step", file(kState)),
                       .tokens = stored_count(progress[1], "the number of tokens", file(kState)),
                       .seconds = progress[2],
                       .batch_loss = progress[3],
                       .gradient_norm = progress[4],
                       .spikes = stored_spikes(stored, file(kState)),
                       .config = metadata_of(stored, "config"),
                       .metrics = metadata_of(stored, "metrics"),
                       .telemetry = metadata_of(stored, "telemetry"),
                       .parameters = gather_tensors(stored, "parameter/", layout),
                       .first_moment = gather_tensors(stored, "first_moment/", layout),
                       .second_moment = gather_tensors(stored, "second_moment/", layout)};
}

std::vector<Metrics> RunFolder::load_metrics() const {
  std::vector<Metrics> history;
  for (const std::string& line : whole_lines(file(kMetrics))) {
    history.push_back(parse_metrics(line, place(file(kMetrics), history.size())));
  }
  return history;
}

std::vector<Metrics> RunFolder::rewind_metrics(int64_t step) const {
  std::vector<Metrics> history = load_metrics();
  std::erase_if(history, [&](const Metrics& metrics) { return metrics.step > step; });
  std::string text;
  for (const Metrics& metrics : history) text += to_json_line(metrics) + "\n";
  write_file_atomically(file(kMetrics), text);
  return history;
}

std::vector<Telemetry> RunFolder::load_telemetry() const {
  std::vector<Telemetry> measured;
  for (const std::string& line : whole_lines(file(kTelemetry))) {
    measured.push_back(parse_telemetry(line, place(file(kTelemetry), measured.size())));
  }
  return measured;
}

LineTally RunFolder::tally(const std::string& name) const {
  LineTally tally;
  for (const std::string& line : whole_lines(file(name))) tally.add(line);
  return tally;
}

LineTally RunFolder::rewind_telemetry(int64_t step) const {
  const std::vector<std::string> lines = whole_lines(file(kTelemetry));
  std::string text;
  LineTally kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (parse_telemetry(lines[i], place(file(kTelemetry), i)).step > step) continue;
    text += lines[i] + "\n";
    kept.add(lines[i]);
  }
  write_file_atomically(file(kTelemetry), text);
  return kept;
}

}  // namespace phasor
