#pragma once
// A study of runs that take a few hundredths of a second.
#include "phasor/study/plan/study_plan.h"
#include "run/tiny_run.h"

namespace phasor::testing_support {

inline PlannedCell tiny_cell(const char* encoding, std::vector<uint64_t> seeds = {0, 1}) {
  const std::string setting = std::string("model.encoding=") + encoding;
  PlannedCell cell{.config = tiny_run({setting.c_str()}), .seeds = std::move(seeds)};
  cell.cell = {"distance", "clean", cell.config.model.encoding, ""};
  return cell;
}

inline StudyPlan tiny_study() {
  return {.name = "tiny", .preset = "quick", .cells = {tiny_cell("rope"), tiny_cell("alibi")}};
}

}  // namespace phasor::testing_support
