#include "options/grid_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/run/config_text.h"
#include "phasor/study/plan/encoding_labels.h"

namespace phasor::app {

void GridOptions::add_to(CLI::App& command) {
  command
      .add_option("--protocol", protocols,
                  "clean (default), released, released_mla; encodings are compared within each")
      ->type_name("NAME");
  add_whole(command, "--seeds", seeds, {.least = 1, .most = 1000}, "How many seeds each: 0, 1, ... (default: 5)");
  add_text(command, "--tune", tune,
           "Choose the learning rate of every encoding on the validation set: lr=3e-4,1e-3,3e-3")
      ->type_name("lr=RATES");
  command.add_option("--measure", measures, "Beside accuracy: ablation, spectrum, lengths, snapshots, published, all")
      ->type_name("NAME");
  command.add_option("--set", sets, "A setting of all runs, e.g. --set train.steps=1000; may be repeated")
      ->type_name("KEY=VALUE");
}

bool GridOptions::empty() const {
  return encodings.empty() && tasks.empty() && protocols.empty() && measures.empty() && sets.empty() && !seeds &&
         tune.empty();
}

StudyGrid GridOptions::grid() const {
  StudyGrid grid{.preset = preset, .rates = parse_rates(tune), .measures = parse_measures(measures)};
  for (const std::string& encoding : encodings) add_encoding(grid, parse_named_encoding(encoding));
  if (!tasks.empty()) grid.tasks = tasks;
  if (!protocols.empty()) grid.protocols = protocols;
  if (seeds) grid.seeds = StudyGrid::first_seeds(*seeds);
  for (const std::string& assignment : sets) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) fail_usage("--set {}: a setting is written KEY=VALUE", assignment);
    grid.settings.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return grid;
}

StudyPlan grid_plan(const StudyGrid& grid) {
  // Encodings as they are written: what is registered stays the same under other names.
  StudyPlan plan{.name = fmt::format("{} on {}", fmt::join(grid.encodings, ", "), fmt::join(grid.tasks, ", ")),
                 .preset = grid.preset};
  add_cells(plan, grid);
  check(plan);
  refuse_duplicates(plan);
  for (const PlannedCell& cell : plan.cells) {
    if (encoding_label(cell.cell) != cell.cell.encoding) plan.title = title_by_labels(plan);
  }
  return plan;
}

std::vector<double> parse_rates(const std::string& text) {
  if (text.empty()) return {};
  constexpr std::string_view kKey = "lr=";
  if (text.rfind(kKey, 0) != 0) fail_usage("--tune {}: written lr=3e-4,1e-3,3e-3", text);
  std::vector<double> rates;
  std::istringstream list(text.substr(kKey.size()));
  for (std::string rate; std::getline(list, rate, ',');) {
    rates.push_back(read_real("--tune lr", rate, {.least = 0.0, .most = 10.0, .least_included = false}));
  }
  if (rates.size() < 2) fail_usage("--tune {}: at least two rates to choose from", text);
  return rates;
}

}  // namespace phasor::app
