#include "results/query.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/statistics/mean_difference.h"

namespace phasor::results {
namespace query_test {

// Two encodings with three runs each, and one with a run that failed and one without an ablation.
CsvTable runs() {
  return parse_csv(
      "id,task,protocol,encoding,variant,seed,data_seed,steps,converged,test_accuracy,test_samples,steps_to_90,"
      "position_verdict,position_layer,content_share\n"
      "a,distance,clean,rope,,0,0,100,true,0.99,1000,50,DEPOSIT,0,0.5\n"
      "b,distance,clean,rope,,1,1,100,true,0.98,1000,60,SPREAD,1,0.6\n"
      "c,distance,clean,rope,,2,2,100,true,0.97,1000,70,DEPOSIT,0,0.7\n"
      "d,distance,clean,\"bias(\"\"-a*d\"\",a=1)\",,0,0,100,true,0.5,1000,,,,\n"
      "e,distance,clean,\"bias(\"\"-a*d\"\",a=1)\",,1,1,100,true,0.6,1000,90,,,\n"
      "f,distance,clean,\"bias(\"\"-a*d\"\",a=1)\",,2,2,100,true,0.7,1000,,,,\n"
      "g,distance,clean,rope,long,0,0,100,true,0.1,1000,,,,\n"
      "h,distance,clean,rope,long,1,,,,,,,,,\n",
      "runs.csv");
}

std::vector<double> numbers(const std::string& text) {
  const Query query = parse_query(text);
  return find(query, query.measures.at(0), runs()).numbers;
}

void expect_error(const std::string& text, const std::string& part) {
  try {
    numbers(text);
    ADD_FAILURE() << "no error: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Query, PartsOfIt) {
  const Query query = parse_query(
      "interval(test_accuracy) % .2, count(position_verdict=DEPOSIT) runs.csv encoding=learned(init=1)|rope "
      "variant=\"a b\" seed>=2");
  ASSERT_EQ(query.measures.size(), 2u);
  EXPECT_TRUE(query.measures[0].percent);
  EXPECT_EQ(query.measures[0].digits, 2);
  EXPECT_EQ(query.measures[1].condition->values, (std::vector<std::string>{"DEPOSIT"}));
  EXPECT_EQ(query.file, "runs.csv");
  ASSERT_EQ(query.where.size(), 3u);
  EXPECT_EQ(query.where[0].values, (std::vector<std::string>{"learned(init=1)", "rope"}));
  EXPECT_EQ(query.where[1].values, (std::vector<std::string>{"a b"}));
  EXPECT_EQ(query.where[2].op, ">=");
}

TEST(Query, WhatIsWrongIsNamed) {
  expect_error("meen(test_accuracy) runs.csv", "there is no function 'meen'; there are rows");
  expect_error("mean runs.csv", "mean(COLUMN)");
  expect_error("mean(test_acuracy) encoding=rope variant=", "no column 'test_acuracy'; it has id, task");
  expect_error("mean(test_accuracy) encoding=ropes", "no line of runs.csv matches");
  expect_error("rows encodings", "no function 'encodings'");
  expect_error("difference(test_accuracy) encoding=rope", "'minus'");
  expect_error("mean(test_accuracy) encoding=rope minus encoding=alibi", "'minus'");
  expect_error("rows seed>x", "compares with no number");
  expect_error("mean(encoding) encoding=rope variant=", "'rope' in column 'encoding' is no number");
}

// A forgotten condition must not mix cells.
TEST(Query, MeansAreOfOneCell) {
  expect_error("mean(test_accuracy) task=distance", "3 cells match; add conditions until it is one of");
  EXPECT_EQ(numbers("max(test_accuracy) task=distance"), std::vector{0.99});
}

TEST(Query, Counts) {
  EXPECT_EQ(numbers("rows encoding=rope"), std::vector{5.0});
  EXPECT_EQ(numbers("rows encoding=alibi"), std::vector{0.0});
  EXPECT_EQ(numbers("count(position_verdict=DEPOSIT) encoding=rope variant="), (std::vector{2.0, 3.0}));
  EXPECT_EQ(numbers("count(position_verdict!=DEPOSIT|SPREAD) encoding=rope variant="), (std::vector{0.0, 3.0}));
  EXPECT_EQ(numbers("success encoding=rope"), (std::vector{3.0, 5.0})) << "a run that failed is no success";
  EXPECT_EQ(numbers("rows encoding=*"), std::vector{8.0});
  EXPECT_EQ(numbers("distinct(encoding)"), std::vector{2.0});
  EXPECT_EQ(numbers("rows test_accuracy>0.65"), std::vector{4.0}) << "an empty field is not compared";
}

TEST(Query, MeansAndIntervalsAreThoseOfTheProduct) {
  const statistics::MeanDifference expected = statistics::mean_of_runs({std::vector{0.99, 0.98, 0.97}});
  const std::vector<double> found = numbers("interval(test_accuracy) % encoding=rope variant=");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_DOUBLE_EQ(found[0], 98.0);
  EXPECT_DOUBLE_EQ(found[1], 100.0 * expected.low);
  EXPECT_DOUBLE_EQ(found[2], 100.0) << "an accuracy ends at 1";
  EXPECT_GT(expected.high, 1.0);
  EXPECT_EQ(numbers("ends(content_share) encoding=rope variant=").size(), 2u);
  EXPECT_DOUBLE_EQ(numbers("mean(content_share) encoding=rope variant=")[0], 0.6);
  expect_error("interval(test_accuracy) encoding=rope variant=long", "one value has no interval");
}

TEST(Query, DifferencesHaveTheFloorOfTheProduct) {
  const std::vector<double> x = {0.99, 0.98, 0.97}, y = {0.5, 0.6, 0.7};
  const statistics::MeanDifference expected = statistics::compare_means(
      {x, statistics::accuracy_variance_floor(0.98, 3000)}, {y, statistics::accuracy_variance_floor(0.6, 3000)});
  const std::string cells = "variant= encoding=rope minus encoding=\"bias(\"-a*d\",a=1)\"";
  const std::vector<double> found =
      numbers("difference_interval(test_accuracy) variant= encoding=rope minus encoding!=rope");
  ASSERT_EQ(found.size(), 3u) << cells;
  EXPECT_DOUBLE_EQ(found[0], expected.difference);
  EXPECT_DOUBLE_EQ(found[1], expected.low);
  EXPECT_DOUBLE_EQ(found[2], expected.high);
  EXPECT_EQ(numbers("difference_ends(test_accuracy) % variant= encoding=rope minus encoding!=rope").size(), 2u);
  EXPECT_NEAR(numbers("difference(test_accuracy) % variant= encoding=rope minus encoding!=rope")[0], 38.0, 1e-9);
}

// Runs that never came to 90 % are later than any step.
TEST(Query, StepsThatNeverCame) {
  EXPECT_EQ(numbers("median(steps_to_90) encoding=rope variant="), std::vector{60.0});
  expect_error("median(steps_to_90) encoding!=rope", "never came");
  expect_error("mean(steps_to_90) encoding!=rope", "never came");
}

TEST(Query, ShownInTables) {
  const auto shown = [](const std::string& text) {
    const Query query = parse_query(text);
    return find(query, query.measures[0], runs()).shown(query.measures[0]);
  };
  EXPECT_EQ(shown("interval(test_accuracy) % encoding=rope variant="), "98.0 (95.5..100.0)");
  EXPECT_EQ(shown("count(position_verdict=DEPOSIT) encoding=rope variant="), "2/3");
  EXPECT_EQ(shown("mean(content_share) .2 encoding=rope variant="), "0.60");
  EXPECT_EQ(shown("interval(steps) .0 encoding=rope variant="), "100 (all equal)");
}

TEST(CsvTable, QuotesAndBadLines) {
  const CsvTable table = parse_csv("a,b\n\"x, \"\"y\"\"\n\",2\n,\n", "t.csv");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0], "x, \"y\"\n");
  EXPECT_EQ(table.number(table.rows[0], "b"), 2.0);
  EXPECT_EQ(table.number(table.rows[1], "b"), std::nullopt);
  EXPECT_THROW(parse_csv("a,b\n1\n", "t.csv"), Error);
  EXPECT_THROW(parse_csv("a\n\"1\n", "t.csv"), Error);
}

}  // namespace query_test
}  // namespace phasor::results
