#include "phasor/run/evaluation_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace evaluation_report_test {

using namespace testing_support;
using Json = nlohmann::ordered_json;

Session untrained(std::initializer_list<const char*> changes) {
  return {test_backend(), tiny_run(changes), {.training = false}};
}

TaskFloors floors() {
  return {.chance = 0.25, .constant = 0.25, .length = 0.5, .rule = 1.0, .ceiling = 1.0, .samples = 1000, .error = 0.01};
}

TEST(EvaluationReport, ScoresAllSamplesOfTheSetsThatThereAre) {
  Session session = untrained({});
  const SetEvaluation found = evaluate_sets(session);
  EXPECT_EQ(found.task, "distance");
  EXPECT_EQ(found.encoding, "rope");
  EXPECT_FALSE(found.whole_answers);
  ASSERT_EQ(found.sets.size(), 3u);
  EXPECT_EQ(found.sets[0].name, "train");
  EXPECT_EQ(found.sets[0].scores.scored, 64);
  EXPECT_EQ(found.sets[1].name, "test");
  EXPECT_EQ(found.sets[1].scores.scored, 32);
  EXPECT_EQ(found.sets[2].name, "validation");
  EXPECT_EQ(found.sets[2].scores.scored, 16);
  EXPECT_EQ(found.sets[1].scores.loss, evaluate(session.model(), session.data().test, 32, 8).loss);
  EXPECT_EQ(found.floors.chance, 0.25) << "gaps to 4";
  Session fewer = untrained({"data.validation=0"});
  EXPECT_EQ(evaluate_sets(fewer).sets.size(), 2u);
}

TEST(EvaluationReport, AnswersForTheFactorsInTheirOrder) {
  Session session = untrained({"model.encoding=alibi"});
  const LengthsEvaluation found = evaluate_lengths(session, {2.0, 1.0}, 12);
  ASSERT_EQ(found.lengths.size(), 2u);
  EXPECT_EQ(found.trained_length, session.config().model.max_length);
  EXPECT_EQ(found.lengths[0].factor, 2.0);
  EXPECT_EQ(found.lengths[0].longest, 2 * found.trained_length);
  EXPECT_EQ(found.lengths[0].scores.scored, 12);
  EXPECT_EQ(found.lengths[1].longest, found.trained_length);
  Session learned = untrained({"model.encoding=learned"});
  EXPECT_THROW(evaluate_lengths(learned, {1.0, 2.0}, 12), UsageError);
}

TEST(EvaluationReport, WeightsThatAreNoNumbersAreAnError) {
  Session session = untrained({});
  std::vector<float> parameters = session.model().layout().initial_values(0);
  for (float& value : parameters) value = std::nanf("");
  session.model().load_parameters(parameters);
  expect_words(message_of<Error>([&] { evaluate_sets(session); }), {"not finite", "train the run again"});
  expect_words(message_of<Error>([&] { evaluate_lengths(session, {1.0}, 8); }), {"not finite"});
}

TEST(EvaluationReport, OfSetsForPeopleAndPrograms) {
  SetEvaluation found{.task = "copy", .encoding = "t5", .whole_answers = true, .floors = floors()};
  found.sets = {{"test", {.loss = 0.5, .accuracy = 0.75, .scored = 40, .whole = 0.125, .answers = 8}}};
  EXPECT_EQ(to_text(found),
            "t5 on copy (chance 25.0 %, length alone 50.0 %, ceiling 100.0 %)\n"
            "  test        accuracy 0.7500  loss 0.500000  (40 targets)  whole answers 0.1250 of 8\n");
  Json json = to_json(found);
  EXPECT_EQ(json.at("test_accuracy"), 0.75);
  EXPECT_EQ(json.at("test_loss"), 0.5);
  EXPECT_EQ(json.at("test_samples"), 40);
  EXPECT_EQ(json.at("test_whole"), 0.125);
  EXPECT_EQ(json.at("floors").at("length"), 0.5);
  found.whole_answers = false;
  EXPECT_EQ(to_text(found).find("whole"), std::string::npos);
  EXPECT_FALSE(to_json(found).contains("test_whole"));
}

TEST(EvaluationReport, OfLengthsForPeopleAndPrograms) {
  LengthsEvaluation found{.task = "distance", .encoding = "rope", .trained_length = 12};
  found.lengths = {
      {.factor = 1.5, .longest = 18, .scores = {.loss = 0.25, .accuracy = 0.5, .scored = 30}, .floors = floors()}};
  EXPECT_EQ(to_text(found),
            "rope on distance, trained on up to 12 tokens\n"
            "  1.5x, 18    accuracy 0.5000  loss 0.250000  (30 targets)\n"
            "              chance 25.0 %, length alone 50.0 %, ceiling 100.0 %\n");
  const Json row = to_json(found).at("lengths").at(0);
  EXPECT_EQ(row.at("factor"), 1.5);
  EXPECT_EQ(row.at("longest"), 18);
  EXPECT_EQ(row.at("test_accuracy"), 0.5);
  EXPECT_EQ(row.at("test_samples"), 30);
  EXPECT_FALSE(row.contains("test_whole"));
  found.whole_answers = true;
  found.lengths[0].scores.whole = 0.125;
  found.lengths[0].scores.answers = 6;
  EXPECT_NE(to_text(found).find("(30 targets)  whole answers 0.1250 of 6\n"), std::string::npos) << to_text(found);
  EXPECT_EQ(to_json(found).at("lengths").at(0).at("test_whole"), 0.125);
}

}  // namespace evaluation_report_test
}  // namespace phasor
