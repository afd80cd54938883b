#include "phasor/study/summary/asked_comparisons.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/study/summary/comparison_text.h"
#include "phasor/study/summary/more_seeds.h"
#include "phasor/study/summary/study_comparisons.h"
#include "study/records.h"

namespace phasor {
namespace asked_comparisons_test {

using namespace testing_support;

CellName named(const char* encoding, const char* task, const char* variant = "", const char* label = "") {
  return {.task = task, .protocol = "clean", .encoding = encoding, .variant = variant, .label = label};
}

StudyResults study() {
  return {
      .name = "s",
      .cells = {cell_runs(named("rope", "distance"), {0.90, 0.91, 0.92}),
                cell_runs(named("alibi", "distance"), {0.70, 0.71, 0.72}),
                cell_runs(named("bias(\"-abs(d)/8\")", "distance", "", "mine"), {0.60, 0.61, 0.62}),
                cell_runs(named("rope", "index"), {0.5, 0.6, 0.7}), cell_runs(named("alibi", "index"), {0.1, 0.1, 0.2}),
                cell_runs(named("rope", "distance", "small"), {0.8, 0.8, 0.8})}};
}

std::vector<Comparison> asked(const std::string& a, const std::string& b, const AskedPlaces& places = {}) {
  const StudyResults results = study();
  return asked_comparisons(results, compare_with_first(results), a, b, places);
}

TEST(AskedComparisons, OfAnyTwoCellsByNameLabelOrExpression) {
  EXPECT_EQ(asked("rope", "alibi").size(), 4u);  // two tasks, accuracy and steps
  EXPECT_EQ(asked("rope", "alibi", {.task = "index"}).size(), 2u);
  for (const char* mine : {"mine", "bias(\"-abs(d)/8\")", "bias(\"-abs(d) / 8\")", "mine on distance, clean"}) {
    const std::vector<Comparison> found = asked("alibi", mine);
    ASSERT_EQ(found.size(), 2u) << mine;
    EXPECT_NEAR(found[0].difference->difference, 0.1, 1e-12);
  }
  const std::vector<Comparison> variants = asked("rope on distance, clean", "rope, small");
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_NEAR(variants[0].difference->difference, 0.11, 1e-12);
}

TEST(AskedComparisons, SayWhatWasNotPlanned) {
  const std::vector<Comparison> planned = compare_with_first(study());
  const Comparison known = asked("alibi", "rope", {.task = "distance"})[0];
  EXPECT_FALSE(known.post_hoc);
  EXPECT_EQ(known.family, planned[0].family);
  EXPECT_EQ(known.holm, planned[0].holm);
  const Comparison chosen = asked("alibi", "mine")[0];
  EXPECT_TRUE(chosen.post_hoc);
  EXPECT_NE(answer(chosen).find("post hoc"), std::string::npos) << answer(chosen);
  EXPECT_NE(comparisons_text({chosen}, TableFormat::terminal).find(", post hoc"), std::string::npos);
  EXPECT_EQ(answer(known).find("post hoc"), std::string::npos);
}

TEST(AskedComparisons, NameTheCellsWhereOneIsUnknown) {
  const auto refusal = [](const std::string& a, const std::string& b, const AskedPlaces& places = {}) -> std::string {
    try {
      asked(a, b, places);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const std::string text = refusal("rope", "nope");
  EXPECT_NE(text.find("no cell 'nope'"), std::string::npos) << text;
  EXPECT_NE(text.find("mine on distance, clean"), std::string::npos) << text;
  EXPECT_NE(refusal("rope", "alibi", {.task = "joint"}), "");
  EXPECT_NE(refusal("rope", "rope"), "");
  EXPECT_NE(refusal("alibi on index, clean", "mine, x"), "");
}

TEST(Comparison, SaysThatItRestsOnAnExtension) {
  StudyResults results = study();
  results.cells[1].added_seeds = {2};
  const Comparison extended = compare(results.cells[0], results.cells[1], {});
  EXPECT_TRUE(extended.extension());
  EXPECT_NE(answer(extended).find("extension: with runs that were added"), std::string::npos);
  EXPECT_NE(comparisons_text({extended}, TableFormat::terminal).find("of interest, extension"), std::string::npos);
  results.cells[1].added_seeds = {7};  // has not finished
  EXPECT_FALSE(compare(results.cells[0], results.cells[1], {}).extension());
}

TEST(MoreSeeds, CostTimeAndSettleWhatIsOpen) {
  const StudyResults results{.cells = {cell_runs(kRope, {0.90, 0.92, 0.94}), cell_runs(kAlibi, {0.87, 0.89, 0.91})}};
  const std::vector<Comparison> planned = compare_with_first(results);
  ASSERT_EQ(planned[0].reading, statistics::DifferenceReading::open);
  const MoreSeeds more = more_seeds(results, planned);
  EXPECT_EQ(more.runs, 2);
  EXPECT_NEAR(more.seconds, 12.5, 1e-12);
  ASSERT_EQ(more.open.size(), 1u);
  // 16 (sigma / difference)^2 is the textbook's number for 80 % by a normal distribution: 7, and Student's asks for
  // more.
  EXPECT_GE(more.open[0].to_tell, 8);
  EXPECT_LE(more.open[0].to_tell, 10);
  const std::string text = more_seeds_text(more, 2, "runs/mine");
  EXPECT_NE(text.find("is 2 runs, about 13 s"), std::string::npos) << text;
  EXPECT_NE(text.find("rope - alibi on distance, clean"), std::string::npos) << text;
  EXPECT_NE(text.find("phasor study runs/mine --seeds"), std::string::npos) << text;
  EXPECT_EQ(more_seeds_text(more_seeds({}, {}), 1, "x"), "");
}

}  // namespace asked_comparisons_test
}  // namespace phasor
