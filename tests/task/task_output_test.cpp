#include "phasor/task/task_output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.h"

namespace phasor {
namespace task_output_test {

TaskFloors floors() {
  return {.chance = 0.1,
          .constant = 0.2,
          .length = 0.4,
          .rule = 0.8,
          .ceiling = 0.9,
          .ambiguous = 0.3,
          .decoys = 0.05,
          .samples = 5000,
          .error = 0.01};
}

TEST(TaskOutput, FloorsAreNamedWhereTheyAreMoreThanWhatStandsBefore) {
  EXPECT_EQ(floors_text(floors()),
            "chance 10.0 %, commonest answer 20.0 %, length alone 40.0 %, simple rule 80.0 %, ceiling 90.0 %");
  // Within three standard deviations they are the same.
  TaskFloors near = floors();
  near.constant = 0.12;
  near.length = 0.14;
  near.rule = 0.88;
  EXPECT_EQ(floors_text(near), "chance 10.0 %, ceiling 90.0 %");
  near.error = 0.005;
  EXPECT_EQ(floors_text(near),
            "chance 10.0 %, commonest answer 12.0 %, length alone 14.0 %, simple rule 88.0 %, "
            "ceiling 90.0 %");
}

TEST(TaskOutput, ACardShowsOptionsShapeAndFloors) {
  const TaskEntry& entry = find_task("distance");
  const TaskValues values = paper_values(entry);
  const std::string card = task_card(entry, values, floors());
  expect_words(card, {"distance: " + entry.summary, "task.vocabulary=574", "quick 64, paper 574", "task.gap=70",
                      "task.fillers=", "574 words, 70 classes", "from 5000 samples (error at most 1.00 %)",
                      "length alone    40.00 %", "decoys           5.00 %"});
  const nlohmann::ordered_json json = task_card_json(entry, values, floors());
  EXPECT_EQ(json.at("settings").at("gap"), 70);
  EXPECT_EQ(json.at("settings").size(), entry.options.size());
  EXPECT_EQ(json.at("floors").at("rule"), 0.8);
  EXPECT_EQ(json.at("floors").at("ambiguous"), 0.3);
  EXPECT_EQ(json.at("options").at(1).at("name"), "gap");
  EXPECT_EQ(json.at("options").at(1).at("quick"), 24);
}

TEST(TaskOutput, TheListHasEveryTask) {
  const nlohmann::ordered_json list = task_list_json();
  const std::string text = task_list();
  ASSERT_EQ(list.size(), task_catalogue().size());
  for (size_t i = 0; i < list.size(); ++i) {
    const TaskEntry& entry = task_catalogue()[i];
    EXPECT_EQ(list[i].at("name"), entry.name);
    expect_words(text, {entry.name + " ", entry.summary});
    for (size_t o = 0; o < entry.options.size(); ++o) {
      const bool chosen = !entry.options[o].choices.empty();
      EXPECT_EQ(list[i].at("options").at(o).contains("choices"), chosen);
      EXPECT_EQ(list[i].at("options").at(o).contains("most"), !chosen);
    }
  }
}

}  // namespace task_output_test
}  // namespace phasor
