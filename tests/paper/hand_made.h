#pragma once
// Studies made by hand, so that tests know what should come out.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/ablation/layer_effect.h"
#include "phasor/paper/claim.h"
#include "phasor/paper/judge_claims.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/study/records/study_results.h"

namespace phasor::paper {

using Numbers = std::vector<double>;

// Twenty drops about each mean, of all heads of one layer alike.
inline LayerDrops drops_of(const Numbers& means) {
  constexpr size_t kSamples = 20;
  double sum = 0.0;
  for (const double mean : means) sum += mean;
  const auto column = [](double mean) {
    Numbers values(kSamples);
    for (size_t i = 0; i < kSamples; ++i) values[i] = mean * (1.0 + 0.1 * (static_cast<double>(i % 5) - 2.0));
    return values;
  };
  LayerDrops drops{.whole = column(sum)};
  for (const double mean : means) {
    drops.alone.push_back(column(mean));
    drops.only.push_back(column(sum - mean));
  }
  return drops;
}

// A model of three layers whose layer `layer` matters most, judged as told.
inline HeadRecord head_record(Deposit verdict, const Numbers& means = {0.7, 0.1, 0.1, 0.1}, size_t layer = 0) {
  constexpr size_t kLayers = 3;
  HeadRecord record{.judged = {.key_layer = drops_of(means)}};
  RunVerdict& run = record.judged.run;
  run.verdict = verdict;
  run.layer = static_cast<int64_t>(layer);
  run.layers.resize(kLayers);
  for (LayerVerdict& other : run.layers) {
    other.verdict = Deposit::not_used;
    other.effect.heads.resize(means.size());
  }
  run.layers[layer].verdict = verdict;
  run.layers[layer].effect = measure_effect(record.judged.key_layer, {.resamples = 40, .flips = 19});
  record.loss_drops.assign(kLayers, Numbers(means.size(), 0.0));
  record.loss_drops[layer] = means;
  record.accuracies.assign(kLayers, Numbers(means.size(), 0.9));
  return record;
}

inline AblationRecord ablation_record(Deposit position, const Numbers& means = {0.7, 0.1, 0.1, 0.1}) {
  return {.samples = 20,
          .accuracy = 0.9,
          .position = head_record(position, means),
          .importance = head_record(Deposit::spread, {0.3, 0.3, 0.2, 0.2})};
}

class HandMade {
 public:
  HandMade() {
    results.name = "hand-made";
    results.preset = "quick";
    results.cells.reserve(200);  // references stay
  }

  // Finished runs with these test accuracies, none of which was still improving. Test sets are large, so that the
  // spread of the runs decides.
  CellRuns& add(const CellName& name, const Numbers& accuracies) {
    CellRuns cell{.cell = name, .planned = std::ssize(accuracies)};
    for (const double accuracy : accuracies) {
      RunRecord run{
          .cell = name, .seed = cell.runs.size(), .test_samples = 100000, .steps = 1000, .layers = 3, .heads = 4};
      run.id = name.encoding + "-" + std::to_string(run.seed);
      run.test_accuracy = run.train_accuracy = accuracy;
      run.converged = true;
      cell.runs.push_back(std::move(run));
    }
    results.cells.push_back(std::move(cell));
    return results.cells.back();
  }
  CellRuns& add(const std::string& encoding, const std::string& task, const std::string& protocol,
                const Numbers& accuracies) {
    return add(cell_of(paper_encoding(encoding), task, protocol), accuracies);
  }

  CellRuns& cell(const std::string& encoding, const std::string& task, const std::string& protocol) {
    const CellName name = cell_of(paper_encoding(encoding), task, protocol);
    for (CellRuns& found : results.cells) {
      if (found.cell == name) return found;
    }
    return add(name, {});
  }

  void remove(const std::string& encoding, const std::string& task, const std::string& protocol) {
    const CellName name = cell_of(paper_encoding(encoding), task, protocol);
    std::erase_if(results.cells, [&](const CellRuns& found) { return found.cell == name; });
  }

  StudyResults results;
};

// Gives every run of a cell one of the values.
template <class Set>
void each(CellRuns& cell, const Numbers& values, const Set& set) {
  for (size_t i = 0; i < cell.runs.size(); ++i) set(cell.runs[i], values.at(i));
}

inline void verdicts(CellRuns& cell, const std::vector<Deposit>& found) {
  for (size_t i = 0; i < cell.runs.size(); ++i) cell.runs[i].ablation = ablation_record(found.at(i));
}

inline SpectrumRecord& spectrum_of(RunRecord& run) {
  if (!run.spectrum) run.spectrum.emplace();
  return *run.spectrum;
}

// Two rows of every content, a number for each seed. Where content decides, the best margins are as given, and what no
// parameters exceed is 0.01 more; a relative bias has the other way round.
inline SeparationTable separation_of(const Numbers& rope, const Numbers& relative) {
  const auto spread = [](Numbers seeds, double more = 0.0) {
    for (double& seed : seeds) seed += more;
    SeedSpread result{.least = seeds[0], .most = seeds[0], .seeds = seeds};
    for (const double seed : seeds) {
      result.mean += seed / static_cast<double>(seeds.size());
      result.least = std::min(result.least, seed);
      result.most = std::max(result.most, seed);
    }
    return result;
  };
  SeparationTable table{.budget = 4.0};
  table.options.seeds = std::ssize(rope);
  table.options.wanted = {1, 4, 10, 21};
  for (const SeparationContent content :
       {SeparationContent::fixed, SeparationContent::varied, SeparationContent::decides}) {
    const auto add = [&](SeparationEncoding encoding, const Numbers& margins) {
      table.rows.push_back({.encoding = encoding,
                            .content = content,
                            .margin = spread(margins),
                            .bound = spread(margins, 0.01),
                            .positive = spread(Numbers(margins.size(), 0.001))});
    };
    // One wanted distance is the game that biases win.
    const bool decides = content == SeparationContent::decides;
    add(SeparationEncoding::rope, decides ? rope : Numbers(rope.size(), 1.0));
    add(SeparationEncoding::relative, decides ? relative : Numbers(rope.size(), 4.0));
  }
  return table;
}

inline JudgedClaim judge(const StudyResults& results, const std::string& id, const std::string& protocol = kClean,
                         const SeparationTable& separation = separation_of(Numbers(5, 0.3), Numbers(5, 0.0))) {
  for (const JudgedClaim& judged : judge_claims(results, separation)) {
    if (judged.id == id && judged.protocol == protocol) return judged;
  }
  return {.id = "none"};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The evidence with this name; one without a name where there is none.
inline Evidence evidence_of(const JudgedClaim& judged, const std::string& what) {
  for (const Evidence& evidence : judged.evidence) {
    if (evidence.what == what) return evidence;
  }
  return {};
}

inline void keep(CellRuns& cell, size_t runs) {
  cell.runs.resize(runs);
  cell.planned = static_cast<int64_t>(runs);
}

// Five values about a mean that differ between calls, so that nothing is a tie.
inline Numbers about(double mean, double spread = 0.001) {
  return {mean - 2.0 * spread, mean - spread, mean, mean + 0.9 * spread, mean + 2.1 * spread};
}

inline constexpr auto kHolds = ClaimVerdict::holds;
inline constexpr auto kFails = ClaimVerdict::fails;
inline constexpr auto kUndetermined = ClaimVerdict::undetermined;

}  // namespace phasor::paper
