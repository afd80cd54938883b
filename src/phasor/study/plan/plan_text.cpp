#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/study/plan/encoding_labels.h"
#include "phasor/study/plan/own_settings.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {
namespace {

std::string rate_text(const PlannedCell& cell) {
  if (!cell.rates.empty()) return fmt::format("best of {}", fmt::join(cell.rates, ", "));
  if (cell.rate_of) return fmt::format("that of {}", text(*cell.rate_of));
  return fmt::format("{}", cell.config.train.learning_rate);
}

}  // namespace

std::string plan_text(const StudyPlan& plan) {
  std::string lines =
      fmt::format("{}: {} cell{}\n\n", shown_name(plan), plan.cells.size(), plan.cells.size() == 1 ? "" : "s");
  for (const PlannedCell& cell : plan.cells) {
    lines += fmt::format("{}: {} seeds{}, {} steps, lr {}\n", text(cell.cell), cell.seeds.size(),
                         cell.own_data ? " with data of their own" : "", cell.config.train.steps, rate_text(cell));
  }
  std::vector<CellName> names;
  for (const PlannedCell& cell : plan.cells) names.push_back(cell.cell);
  if (const std::string labels = labels_text(labels_of(names)); !labels.empty()) lines += "\n" + labels;
  return lines;
}

std::string sizes_text(const StudyPlan& plan) {
  std::vector<std::pair<std::string, ConfigBundle>> places;
  for (const PlannedCell& cell : plan.cells) {
    if (!cell.cell.variant.empty()) continue;
    const std::string place = fmt::format("{}, {}", cell.cell.task, cell.cell.protocol);
    ConfigBundle own = own_settings(cell.config);
    const auto found = std::find_if(places.begin(), places.end(), [&](const auto& it) { return it.first == place; });
    if (found == places.end()) {
      places.emplace_back(place, std::move(own));
    } else {
      std::erase_if(found->second, [&](const auto& it) { return std::find(own.begin(), own.end(), it) == own.end(); });
    }
  }
  std::string lines = fmt::format(
      "A single run of preset {} has other sizes. Here runs have, but for variants, beside the preset:\n", plan.preset);
  for (const auto& [place, settings] : places) {
    if (settings.empty()) continue;
    lines += fmt::format("  {}:", place);
    for (const auto& [key, value] : settings) lines += fmt::format(" {}={}", key, value);
    lines += "\n";
  }
  return lines;
}

}  // namespace phasor
