// Samples longer than those of training, with the same words and answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "task/samples.h"

namespace phasor {
namespace longer_test {

using testing_support::draw;

constexpr int64_t kSamples = 20000;

// Under sanitizers the same code is walked in less time.
#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t kSolved = 2000;
#else
constexpr int64_t kSolved = kSamples;
#endif

struct LongerCase {
  const char* task;
  std::vector<std::string> settings;
  int64_t step = 1;  // what samples can grow by
};

const std::vector<LongerCase> kCases = {
    {"distance", {}},
    {"distance", {"paper"}},
    {"distance", {"triggers=varied"}},
    {"distance", {"length=fixed"}},
    {"distance", {"length=fixed", "triggers=varied", "readout=trigger"}},
    {"distance", {"fillers=any"}},
    {"distance", {"fillers=any", "length=fixed"}},
    {"distance", {"fillers=any", "triggers=varied"}},
    {"distance", {"answer=number"}},
    {"distance", {"answer=number", "readout=trigger"}},
    {"distance", {"answer=number", "length=fixed"}},
    {"distance", {"answer=number", "fillers=any"}},
    {"counting", {}},
    {"joint", {}},
    {"index", {}},
    {"index", {"from=end"}},
    {"indirect", {}},
    {"copy", {}, 2},
    {"reverse", {}, 2},
    {"retrieval", {"keys=60", "values=70"}, 2},
    {"retrieval", {"paper", "queries=3"}, 2},
    {"flipflop", {}, 2},
    {"parity", {}},
    {"modular", {}, 2},
    {"modular", {"operators=signs"}, 2},
    {"addition", {}, 3},
    {"addition", {"order=plain", "lengths=equal", "carries=chains"}, 3},
    {"mqar", {}},
    {"mqar", {"noise=blank", "power=100"}},
    {"passkey", {}},
    {"passkey", {"noise=random"}},
    {"missing", {}, 2},
    {"odds_first", {}, 2},
    {"stack", {}, 2},
    {"dyck", {}, 2},
    {"variables", {}},
    {"listops", {}},
};

std::string text_of(const LongerCase& given, int64_t extra) {
  std::string text = given.task;
  for (const std::string& setting : given.settings) text += " " + setting;
  return text + ", " + std::to_string(extra) + " longer";
}

// Words and answers that a model of the shape has; a number may lie beyond the classes by what the gap grew.
void expect_fits(const TaskShape& shape, const Sample& sample, int64_t beyond) {
  for (const int32_t token : sample.tokens) ASSERT_TRUE(token >= 0 && token < shape.vocabulary) << token;
  for (const int32_t target : sample.targets) {
    ASSERT_TRUE(target >= kNotScored && target < shape.classes + beyond) << target;
  }
  ASSERT_LT(sample.place, static_cast<int64_t>(sample.tokens.size()));
}

void expect_same_shape_but_length(const TaskShape& longer, const TaskShape& shape, int64_t added) {
  EXPECT_EQ(longer.max_length, shape.max_length + added);
  EXPECT_EQ(longer.vocabulary, shape.vocabulary);
  EXPECT_EQ(longer.classes, shape.classes);
  EXPECT_EQ(longer.readout, shape.readout);
  EXPECT_EQ(longer.answer, shape.answer);
  EXPECT_EQ(longer.causal, shape.causal);
}

// Where the tokens leave one answer the solver finds it, and elsewhere it is right as often as it says.
TEST(LongerTasks, SolversAgreeWithGenerators) {
  for (const LongerCase& given : kCases) {
    const auto task = testing_support::make(given.task, given.settings);
    for (const int64_t extra : {0, 7, 100}) {
      SCOPED_TRACE(text_of(given, extra));
      const auto longer = task->longer(extra);
      const TaskShape shape = longer->shape();
      const int64_t added = extra / given.step * given.step;
      expect_same_shape_but_length(shape, task->shape(), added);
      double surplus = 0.0, variance = 0.0;
      for (int64_t number = 0; number < kSolved; ++number) {
        const Sample sample = draw(*longer, 5, number);
        ASSERT_NO_FATAL_FAILURE(expect_fits(shape, sample, shape.answer == AnswerKind::number ? extra : 0));
        // The lengths are drawn first, and alike.
        ASSERT_EQ(sample.tokens.size(), draw(*task, 5, number).tokens.size() + static_cast<size_t>(added));
        const bool right = longer->solve(sample.tokens) == sample.targets;
        const double certainty = longer->certainty(sample.tokens);
        ASSERT_TRUE(right || certainty < 1.0) << number;
        surplus += (right ? 1.0 : 0.0) - certainty;
        variance += certainty * (1.0 - certainty);
      }
      EXPECT_LE(std::abs(surplus), 5.0 * std::sqrt(variance));
    }
  }
}

TEST(LongerTasks, NothingMoreGivesEqualSamples) {
  for (const LongerCase& given : kCases) {
    const auto task = testing_support::make(given.task, given.settings);
    const auto same = task->longer(0);
    for (int64_t number = 0; number < 1000; ++number) {
      const Sample a = draw(*task, 2, number), b = draw(*same, 2, number);
      ASSERT_EQ(a.tokens, b.tokens) << text_of(given, 0);
      ASSERT_EQ(a.targets, b.targets) << text_of(given, 0);
      ASSERT_EQ(a.place, b.place) << text_of(given, 0);
    }
  }
}

TEST(LongerTasks, StepsAddUp) {
  for (const LongerCase& given : kCases) {
    const auto task = testing_support::make(given.task, given.settings);
    const auto at_once = task->longer(10), in_steps = task->longer(3)->longer(7);
    for (int64_t number = 0; number < 100; ++number) {
      ASSERT_EQ(draw(*at_once, 2, number).tokens, draw(*in_steps, 2, number).tokens) << text_of(given, 10);
    }
  }
}

// Targets are drawn as in training, but for numbers, which grow with the gap.
TEST(LongerTasks, AnswersAreAsLikelyAsInTraining) {
  for (const char* name : {"distance", "counting"}) {
    const auto longer = testing_support::make(name)->longer(50);
    std::vector<int64_t> targets(static_cast<size_t>(longer->shape().classes));
    for (int64_t i = 0; i < kSamples; ++i) ++targets.at(static_cast<size_t>(draw(*longer, 0, i).targets[0]));
    EXPECT_TRUE(testing_support::uniform(targets)) << name;
  }
  const auto number = testing_support::make("distance", {"answer=number"})->longer(50);
  std::vector<int64_t> targets(24);
  for (int64_t i = 0; i < kSamples; ++i) ++targets.at(static_cast<size_t>(draw(*number, 0, i).targets[0]) - 50);
  EXPECT_TRUE(testing_support::uniform(targets));
}

// Seven more tokens: three left, four right, and the gap as it was.
TEST(LongerTasks, DistanceGrowsAtItsSides) {
  const auto longer = testing_support::make("distance", {"readout=trigger"})->longer(7);
  std::vector<int64_t> lefts(8), rights(8);
  for (int64_t i = 0; i < kSamples; ++i) {
    const Sample sample = draw(*longer, 0, i);
    const auto left = std::find(sample.tokens.begin(), sample.tokens.end(), 0) - sample.tokens.begin();
    ++lefts.at(static_cast<size_t>(left - 3 - 1));
    ++rights.at(sample.tokens.size() - static_cast<size_t>(sample.place) - 1 - 4 - 1);
    ASSERT_EQ(sample.place, left + 1 + sample.targets[0] + 1);
  }
  EXPECT_TRUE(testing_support::uniform(lefts));
  EXPECT_TRUE(testing_support::uniform(rights));
}

TEST(LongerTasks, TheLengthSaysAsMuchAsInTraining) {
  for (const char* name : {"distance", "joint"}) {
    const auto task = testing_support::make(name), longer = task->longer(41);
    ASSERT_TRUE(longer->best_from_length().has_value());
    EXPECT_EQ(*longer->best_from_length(), *task->best_from_length()) << name;
  }
}

TEST(LongerTasks, IndexAsksForThePlacesOfTraining) {
  for (const char* from : {"from=start", "from=end"}) {
    const auto task = testing_support::make("index", {from}), longer = task->longer(100);
    for (int64_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(draw(*task, 0, i).tokens.back(), draw(*longer, 0, i).tokens.back()) << from;
    }
  }
}

TEST(LongerTasks, TheMarkerOfIndirectStandsAnywhere) {
  const auto longer = testing_support::make("indirect")->longer(6);
  std::vector<int64_t> places(24 + 6 - 8 + 1);
  for (int64_t i = 0; i < kSamples; ++i) {
    const std::vector<int32_t> tokens = draw(*longer, 0, i).tokens;
    ASSERT_EQ(std::count(tokens.begin(), tokens.end(), 64), 1);
    ++places.at(static_cast<size_t>(std::find(tokens.begin(), tokens.end(), 64) - tokens.begin() - 8));
  }
  EXPECT_TRUE(testing_support::uniform(places));
}

// Every word as often as the others, or once more: 98 words out of 20.
TEST(LongerTasks, WordsComeAgainInRounds) {
  const auto longer = testing_support::make("indirect", {"vocabulary=20", "length=8"})->longer(90);
  const std::vector<int32_t> tokens = draw(*longer, 0, 0).tokens;
  std::vector<int64_t> counts(20);
  for (const int32_t token : tokens)
    if (token < 20) ++counts[static_cast<size_t>(token)];
  EXPECT_EQ(*std::min_element(counts.begin(), counts.end()), 4);
  EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 5);
}

std::string refusal(const Task& task, int64_t extra) {
  try {
    task.longer(extra);
    return "accepted";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(LongerTasks, RefusalsSayWhy) {
  EXPECT_EQ(refusal(*testing_support::make("grid"), 5),
            "grid: a larger grid than 6 x 6 has displacements without a class, so that there are no longer samples "
            "with the same answers");
  const auto retrieval = testing_support::make("retrieval");
  EXPECT_EQ(refusal(*retrieval, 50),
            "retrieval: 50 more tokens make 33 pairs, which take as many different keys, and there are 32; at most 49 "
            "more tokens, or task.keys at least 33");
  EXPECT_EQ(refusal(*retrieval, 49), "accepted");
  EXPECT_EQ(refusal(*retrieval->longer(1), 49),
            "retrieval: 49 more tokens make 33 pairs, which take as many different keys, and there are 32; at most 48 "
            "more tokens, or task.keys at least 33");
  EXPECT_EQ(refusal(*retrieval->longer(1), 48), "accepted");
  EXPECT_EQ(refusal(*testing_support::make("counting"), -1), "samples cannot be -1 tokens longer; 0 to 1048576");
  EXPECT_EQ(refusal(*testing_support::make("counting")->longer(6), 1048576),
            "samples cannot be 1048576 tokens longer; 0 to 1048570");
}

class Plain final : public Task {
 public:
  TaskShape shape() const override { return {.vocabulary = 2, .classes = 2, .max_length = 1}; }
  Sample sample(const RandomStream&) const override { return {.tokens = {0}, .targets = {0}}; }
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override { return tokens; }
};

TEST(LongerTasks, ATaskThatSaysNothingHasNone) {
  EXPECT_EQ(refusal(Plain(), 1), "this task has no longer samples with the same answers");
}

}  // namespace longer_test
}  // namespace phasor
