#include "phasor/study/plan/study_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/base/suggest.h"
#include "phasor/encoding/encoding.h"
#include "phasor/model/transformer.h"
#include "phasor/run/config_builder.h"
#include "phasor/study/plan/encoding_labels.h"

namespace phasor {
namespace {

constexpr const char* kDataSeed = "data.seed";
constexpr const char* kOwnData = "run";

const std::vector<double>& usual_lengths() {
  static const std::vector<double> factors = {1.0, 1.5, 2.0, 4.0};
  return factors;
}

std::string joined(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + ", " + b;
}

PlannedCell cell_of(const StudyGrid& grid, const std::string& task, const std::string& protocol,
                    const std::string& encoding, const GridSwitch& change) {
  ConfigBuilder builder;
  builder.add_option("preset", "preset", grid.preset);
  builder.add_option("tasks", "task", task);
  builder.add_option("protocols", "protocol", protocol);
  builder.add_option("encodings", "model.encoding", encoding);
  bool own_data = true;
  for (const ConfigBundle* bundle : {&grid.settings, &change.settings}) {
    for (const auto& [key, value] : *bundle) {
      if (key == kDataSeed) own_data = value == kOwnData;
      if (key != kDataSeed || !own_data) builder.add_set(fmt::format("{}={}", key, value));
    }
  }
  PlannedCell cell{.config = builder.build(),
                   .own_data = own_data,
                   .seeds = grid.seeds,
                   .measures = grid.measures,
                   .rates = grid.rates};
  resolve_encoding(cell.config.model);  // refuses what does not fit the model
  cell.cell = {cell.config.task, cell.config.protocol, cell.config.model.encoding, joined(grid.variant, change.name)};
  if (cell.measures.snapshots && cell.config.train.snapshots.empty()) {
    fail_usage("{}: snapshots are to be measured, and train.snapshots names none", text(cell.cell));
  }
  return cell;
}

}  // namespace

std::vector<uint64_t> StudyGrid::first_seeds(int64_t count) {
  std::vector<uint64_t> seeds(static_cast<size_t>(count));
  std::iota(seeds.begin(), seeds.end(), uint64_t{0});
  return seeds;
}

void add_encoding(StudyGrid& grid, const NamedEncoding& encoding) {
  grid.encodings.push_back(encoding.expression);
  if (!encoding.name.empty()) grid.names.push_back(encoding);
}

void add_cells(StudyPlan& plan, const StudyGrid& grid) {
  if (grid.encodings.empty()) fail_usage("a study needs encodings");
  const std::vector<GridSwitch> switches = grid.switches.empty() ? std::vector<GridSwitch>{{}} : grid.switches;
  for (const std::string& task : grid.tasks) {
    for (const std::string& protocol : grid.protocols) {
      for (const std::string& encoding : grid.encodings) {
        for (const GridSwitch& change : switches) {
          plan.cells.push_back(cell_of(grid, task, protocol, encoding, change));
        }
      }
    }
  }
  for (const NamedEncoding& named : grid.names) {
    add_name(plan.names, {named.name, print(parse_encoding(named.expression))});
  }
  label_cells(plan);
}

RunMeasures parse_measures(const std::vector<std::string>& names) {
  RunMeasures measures;
  for (const std::string& name : names) {
    const bool all = name == "all";
    if (all || name == "ablation") measures.ablation = true;
    if (name == "snapshots") measures.snapshots = true;
    if (name == "published") measures.published = true;
    if (all || name == "spectrum") measures.spectrum = true;
    if (all || name == "lengths") measures.lengths = usual_lengths();
    const std::vector<std::string> known = {"ablation", "snapshots", "published", "spectrum", "lengths", "all", "none"};
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail_usage("'{}' cannot be measured{}", name, suggestion(name, known));
    }
  }
  return measures;
}

}  // namespace phasor
