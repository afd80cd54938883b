#include "phasor/paper/road_study.h"

#include <gtest/gtest.h>

#include <set>

#include "phasor/paper/paper_study.h"

namespace phasor::paper {
namespace road_study_test {

TEST(RoadStudy, HasEveryStepOnEveryTaskItCanRead) {
  const StudyPlan plan = road_study();
  std::set<std::string> encodings;
  for (const PlannedCell& cell : plan.cells) {
    encodings.insert(cell.cell.encoding);
    EXPECT_EQ(cell.seeds.size(), 5u);
    EXPECT_FALSE(cell.rates.empty()) << "each at its own best rate";
  }
  EXPECT_EQ(encodings, std::set<std::string>(road_encodings().begin(), road_encodings().end()));
  for (const std::string& task : road_tasks()) {
    for (const char* encoding :
         {"integer", "integer(scale=normalised)", "binary", "sinusoidal", "concat(sinusoidal)", "learned", "rope"}) {
      EXPECT_NE(plan.find({task, "clean", encoding, ""}), nullptr) << encoding << " on " << task;
    }
  }
  EXPECT_NE(plan.find({"grid", "clean", "rope(axes=2)", ""}), nullptr);
  EXPECT_NE(plan.find({"grid3", "clean", "rope(axes=3)", ""}), nullptr);
  EXPECT_EQ(plan.find({"distance", "clean", "rope(axes=2)", ""}), nullptr);
  for (const std::string& task : road_tasks()) {
    for (const char* encoding : {"nope", "integer", "integer(scale=normalised)"}) {
      const PlannedCell* cell = plan.find({task, "clean", encoding, kRmsNorm});
      ASSERT_NE(cell, nullptr) << encoding << " on " << task;
      EXPECT_EQ(cell->config.model.norm, NormKind::rms);
      EXPECT_EQ(plan.find({task, "clean", encoding, ""})->config.model.norm, NormKind::layer);
    }
  }
  EXPECT_TRUE(is_road_study(plan));
  EXPECT_FALSE(is_paper_study(plan));
  EXPECT_FALSE(is_road_study(paper_study({.preset = "demo"})));
}

// One model and one budget for all: encodings alone make the difference.
TEST(RoadStudy, OnlyEncodingAndTaskDiffer) {
  const StudyPlan plan = road_study();
  const RunConfig& first = plan.cells.front().config;
  for (const PlannedCell& cell : plan.cells) {
    EXPECT_EQ(cell.config.model.width, first.model.width);
    EXPECT_EQ(cell.config.model.layers, first.model.layers);
    EXPECT_EQ(cell.config.train.steps, first.train.steps);
    EXPECT_EQ(cell.config.train.batch, first.train.batch);
    EXPECT_EQ(cell.config.data.train_samples, first.data.train_samples);
  }
}

TEST(RoadStudy, CanBeMadeSmaller) {
  const StudyPlan plan = road_study({.seeds = 2, .steps = 50, .rates = {1e-3}});
  for (const PlannedCell& cell : plan.cells) {
    EXPECT_EQ(cell.seeds.size(), 2u);
    EXPECT_EQ(cell.config.train.steps, 50);
    EXPECT_EQ(cell.rates, std::vector<double>{1e-3});
  }
}

}  // namespace road_study_test
}  // namespace phasor::paper
