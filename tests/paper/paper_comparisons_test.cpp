#include "phasor/paper/paper_comparisons.h"

#include <gtest/gtest.h>

#include "paper/hand_made.h"

namespace phasor::paper {
namespace paper_comparisons_test {

TEST(PaperComparisons, RopeAgainstSixByTwoNumbersInEveryFamily) {
  HandMade study;
  for (const PaperEncoding& encoding : paper_encodings()) {
    for (const char* protocol : {kClean, kReleased}) {
      study.add(cell_of(encoding, kDistance, protocol), {0.9, 0.91, 0.92, 0.93, 0.94});
    }
  }
  study.add({kIndex, kClean, "nope", ""}, {0.5, 0.5});
  const std::vector<Comparison> all = paper_comparisons(study.results);
  ASSERT_EQ(all.size(), 24u) << "index has no rope here";
  for (const Comparison& comparison : all) {
    EXPECT_EQ(comparison.first.cell.encoding, "rope");
    EXPECT_NE(comparison.second.cell.encoding.find("rope"), 0u);
    EXPECT_EQ(comparison.family, 6);
    EXPECT_EQ(comparison.first.cell.task, comparison.second.cell.task);
  }
  EXPECT_EQ(all[6].first.cell.protocol, kReleased);
  EXPECT_EQ(all[11].second.cell.protocol, kReleasedMla);
  EXPECT_TRUE(paper_comparisons({}).empty());
}

}  // namespace paper_comparisons_test
}  // namespace phasor::paper
