#include "phasor/study/plan/grown_plan.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/study/plan/extension.h"
#include "phasor/study/plan/study_grid.h"
#include "phasor/study/records/registration.h"

namespace phasor {
namespace grown_plan_test {

StudyGrid grid_of(std::vector<std::string> encodings, int64_t seeds) {
  return {.encodings = std::move(encodings),
          .tasks = {"distance", "index"},
          .switches = {{"", {}}, {"small", {{"model.width", "32"}}}},
          .seeds = StudyGrid::first_seeds(seeds),
          .settings = {{"train.steps", "120"}, {"data.train", "400"}},
          .rates = {1e-3, 3e-3},
          .measures = {.spectrum = true}};
}

StudyPlan plan_of(const StudyGrid& grid, const std::string& name) {
  StudyPlan plan{.name = name, .preset = "quick"};
  add_cells(plan, grid);
  return plan;
}

// All that is registered of it.
std::string hash(const StudyPlan& plan) { return plan_hash(plan); }

TEST(GrownPlan, IsThatOfAStudyMadeAtOnce) {
  const StudyPlan begun = plan_of(grid_of({"rope", "alibi"}, 2), "rope, alibi on distance, index");
  const StudyPlan seeds = grown(begun, {.seeds = 4});
  EXPECT_EQ(hash(seeds), hash(plan_of(grid_of({"rope", "alibi"}, 4), begun.name)));
  const StudyPlan both = grown(seeds, {.encodings = {{"", "nope"}}});
  EXPECT_EQ(hash(both), hash(plan_of(grid_of({"rope", "alibi", "nope"}, 4), "rope, alibi, nope on distance, index")));
  // The same call again changes nothing: it resumes.
  EXPECT_EQ(hash(grown(both, {.seeds = 4, .encodings = {{"", "nope"}}})), hash(both));
}

TEST(GrownPlan, HasATaskByItsOwnSizes) {
  StudyGrid grid = grid_of({"rope", "alibi"}, 2);
  grid.tasks = {"distance"};
  const StudyPlan begun = plan_of(grid, "mine");
  grid.tasks = {"distance", "counting"};
  EXPECT_EQ(hash(grown(begun, {.tasks = {"counting"}})), hash(plan_of(grid, "mine")));
  const StudyPlan shorter = grown(begun, {.tasks = {"index"}, .settings = {{"task.length", "12"}}});
  const PlannedCell* cell = shorter.find({"index", "clean", "rope", "small"});
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->config.model.width, 32);
  EXPECT_EQ(cell->config.train.steps, 120);
  EXPECT_EQ(cell->rates.size(), 2u);
}

TEST(GrownPlan, HasNamedEncodingsAndTheSmallestSeedsThatAreFree) {
  StudyGrid grid = grid_of({"rope"}, 2);
  grid.seeds = {1, 3};
  const StudyPlan plan = grown(plan_of(grid, "mine"), {.seeds = 4, .encodings = {{"mine", "bias(\"-abs(d)/8\")"}}});
  EXPECT_EQ(plan.cells[0].seeds, (std::vector<uint64_t>{1, 3, 0, 2}));
  EXPECT_EQ(plan.cells[2].cell.label, "mine");
  EXPECT_EQ(encoding_label(plan.cells[2].cell), "mine");
  EXPECT_EQ(plan.name, "mine");
}

TEST(GrownPlan, DoesNotShrink) {
  const StudyPlan begun = plan_of(grid_of({"rope", "alibi"}, 5), "mine");
  EXPECT_THROW(grown(begun, {.seeds = 4}), UsageError);
  EXPECT_THROW(grown(begun, {.encodings = {{"", "ropee"}}}), UsageError);
  EXPECT_THROW(grown(begun, {.tasks = {"distanze"}}), UsageError);
}

TEST(GrownPlan, TakesSeedsAndNamesOfThePlanThatItGrewFrom) {
  const std::string name = "rope, alibi on distance, index";
  const StudyPlan there = grown(plan_of(grid_of({"rope", "alibi"}, 2), name), {.encodings = {{"mine", "nope"}}});
  StudyGrid grid = grid_of({"rope", "alibi"}, 4);
  grid.names = {{"first", "rope"}};
  const StudyPlan later = with_asked(there, plan_of(grid, name));
  EXPECT_EQ(hash(later), hash(grown(there, {.seeds = 4})));
  EXPECT_EQ(shown_name(later), "first, alibi, mine on distance, index");
  EXPECT_EQ(hash(with_asked(later, plan_of(grid_of({"rope"}, 3), "rope on distance"))), hash(later)) << "less is asked";
  grid.names = {{"mine", "rope"}};
  EXPECT_THROW(with_asked(there, plan_of(grid, name)), UsageError) << "the name of another encoding";
}

TEST(Extension, HasCellsWithTheSameSettings) {
  const StudyPlan plan = plan_of(grid_of({"rope", "alibi"}, 2), "mine");
  EXPECT_TRUE(has_cells_of(plan, plan_of(grid_of({"rope"}, 5), "other")));
  EXPECT_FALSE(has_cells_of(plan, plan_of(grid_of({"rope", "nope"}, 2), "mine")));
  StudyPlan changed = plan;
  changed.cells[0].config.train.steps = 7;
  EXPECT_FALSE(has_cells_of(plan, changed));
}

TEST(Extension, IsWhatALaterPlanHasBeyond) {
  const StudyPlan begun = plan_of(grid_of({"rope"}, 2), "mine");
  const StudyPlan later = grown(begun, {.seeds = 5, .encodings = {{"", "nope"}}});
  EXPECT_TRUE(added_cells(begun, begun).empty());
  EXPECT_TRUE(added_cells(later, begun).empty());
  EXPECT_TRUE(is_part_of(begun, later));
  EXPECT_FALSE(is_part_of(later, begun));
  EXPECT_FALSE(is_part_of(begun, begun));
  const std::vector<ExtendedCell> added = added_cells(begun, later);
  ASSERT_EQ(added.size(), 8u);  // two encodings, tasks and switches
  EXPECT_EQ(added[0].seeds, (std::vector<uint64_t>{2, 3, 4}));
  EXPECT_EQ(extension_words(begun, added), "seeds 2 to 4 and the encoding nope");
  EXPECT_EQ(extension_words(begun, added_cells(begun, grown(begun, {.seeds = 3}))), "seed 2");
  EXPECT_EQ(extension_words(begun, added_cells(begun, grown(begun, {.tasks = {"counting"}}))), "the task counting");
  StudyPlan changed = later;
  changed.cells[0].config.train.steps = 7;
  EXPECT_TRUE(added_cells(begun, changed).empty()) << "another setting is another plan";
}

TEST(Extension, KeepsAStudyRegistered) {
  const StudyPlan begun = plan_of(grid_of({"rope"}, 2), "mine");
  const StudyPlan seeds = grown(begun, {.seeds = 3}), both = grown(seeds, {.encodings = {{"", "nope"}}});
  const Registration then = registration_of(begun, ""), now = registration_of(both, "");
  const StudyExtension first = extension_of(begun, seeds).value(), second = extension_of(seeds, both).value();
  EXPECT_TRUE(post_hoc_reasons(then, now, {first, second}).empty());
  EXPECT_EQ(post_hoc_reasons(then, now, {second}).size(), 1u) << "a step is missing";
  EXPECT_EQ(post_hoc_reasons(then, now, {first}).size(), 1u);
  EXPECT_EQ(post_hoc_reasons(then, now).size(), 1u);
  const std::string text = registration_text(then, now, {first, second});
  EXPECT_EQ(text.rfind("Registered on " + then.date, 0), 0u) << text;
  EXPECT_NE(text.find("Extended on " + first.date + " by seed 2 (commit"), std::string::npos) << text;
  EXPECT_NE(text.find("by the encoding nope"), std::string::npos) << text;
  EXPECT_FALSE(extension_of(seeds, begun));
}

}  // namespace grown_plan_test
}  // namespace phasor
