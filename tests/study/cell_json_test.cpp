#include "phasor/study/summary/cell_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "phasor/base/json_fields.h"
#include "study/records.h"

namespace phasor {
namespace cell_json_test {

using Json = nlohmann::ordered_json;
using namespace testing_support;

TEST(SortedDrops, AreMeansByRankNotByHead) {
  const std::vector<SeedHeads> seeds = {{.converged = true, .loss_drops = {{0.25, 1.0}, {0.0, 0.5}}},
                                        {.converged = false, .loss_drops = {{0.5, 0.25}, {0.25, 0.0}}}};
  EXPECT_EQ(sorted_drops(seeds), (std::vector<std::vector<double>>{{0.75, 0.25}, {0.375, 0.0}}));
  EXPECT_TRUE(sorted_drops({}).empty());
}

TEST(CellJson, SaysWhereContractionLies) {
  const auto words = [](const std::vector<double>& contractions) {
    SpectrumSummary spectrum;
    spectrum.contraction_start = seed_interval(contractions);
    return write_json(spectrum)["contraction_start_interval"];
  };
  EXPECT_EQ(words({0.8, 0.81, 0.82}), "95 % interval below 1");
  EXPECT_EQ(words({1.2, 1.21, 1.22}), "95 % interval above 1");
  EXPECT_EQ(words({0.9, 1.1, 1.0}), "95 % interval includes 1");
  EXPECT_EQ(words({0.8}), "no interval");
}

TEST(CellJson, TheBaselineOfThePublishedAblationIsAMeanOverRuns) {
  CellRuns cell = cell_runs(kRope, {0.9, 0.5, 0.7});
  for (size_t i = 0; i < 2; ++i) cell.runs[i].published = PublishedAblation{.baseline = cell.runs[i].test_accuracy};
  cell.runs[1].converged = false;
  EXPECT_DOUBLE_EQ(to_json(summarize(cell))["published_baseline"].get<double>(), 0.7);
  EXPECT_TRUE(to_json(summarize(cell_runs(kAlibi, {0.9})))["published_baseline"].is_null());
}

}  // namespace cell_json_test
}  // namespace phasor
