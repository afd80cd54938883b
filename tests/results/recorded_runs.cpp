#include "results/recorded_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "phasor/ablation/layer_effect.h"
#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/concentration.h"

namespace phasor::results {
namespace {

constexpr Deposit kVerdicts[] = {Deposit::deposit, Deposit::partial, Deposit::spread, Deposit::not_used,
                                 Deposit::undetermined};

Deposit verdict_of(const CsvTable& table, const std::string& text) {
  const auto* const found =
      std::find_if(std::begin(kVerdicts), std::end(kVerdicts), [&](Deposit it) { return name(it) == text; });
  if (found == std::end(kVerdicts)) fail("{}: '{}' is no verdict on heads", table.name, text);
  return *found;
}

// "0.5 0.01 / 0 0": [layers][heads]
std::vector<std::vector<double>> drops_of(const std::string& text) {
  std::vector<std::vector<double>> drops;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (drops.empty()) drops.emplace_back();
    if (word == "/") {
      drops.emplace_back();
    } else {
      drops.back().push_back(word == "-" ? kNaN : std::strtod(word.c_str(), nullptr));
    }
  }
  return drops;
}

// The samples of an ablation are not in the file: as few as can be judged, all alike, stand for them. Means are right,
// and what needs their spread is no part of any block.
LayerDrops drops_by_sample(const std::vector<double>& heads) {
  constexpr size_t kFewestSamples = 20;
  LayerDrops drops{.alone = {}, .whole = std::vector<double>(kFewestSamples, 0.0), .only = {}};
  for (const double drop : heads) {
    drops.alone.emplace_back(kFewestSamples, std::isfinite(drop) ? drop : 0.0);
    for (double& whole : drops.whole) whole += drops.alone.back().front();
  }
  return drops;
}

std::optional<HeadRecord> heads_of(const CsvTable& table, const CsvRow& row, const std::string& question) {
  const std::string verdict = table.text(row, question + "_verdict");
  if (verdict.empty()) return std::nullopt;
  HeadRecord record;
  record.loss_drops = drops_of(table.text(row, question + "_drops"));
  RunVerdict& run = record.judged.run;
  run.verdict = verdict_of(table, verdict);
  run.layer = static_cast<int64_t>(table.number(row, question + "_layer").value_or(0.0));
  const auto key = static_cast<size_t>(run.layer);
  record.loss_drops.resize(std::max(record.loss_drops.size(), key + 1));
  if (record.loss_drops[key].empty()) record.loss_drops[key].push_back(0.0);
  run.layers.resize(record.loss_drops.size());
  for (size_t l = 0; l < run.layers.size(); ++l) {
    run.layers[l].verdict = l == key ? run.verdict : Deposit::not_used;
    run.layers[l].effect.heads.resize(record.loss_drops[l].size());
  }
  LayerEffect& effect = run.layers[key].effect;
  if (const std::optional<double> share = table.number(row, question + "_max_share")) {
    effect.shares = statistics::concentration(record.loss_drops[key]);
    effect.shares.defined = true;
    effect.max_share.value = *share;
    effect.n2.value = table.number(row, question + "_n2").value_or(kNaN);
    effect.top = static_cast<int64_t>(table.number(row, question + "_head").value_or(0.0));
  }
  record.judged.key_layer = drops_by_sample(record.loss_drops[key]);
  return record;
}

std::optional<SpectrumRecord> spectrum_of(const CsvTable& table, const CsvRow& row) {
  const auto number = [&](const char* column) { return table.number(row, column).value_or(kNaN); };
  SpectrumRecord spectrum{.position_toeplitz = number("position_toeplitz"),
                          .logit_interaction = number("logit_interaction"),
                          .positional_share = number("positional_share"),
                          .content_share = number("content_share"),
                          .stream_interaction = number("stream_interaction"),
                          .inner_interaction = number("inner_interaction")};
  spectrum.start.contraction = number("contraction_start");
  spectrum.end.contraction = number("contraction_end");
  const bool measured = std::isfinite(spectrum.end.contraction) || std::isfinite(spectrum.positional_share);
  return measured ? std::optional(spectrum) : std::nullopt;
}

std::vector<LengthRecord> lengths_of(const CsvTable& table, const CsvRow& row) {
  constexpr std::string_view kColumn = "accuracy_at_";
  std::vector<LengthRecord> lengths;
  for (const std::string& title : table.titles) {
    if (!title.starts_with(kColumn)) continue;
    const std::optional<double> accuracy = table.number(row, title);
    const double factor = std::strtod(title.c_str() + kColumn.size(), nullptr);
    if (accuracy) lengths.push_back({.factor = factor, .accuracy = *accuracy});
  }
  return lengths;
}

// The two evaluations that steps to 90 % rest on.
std::vector<Metrics> curve_of(const CsvTable& table, const CsvRow& row) {
  const std::optional<double> before = table.number(row, "steps_before_90"), reached = table.number(row, "steps_to_90");
  if (!reached) return {};
  std::vector<Metrics> curve;
  if (before && *before > 0.0) curve.push_back({.step = static_cast<int64_t>(*before)});
  curve.push_back({.step = static_cast<int64_t>(*reached)});
  return curve;
}

RunRecord run_of(const CsvTable& table, const CsvRow& row) {
  const auto number = [&](const char* column, double otherwise) {
    return table.number(row, column).value_or(otherwise);
  };
  const auto whole = [&](const char* column) { return static_cast<int64_t>(number(column, 0.0)); };
  RunRecord run;
  run.id = table.text(row, "id");
  run.cell = cell_of(table, row);
  run.seed = std::strtoull(table.text(row, "seed").c_str(), nullptr, 10);
  run.data_seed = std::strtoull(table.text(row, "data_seed").c_str(), nullptr, 10);
  run.test_samples = whole("test_samples");
  run.learning_rate = number("learning_rate", 0.0);
  run.steps = whole("steps");
  run.parameters = whole("parameters");
  run.converged = table.text(row, "converged") == "true";
  run.train_accuracy = number("train_accuracy", kNaN);
  run.test_accuracy = number("test_accuracy", kNaN);
  run.test_loss = number("test_loss", kNaN);
  run.validation_accuracy = table.number(row, "validation_accuracy");
  if (table.number(row, "steps_to_90")) run.steps_to_90 = whole("steps_to_90");
  run.loss_area = number("loss_area", kNaN);
  run.loss_spikes = number("loss_spikes", kNaN);
  run.gradient_variation = number("gradient_variation", kNaN);
  run.floors.constant = number("blind_accuracy", 0.0);
  run.floors.ceiling = number("ceiling", 0.0);
  run.curve = curve_of(table, row);
  run.lengths = lengths_of(table, row);
  run.spectrum = spectrum_of(table, row);
  AblationRecord ablation;
  ablation.position = heads_of(table, row, "position");
  ablation.importance = heads_of(table, row, "importance");
  if (ablation.position || ablation.importance) run.ablation = std::move(ablation);
  return run;
}

}  // namespace

CellName cell_of(const CsvTable& table, const CsvRow& row) {
  return {table.text(row, "task"), table.text(row, "protocol"), table.text(row, "encoding"),
          table.text(row, "variant")};
}

std::vector<const CsvRow*> all_rows(const CsvTable& table) {
  std::vector<const CsvRow*> rows;
  for (const CsvRow& row : table.rows) rows.push_back(&row);
  return rows;
}

StudyResults recorded_runs(const CsvTable& table, const std::vector<const CsvRow*>& rows, std::string name) {
  StudyResults results{.name = std::move(name), .preset = "", .cells = {}, .rates = {}};
  for (const CsvRow* row : rows) {
    const CellName cell = cell_of(table, *row);
    auto found =
        std::find_if(results.cells.begin(), results.cells.end(), [&](const CellRuns& it) { return it.cell == cell; });
    if (found == results.cells.end()) found = results.cells.insert(found, CellRuns{.cell = cell});
    ++found->planned;
    RunRecord run = run_of(table, *row);
    if (std::isfinite(run.test_accuracy)) {
      found->runs.push_back(std::move(run));
    } else {
      found->failures.push_back({.id = run.id, .cell = cell, .seed = run.seed, .what = ""});
    }
  }
  return results;
}

std::vector<paper::JudgedClaim> recorded_claims(const CsvTable& table) {
  std::vector<paper::JudgedClaim> claims;
  for (const CsvRow& row : table.rows) {
    paper::JudgedClaim claim{.id = table.text(row, "id"), .protocol = table.text(row, "protocol")};
    const std::string verdict = table.text(row, "verdict");
    bool known = false;
    for (const auto it : {paper::ClaimVerdict::holds, paper::ClaimVerdict::fails, paper::ClaimVerdict::undetermined}) {
      if (paper::name(it) != verdict) continue;
      claim.verdict = it;
      known = true;
    }
    if (!known) fail("{}: '{}' is no verdict on a claim", table.name, verdict);
    claim.reason = table.text(row, "reason");
    claim.needs = table.text(row, "needs");
    claim.post_hoc = table.text(row, "post_hoc") == "true";
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace phasor::results
