#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "task/samples.h"

namespace phasor {
namespace addition_test {

using testing_support::draw;

constexpr int32_t kEnd = 10, kPlus = 11, kEquals = 12;

TEST(AdditionTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("addition")->shape();
  EXPECT_EQ(quick.vocabulary, 13);
  EXPECT_EQ(quick.classes, 11);
  EXPECT_EQ(quick.max_length, 18);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_TRUE(quick.causal);
  const auto paper = testing_support::make("addition", {"paper"});
  EXPECT_EQ(paper->shape().max_length, 63);
  EXPECT_EQ(paper->longer(240)->shape().max_length, 303) << "100 digits";
}

TEST(AdditionTask, SumsAreWrittenAsTheNumbersAre) {
  const auto reversed = testing_support::make("addition"), plain = testing_support::make("addition", {"order=plain"});
  // 98 + 27 = 125
  EXPECT_EQ(reversed->solve({8, 9, kPlus, 7, 2, kEquals, 5, 2, 1}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, 5, 2, 1, kEnd}));
  EXPECT_EQ(plain->solve({9, 8, kPlus, 2, 7, kEquals, 1, 2, 5}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, 1, 2, 5, kEnd}));
  // 12 + 34 = 46, whose end takes up the place of a third digit
  EXPECT_EQ(reversed->solve({2, 1, kPlus, 4, 3, kEquals, 6, 4, kEnd}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, 6, 4, kEnd, -1}));
  // 999 + 1 = 1000 and 0 + 0 = 0
  EXPECT_EQ(reversed->solve({9, 9, 9, kPlus, 1, kEquals, 0, 0, 0, 1}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, 0, 0, 0, 1, kEnd}));
  EXPECT_EQ(reversed->solve({0, kPlus, 0, kEquals, 0, kEnd}), (std::vector<int32_t>{-1, -1, -1, 0, kEnd, -1}));
}

TEST(AdditionTask, TheSimpleRuleForgetsWhatIsCarried) {
  const auto task = testing_support::make("addition");
  EXPECT_EQ(task->simple_rule({8, 9, kPlus, 7, 2, kEquals, 5, 2, 1}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, 5, 1, kEnd, -1}));
}

TEST(AdditionTask, SolverRefusesOtherTokens) {
  const auto task = testing_support::make("addition");
  EXPECT_THROW(task->solve({1, kPlus, 2}), Error) << "no =";
  EXPECT_THROW(task->solve({1, kEquals, 2}), Error) << "no +";
  EXPECT_THROW(task->solve({1, kPlus, 2, kEquals, 3}), Error) << "no place for a carry";
}

int64_t number_of(std::vector<int32_t> digits, bool reversed) {
  if (reversed) std::reverse(digits.begin(), digits.end());
  int64_t number = 0;
  for (const int32_t digit : digits) number = 10 * number + digit;
  return number;
}

struct Parts {
  std::vector<int32_t> first, second, sum;  // the last as the targets have it
};

Parts parts_of(const Sample& sample) {
  const auto begin = sample.tokens.begin();
  const auto plus = std::find(begin, sample.tokens.end(), kPlus),
             equals = std::find(plus, sample.tokens.end(), kEquals);
  const auto sum = sample.targets.begin() + (equals - begin);
  return {{begin, plus}, {plus + 1, equals}, {sum, std::find(sum, sample.targets.end(), kEnd)}};
}

TEST(AdditionTask, AnswersAreTheSumsOfTheNumbers) {
  for (const char* order : {"order=reversed", "order=plain"}) {
    for (const char* carries : {"carries=any", "carries=none", "carries=chains"}) {
      const auto task = testing_support::make("addition", {"digits=12", order, carries});
      for (int64_t i = 0; i < 2000; ++i) {
        const Sample sample = draw(*task, 0, i);
        const Parts parts = parts_of(sample);
        const bool reversed = std::string(order) == "order=reversed";
        ASSERT_EQ(number_of(parts.first, reversed) + number_of(parts.second, reversed), number_of(parts.sum, reversed));
        // What is asked for stands next, and the end is asked for where the tokens may have none.
        for (size_t t = 0; t + 1 < sample.tokens.size(); ++t) {
          ASSERT_TRUE(sample.targets[t] == kNotScored || sample.targets[t] == sample.tokens[t + 1]);
        }
      }
    }
  }
}

TEST(AdditionTask, LengthsAndDigitsAreEquallyLikely) {
  const auto task = testing_support::make("addition", {"digits=4"});
  std::vector<int64_t> lengths(16), lowest(10), highest(9);
  for (int64_t i = 0; i < 30000; ++i) {
    const Parts parts = parts_of(draw(*task, 0, i));
    ++lengths.at(4 * (parts.first.size() - 1) + parts.second.size() - 1);
    if (parts.first.size() == 1) continue;
    ++lowest.at(static_cast<size_t>(parts.first.front()));
    ++highest.at(static_cast<size_t>(parts.first.back() - 1));
  }
  EXPECT_TRUE(testing_support::uniform(lengths));
  EXPECT_TRUE(testing_support::uniform(lowest));
  EXPECT_TRUE(testing_support::uniform(highest));
  const auto equal = testing_support::make("addition", {"digits=4", "lengths=equal"});
  for (int64_t i = 0; i < 1000; ++i) {
    const Parts parts = parts_of(draw(*equal, 0, i));
    ASSERT_EQ(parts.first.size(), parts.second.size());
  }
}

TEST(AdditionTask, CarriesAreAvoidedOrSought) {
  const auto none = testing_support::make("addition", {"carries=none"});
  for (int64_t i = 0; i < 5000; ++i) {
    const Sample sample = draw(*none, 0, i);
    ASSERT_EQ(none->simple_rule(sample.tokens), sample.targets);
  }
  // In places below the highest all pairs are allowed: one in ten adds up to 9, and of the chains half of them more.
  for (const bool chains : {false, true}) {
    const auto task =
        testing_support::make("addition", {"digits=6", "lengths=equal", chains ? "carries=chains" : "carries=any"});
    double places = 0.0, nines = 0.0;
    for (int64_t i = 0; i < 5000; ++i) {
      const Parts parts = parts_of(draw(*task, 0, i));
      for (size_t place = 0; place + 1 < parts.first.size(); ++place) {
        places += 1.0;
        nines += parts.first[place] + parts.second[place] == 9 ? 1.0 : 0.0;
      }
    }
    const double share = chains ? 0.55 : 0.1;
    EXPECT_NEAR(nines, places * share, 5.0 * std::sqrt(places * share));
  }
}

TEST(AdditionTask, TheSolverReadsTheNumbersAlone) {
  const auto task = testing_support::make("addition");
  for (int64_t i = 0; i < 200; ++i) {
    const Sample sample = draw(*task, 0, i);
    std::vector<int32_t> hidden = sample.tokens;
    std::fill(std::find(hidden.begin(), hidden.end(), kEquals) + 1, hidden.end(), 0);
    ASSERT_EQ(task->solve(hidden), sample.targets);
  }
}

}  // namespace addition_test
}  // namespace phasor
