#pragma once
// The road from integer positions to rotations by several coordinates (encoding/measure/road.h), trained: every step of
// it on the same tasks, so that what a step lacks has a price in accuracy and in speed.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/study/plan/study_plan.h"

namespace phasor::paper {

struct RoadStudyOptions {
  int64_t seeds = 5;
  int64_t steps = 0;          // 0: as planned; else of every run, for trials
  std::vector<double> rates;  // to choose learning rates from; empty: as planned
};

// The variant with `model.norm=rms`. It has nope and the steps that add the same number to every channel: a layer norm
// subtracts the mean over the channels, and so the whole of these steps.
inline constexpr const char* kRmsNorm = "rms norm";

// Canonical expressions in the order of the road; those of several coordinates last.
const std::vector<std::string>& road_encodings();
// "distance", "index", "grid", "grid3"
const std::vector<std::string>& road_tasks();

// Encodings of coordinates are trained on grids with as many axes alone, all others on every task.
StudyPlan road_study(const RoadStudyOptions& options = {});

// Made by road_study().
bool is_road_study(const StudyPlan& plan);

}  // namespace phasor::paper
