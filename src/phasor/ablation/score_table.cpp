#include "phasor/ablation/score_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/base/seal.h"
#include "phasor/checkpoint/safetensors.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kScoresFormat = "phasor head scores 1";

double mean_of(const std::vector<float>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return sum / static_cast<double>(std::max<size_t>(1, values.size()));
}

std::string_view name(AblationExtent extent) {
  return extent == AblationExtent::alone ? "head" : extent == AblationExtent::whole ? "whole" : "only";
}

// The reverse of text(Condition), on the names of a file: "layer 1 head 3 zero".
std::optional<Condition> parse_condition(const std::string& text, int64_t layers, int64_t heads) {
  std::istringstream words(text);
  std::string layer_word, extent_word, method_word;
  Condition condition;
  words >> layer_word >> condition.layer >> extent_word;
  if (extent_word == "whole") {
    condition.extent = AblationExtent::whole;
  } else {
    condition.extent = extent_word == "only" ? AblationExtent::only : AblationExtent::alone;
    words >> condition.head;
    if (condition.head < 0 || condition.head >= heads) return std::nullopt;
  }
  words >> method_word;
  for (const AblationMethod method : all_methods()) {
    if (phasor::name(method) != method_word) continue;
    condition.method = method;
    const bool same = phasor::text(condition) == text && condition.layer >= 0 && condition.layer < layers;
    return same ? std::optional(condition) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string text(const Condition& condition) {
  const std::string place = fmt::format("layer {} {}", condition.layer, name(condition.extent));
  if (condition.extent == AblationExtent::whole) return fmt::format("{} {}", place, phasor::name(condition.method));
  return fmt::format("{} {} {}", place, condition.head, phasor::name(condition.method));
}

SampleScores::SampleScores(int64_t samples)
    : loss(static_cast<size_t>(samples)), correct(static_cast<size_t>(samples)) {}

ScoreTable::ScoreTable(int64_t layer_count, int64_t head_count, int64_t sample_count, std::vector<Condition> all)
    : layers(layer_count),
      heads(head_count),
      samples(sample_count),
      intact(sample_count),
      conditions(std::move(all)),
      scores(conditions.size(), SampleScores(sample_count)) {}

std::optional<size_t> ScoreTable::find(const Condition& condition) const {
  const auto found = std::find(conditions.begin(), conditions.end(), condition);
  if (found == conditions.end()) return std::nullopt;
  return static_cast<size_t>(found - conditions.begin());
}

const SampleScores& ScoreTable::of(const Condition& condition) const {
  const std::optional<size_t> found = find(condition);
  if (!found) fail("'{}' was not measured", text(condition));
  return scores[*found];
}

std::vector<double> ScoreTable::loss_drops(const Condition& condition) const {
  const SampleScores& ablated = of(condition);
  std::vector<double> drops(ablated.loss.size());
  for (size_t i = 0; i < drops.size(); ++i) {
    drops[i] = static_cast<double>(ablated.loss[i]) - static_cast<double>(intact.loss[i]);
  }
  return drops;
}

LayerDrops ScoreTable::drops(int64_t layer, AblationMethod method) const {
  LayerDrops drops;
  drops.whole = loss_drops({layer, method, AblationExtent::whole, -1});
  for (int64_t h = 0; h < heads; ++h) {
    drops.alone.push_back(loss_drops({layer, method, AblationExtent::alone, h}));
    const Condition only{layer, method, AblationExtent::only, h};
    if (has(only)) drops.only.push_back(loss_drops(only));
  }
  return drops;
}

double ScoreTable::mean_loss_drop(const Condition& condition) const {
  const std::vector<double> drops = loss_drops(condition);
  return std::accumulate(drops.begin(), drops.end(), 0.0) / static_cast<double>(std::max<size_t>(1, drops.size()));
}

double ScoreTable::accuracy(const Condition& condition) const { return mean_of(of(condition).correct); }
double ScoreTable::intact_accuracy() const { return mean_of(intact.correct); }
double ScoreTable::intact_loss() const { return mean_of(intact.loss); }

void save_scores(const StoredScores& stored, const std::filesystem::path& path) {
  const ScoreTable& table = stored.table;
  SafetensorsWriter writer;
  writer.set_metadata("format", kScoresFormat);
  writer.set_metadata("plan", stored.plan);
  if (!stored.described.empty()) writer.set_metadata("described", stored.described);
  Json names = Json::array();
  for (const Condition& condition : table.conditions) names.push_back(text(condition));
  writer.set_metadata("conditions", names.dump());
  writer.set_metadata("done", fmt::format("{}", table.done));
  const TensorShape shape = {static_cast<int64_t>(table.conditions.size()), table.samples};
  std::vector<float> loss, correct;
  for (const SampleScores& scores : table.scores) {
    loss.insert(loss.end(), scores.loss.begin(), scores.loss.end());
    correct.insert(correct.end(), scores.correct.begin(), scores.correct.end());
  }
  writer.add("intact.loss", {table.samples}, table.intact.loss);
  writer.add("intact.correct", {table.samples}, table.intact.correct);
  writer.add("loss", shape, loss);
  writer.add("correct", shape, correct);
  writer.add("shape", {2}, std::vector<int64_t>{table.layers, table.heads});
  writer.write(path);
}

StoredScores load_scores(const std::filesystem::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto metadata = [&](std::string_view key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  const auto broken = [&](const std::string& what) -> FormatError {
    return FormatError(fmt::format("'{}': {}", path.string(), what));
  };
  if (metadata("format") != kScoresFormat)
    throw broken(fmt::format("its format is '{}', not '{}'", metadata("format"), kScoresFormat));
  for (const auto& [key, value] : file.metadata()) {
    constexpr std::array<std::string_view, 6> kKnown = {"conditions", "described", "done", "format", "plan", kSealKey};
    if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) throw broken("its metadata has an unknown key");
  }
  if (!file.is_sealed()) notice_unsealed(fmt::format("'{}'", path.string()));
  const std::span<const int64_t> shape = file.data<int64_t>("shape", {2});
  if (shape[0] < 1 || shape[1] < 1 || shape[0] > 4096 || shape[1] > 4096) throw broken("its shape is out of range");
  const Json names = Json::parse(metadata("conditions"), nullptr, false);
  if (!names.is_array()) throw broken("it does not list its conditions");
  std::vector<Condition> conditions;
  for (const Json& entry : names) {
    const std::optional<Condition> condition =
        entry.is_string() ? parse_condition(entry.get<std::string>(), shape[0], shape[1]) : std::nullopt;
    if (!condition) throw broken(fmt::format("there is no condition {}", entry.dump()));
    conditions.push_back(*condition);
  }
  const std::span<const float> intact_loss = file.data<float>("intact.loss");
  const auto samples = static_cast<int64_t>(intact_loss.size());
  const auto rows = static_cast<int64_t>(conditions.size());
  const std::span<const float> intact_correct = file.data<float>("intact.correct", {samples});
  const std::span<const float> loss = file.data<float>("loss", {rows, samples});
  const std::span<const float> correct = file.data<float>("correct", {rows, samples});
  StoredScores stored{metadata("plan"), ScoreTable(shape[0], shape[1], samples, std::move(conditions)),
                      metadata("described")};
  stored.table.intact.loss.assign(intact_loss.begin(), intact_loss.end());
  stored.table.intact.correct.assign(intact_correct.begin(), intact_correct.end());
  for (int64_t r = 0; r < rows; ++r) {
    SampleScores& scores = stored.table.scores[static_cast<size_t>(r)];
    std::copy_n(loss.begin() + r * samples, samples, scores.loss.begin());
    std::copy_n(correct.begin() + r * samples, samples, scores.correct.begin());
  }
  const std::string done = metadata("done");
  const auto [end, error] = std::from_chars(done.data(), done.data() + done.size(), stored.table.done);
  if (error != std::errc() || end != done.data() + done.size() || stored.table.done < 0 ||
      stored.table.done > samples) {
    throw broken(fmt::format("it claims {} of {} samples", done, samples));
  }
  return stored;
}

}  // namespace phasor
