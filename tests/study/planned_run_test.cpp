#include "phasor/study/plan/planned_run.h"

#include <gtest/gtest.h>

namespace phasor {
namespace planned_run_test {

TEST(CellName, IsSaidAsAPersonWould) {
  CellName cell{.task = "distance", .protocol = "clean", .encoding = "rope", .variant = ""};
  EXPECT_EQ(text(cell), "rope on distance, clean");
  cell.variant = "keys_values";
  EXPECT_EQ(text(cell), "rope on distance, clean, keys_values");
}

TEST(RunMeasures, UnitedAreWhatEitherAsksFor) {
  const RunMeasures a{.ablation = true, .spectrum = true, .lengths = {4.0, 1.5}, .ablation_samples = 512};
  const RunMeasures b{.snapshots = true, .published = true, .lengths = {2.0, 1.5}, .ablation_samples = 2048};
  const RunMeasures both{.ablation = true,
                         .snapshots = true,
                         .published = true,
                         .spectrum = true,
                         .lengths = {1.5, 2.0, 4.0},
                         .ablation_samples = 2048};
  EXPECT_EQ(united(a, b), both);
  EXPECT_EQ(united(b, a), both);
  EXPECT_EQ(united(RunMeasures{}, RunMeasures{}), RunMeasures{});
  for (bool RunMeasures::*flag :
       {&RunMeasures::ablation, &RunMeasures::snapshots, &RunMeasures::published, &RunMeasures::spectrum}) {
    RunMeasures one;
    one.*flag = true;
    EXPECT_EQ(united(one, {}), one);
    EXPECT_EQ(united({}, one), one);
  }
}

}  // namespace planned_run_test
}  // namespace phasor
