#include <fmt/format.h>
#include <fmt/ranges.h>

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
  std::string lines = fmt::format("{}: {} cells\n\n", plan.name, plan.cells.size());
  for (const PlannedCell& cell : plan.cells) {
    lines += fmt::format("{}: {} seeds{}, {} steps, lr {}\n", text(cell.cell), cell.seeds.size(),
                         cell.own_data ? " with data of their own" : "", cell.config.train.steps, rate_text(cell));
  }
  return lines;
}

}  // namespace phasor
