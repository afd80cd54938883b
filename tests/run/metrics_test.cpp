#include "phasor/run/metrics.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/run/stored_result.h"
#include "run/tiny_run.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace metrics_test {

Metrics evaluation(int64_t step, double test_accuracy) {
  Metrics metrics;
  metrics.step = step;
  metrics.test_accuracy = test_accuracy;
  return metrics;
}

TEST(Metrics, LineAndBackGivesTheSameNumbers) {
  const Metrics before{.step = 1234567,
                       .tokens = int64_t{1} << 40,
                       .learning_rate = 0.1 + 0.2,
                       .gradient_norm = std::numeric_limits<double>::denorm_min(),
                       .batch_loss = 1.0 / 3.0,
                       .train_loss = 2.302585092994046,
                       .train_accuracy = 0.0,
                       .test_loss = std::numeric_limits<double>::max(),
                       .test_accuracy = 1.0};
  const std::string line = to_json_line(before);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Metrics after = parse_metrics(line, "here");
  EXPECT_EQ(after.step, before.step);
  EXPECT_EQ(after.tokens, before.tokens);
  EXPECT_EQ(after.learning_rate, before.learning_rate);
  EXPECT_EQ(after.gradient_norm, before.gradient_norm);
  EXPECT_EQ(after.batch_loss, before.batch_loss);
  EXPECT_EQ(after.train_loss, before.train_loss);
  EXPECT_EQ(after.train_accuracy, before.train_accuracy);
  EXPECT_EQ(after.test_loss, before.test_loss);
  EXPECT_EQ(after.test_accuracy, before.test_accuracy);
  EXPECT_EQ(to_json_line(after), line);
}

TEST(Metrics, BadLinesAreNamed) {
  const std::string good = to_json_line(evaluation(5, 0.5));
  const auto error = [](const std::string& line) {
    return message_of<FormatError>([&] { parse_metrics(line, "metrics.jsonl:7"); });
  };
  for (const std::string& bad : {std::string(), std::string("{"), std::string("[]"), std::string("7"),
                                 good.substr(0, good.size() - 1), good + "x"}) {
    EXPECT_EQ(error(bad).rfind("metrics.jsonl:7: ", 0), 0u) << bad;
  }
  auto missing = nlohmann::json::parse(good);
  missing.erase("test_loss");
  expect_words(error(missing.dump()), {"metrics.jsonl:7", "test_loss"});
  auto text = nlohmann::json::parse(good);
  text["step"] = "five";
  expect_words(error(text.dump()), {"metrics.jsonl:7", "number"});
}

TEST(StepsToAccuracy, IsTheFirstEvaluationThatReachesIt) {
  const std::vector<Metrics> history = {evaluation(0, 0.1), evaluation(50, 0.9), evaluation(100, 0.7),
                                        evaluation(150, 0.95)};
  EXPECT_EQ(steps_to_accuracy(history, 0.9), 50);
  EXPECT_EQ(steps_to_accuracy(history, 0.91), 150);
  EXPECT_EQ(steps_to_accuracy(history, 0.1), 0);
  EXPECT_EQ(steps_to_accuracy(history, 0.96), std::nullopt);
  EXPECT_EQ(steps_to_accuracy({}, 0.0), std::nullopt);
}

// Early evaluations that only make up the number.
std::vector<Metrics> with_beginning(std::vector<Metrics> end) {
  std::vector<Metrics> history;
  for (int64_t step = 0; step < 10; ++step) history.push_back(evaluation(step, 0.0));
  history.insert(history.end(), end.begin(), end.end());
  return history;
}

TEST(HasConverged, NeedsTenEvaluations) {
  EXPECT_FALSE(has_converged({}));
  std::vector<Metrics> history;
  for (int64_t step = 0; step < 10; ++step) {
    EXPECT_FALSE(has_converged(history)) << history.size();
    history.push_back(evaluation(step, 1.0));
  }
  EXPECT_TRUE(has_converged(history));
}

TEST(HasConverged, LooksAtTheLastTenthOfTheSteps) {
  const auto run = [](double at_900, double at_950, double at_1000) {
    return has_converged(with_beginning(
        {evaluation(850, 0.2), evaluation(900, at_900), evaluation(950, at_950), evaluation(1000, at_1000)}));
  };
  EXPECT_TRUE(run(0.5, 0.5, 0.5));
  EXPECT_TRUE(run(0.5, 0.1, 0.504));
  EXPECT_FALSE(run(0.5, 0.5, 0.506));
  EXPECT_FALSE(run(0.5, 0.506, 0.506)) << "the evaluation at 950 is too young to compare with";
  EXPECT_TRUE(run(0.5, 0.6, 0.4)) << "a fall is no rise";
}

TEST(HasConverged, ComparesWithTheLatestEvaluationThatIsOldEnough) {
  // Of 200 steps, 180 is a tenth old and 181 is not.
  EXPECT_TRUE(has_converged(with_beginning({evaluation(180, 0.9), evaluation(200, 0.9)})));
  EXPECT_FALSE(has_converged(with_beginning({evaluation(181, 0.9), evaluation(200, 0.9)})));
}

TEST(HasConverged, SeesALossThatStillFalls) {
  const auto run = [](double before, double last) {
    std::vector<Metrics> history = with_beginning({evaluation(900, 0.5), evaluation(1000, 0.5)});
    history[history.size() - 2].test_loss = before;
    history.back().test_loss = last;
    return has_converged(history);
  };
  EXPECT_TRUE(run(1.0, 0.995));
  EXPECT_FALSE(run(1.0, 0.985));
  EXPECT_TRUE(run(1.0, 2.0)) << "a rise is no fall";
}

TEST(Result, HasTheDocumentedFields) {
  const RunConfig config = testing_support::tiny_run({"seed=3", "data.seed=4"});
  RunResult result{.parameters = 10, .last = evaluation(20, 0.7), .full_train_accuracy = 0.5, .converged = true};
  result.test = {.loss = 0.25, .accuracy = 0.75};
  result.last.tokens = 500;
  result.seconds = 2.0;
  const auto json = nlohmann::json::parse(to_json(stored_result(config, result)));
  EXPECT_EQ(json.at("task"), "distance");
  EXPECT_EQ(json.at("encoding"), "rope");
  EXPECT_EQ(json.at("protocol"), "clean");
  EXPECT_EQ(json.at("seed"), 3);
  EXPECT_EQ(json.at("data_seed"), 4);
  EXPECT_EQ(json.at("steps"), 20);
  EXPECT_EQ(json.at("tokens"), 500);
  EXPECT_EQ(json.at("train_accuracy"), 0.5);
  EXPECT_EQ(json.at("test_accuracy"), 0.75);
  EXPECT_EQ(json.at("test_loss"), 0.25);
  EXPECT_EQ(json.at("converged"), true);
  EXPECT_EQ(json.at("seconds"), 2.0);
  EXPECT_EQ(json.at("tokens_per_second"), 250.0);
  EXPECT_TRUE(json.at("steps_to_90").is_null());
  result.steps_to_90 = 15;
  EXPECT_EQ(nlohmann::json::parse(to_json(stored_result(config, result))).at("steps_to_90"), 15);
}

}  // namespace metrics_test
}  // namespace phasor
