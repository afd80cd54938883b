// What the road's table and sentences say of planted runs.
#include "phasor/paper/trained_road.h"

#include <gtest/gtest.h>

#include "paper/hand_made.h"
#include "phasor/paper/road_study.h"
#include "phasor/paper/trained_road_output.h"

namespace phasor::paper {
namespace trained_road_test {

CellRuns& add(HandMade& study, const std::string& encoding, const std::string& task, const Numbers& accuracies,
              const Numbers& areas, const std::string& variant = "") {
  CellRuns& cell = study.add({task, kClean, encoding, variant}, accuracies);
  each(cell, areas, [](RunRecord& run, double area) { run.loss_area = area; });
  return cell;
}

const RoadFinding& finding(const TrainedRoad& road, const std::string& without, const std::string& with) {
  for (const RoadFinding& it : road.findings) {
    if (it.contrast.without == without && it.contrast.with == with) return it;
  }
  static const RoadFinding none;
  ADD_FAILURE() << without << " against " << with;
  return none;
}

TEST(TrainedRoad, SaysWhatALackCosts) {
  HandMade study;
  add(study, "integer", "distance", about(0.40), about(0.80), kRmsNorm);
  add(study, "integer(scale=normalised)", "distance", about(0.90), about(0.30), kRmsNorm);
  add(study, "integer", "index", about(0.70), about(0.50), kRmsNorm);
  add(study, "integer(scale=normalised)", "index", about(0.50), about(0.50), kRmsNorm);
  const TrainedRoad road = trained_road(study.results);
  const std::string& said = finding(road, "integer", "integer(scale=normalised)").sentence;
  EXPECT_TRUE(contains(said, "costs 50.0 points (")) << said;
  EXPECT_TRUE(contains(said, ") on distance; gains 20.0 points (")) << said;
  EXPECT_TRUE(contains(said, "is slower to learn on distance (by 0.50, ")) << said;
  EXPECT_FALSE(contains(said, "faster")) << said;
  EXPECT_TRUE(contains(said, "(integer against integer(scale=normalised), both with rms norm)")) << said;
  EXPECT_EQ(trained_road_reading(road).size(), 1u) << "the other steps were not trained";
}

// A layer norm takes away what these steps add, so runs with one say nothing of it.
TEST(TrainedRoad, SwampingIsReadFromRunsWithRmsNorm) {
  HandMade study;
  add(study, "integer", "distance", about(0.40), about(0.80));
  add(study, "integer(scale=normalised)", "distance", about(0.90), about(0.30));
  EXPECT_EQ(finding(trained_road(study.results), "integer", "integer(scale=normalised)").sentence, "");
}

TEST(TrainedRoad, SaysNothingWhereIntervalsDoNot) {
  HandMade study;
  add(study, "binary", "grid", {0.2, 0.5, 0.9, 0.4, 0.6}, about(0.5));
  add(study, "sinusoidal", "grid", {0.3, 0.6, 0.8, 0.5, 0.7}, about(0.5));
  const TrainedRoad road = trained_road(study.results);
  EXPECT_EQ(finding(road, "binary", "sinusoidal").sentence, "");
  EXPECT_EQ(trained_road_reading(road), std::vector<std::string>{"No interval tells two steps of the road apart."});
}

// Two runs a side decide nothing, however far apart they lie.
TEST(TrainedRoad, TwoRunsAreTooFew) {
  HandMade study;
  add(study, "rope", "grid3", {0.1, 0.11}, {0.9, 0.91});
  add(study, "rope(axes=3)", "grid3", {0.99, 1.0}, {0.1, 0.11});
  EXPECT_EQ(finding(trained_road(study.results), "rope", "rope(axes=3)").sentence, "");
}

TEST(TrainedRoad, TheTableHasDesiderataOnceAndARowForEveryTask) {
  HandMade study;
  add(study, "integer", "distance", about(0.40), about(0.80));
  add(study, "integer", "grid", about(0.50), about(0.70));
  add(study, "integer", "grid", about(0.60), about(0.60), kRmsNorm);
  add(study, "rope(axes=2)", "grid", about(0.99), about(0.10));
  const TrainedRoad road = trained_road(study.results);
  const TextTable table = trained_road_table(road);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0][0], "integer");
  EXPECT_EQ(table.rows[0][1], "64") << "the mean position of 128, over the norm of content";
  EXPECT_EQ(table.rows[1][0], "");
  EXPECT_EQ(table.rows[1][1], "");
  EXPECT_EQ(table.rows[1][4], "grid");
  EXPECT_TRUE(table.rows[1][5].starts_with(" 50.0 (")) << table.rows[1][5];
  EXPECT_EQ(table.rows[2][0], "integer, rms norm");
  EXPECT_EQ(table.rows[3][0], "rope(axes=2)");
  EXPECT_EQ(table.rows[3][6], "never") << "no run of these reached 90 %, by their curves";
  EXPECT_FALSE(trained_road_key().empty());
}

TEST(TrainedRoad, EveryContrastIsOfStepsOfTheRoad) {
  const std::vector<std::string>& known = road_encodings();
  for (const RoadContrast& contrast : road_contrasts()) {
    for (const std::string& encoding : {contrast.without, contrast.with}) {
      EXPECT_NE(std::find(known.begin(), known.end(), encoding), known.end()) << encoding;
    }
  }
}

}  // namespace trained_road_test
}  // namespace phasor::paper
