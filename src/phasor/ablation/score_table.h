#pragma once
// What every sample scored with the model intact and under every ablation: the raw numbers that all else follows from.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "phasor/ablation/layer_drops.h"
#include "phasor/ablation/method.h"

namespace phasor {

// Which heads of a layer are ablated: one, all, or all but one.
enum class AblationExtent : uint8_t { alone, whole, only };

struct Condition {
  int64_t layer = 0;
  AblationMethod method = AblationMethod::zero;
  AblationExtent extent = AblationExtent::alone;
  int64_t head = -1;  // the one ablated, or the one kept; -1 for a whole layer

  bool operator==(const Condition&) const = default;
};

// "layer 1 head 3 zero", "layer 1 whole zero", "layer 1 only 3 zero": the names in files.
std::string text(const Condition& condition);

// Of every sample: the mean loss of its scored targets, and the share of them that was right.
struct SampleScores {
  std::vector<float> loss, correct;

  explicit SampleScores(int64_t samples = 0);
  bool operator==(const SampleScores&) const = default;
};

struct ScoreTable {
  int64_t layers = 0, heads = 0, samples = 0;
  int64_t done = 0;  // samples measured so far, the first ones
  SampleScores intact;
  std::vector<Condition> conditions;
  std::vector<SampleScores> scores;  // of each condition

  ScoreTable() = default;
  ScoreTable(int64_t layer_count, int64_t head_count, int64_t sample_count, std::vector<Condition> all);

  bool has(const Condition& condition) const { return find(condition).has_value(); }
  const SampleScores& of(const Condition& condition) const;  // Error when it was not measured
  // Ablated less intact loss. A method of which no whole layer was measured is an Error.
  LayerDrops drops(int64_t layer, AblationMethod method) const;
  std::vector<double> loss_drops(const Condition& condition) const;  // [samples]
  double mean_loss_drop(const Condition& condition) const;
  double accuracy(const Condition& condition) const;
  double intact_accuracy() const;
  double intact_loss() const;

  bool operator==(const ScoreTable&) const = default;

 private:
  std::optional<size_t> find(const Condition& condition) const;
};

struct StoredScores {
  std::string plan;  // what was measured on what: a table goes on with its own plan only
  ScoreTable table;
  std::string described;  // habits of heads and removals, as JSON; empty where they were not measured yet
};
void save_scores(const StoredScores& stored, const std::filesystem::path& path);
// Throws FormatError where the file does not hold what its format promises.
StoredScores load_scores(const std::filesystem::path& path);

}  // namespace phasor
