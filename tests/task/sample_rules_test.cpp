#include "phasor/task/sample_rules.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"

namespace phasor {
namespace sample_rules_test {

const TaskShape kShape{.vocabulary = 20, .classes = 5, .max_length = 10, .pad_word = 19, .first_label = 2};

TEST(SampleRules, WithoutRulesNothingChanges) {
  const SampleRules none;
  const Sample sample{.tokens = {1, 2, 3}, .targets = {4}, .place = -1};
  const Sample same = none.apply(sample, kShape);
  EXPECT_EQ(same.tokens, sample.tokens);
  EXPECT_EQ(same.targets, sample.targets);
  EXPECT_EQ(same.place, sample.place);
  EXPECT_EQ(none.apply(kShape).max_length, 10);
  EXPECT_EQ(none.apply(kShape).classes, 5);
}

TEST(SampleRules, PadsFillUpToTheNextMultipleOf16) {
  const SampleRules rules{.pads = true};
  EXPECT_EQ(rules.apply(kShape).max_length, 16);
  EXPECT_EQ(rules.apply(kShape).vocabulary, 20) << "the pad is an ordinary word";
  const Sample padded = rules.apply({.tokens = {7, 8, 9}, .targets = {1}, .place = -1}, kShape);
  std::vector<int32_t> expected = {7, 8, 9};
  expected.resize(16, 19);
  EXPECT_EQ(padded.tokens, expected);
  EXPECT_EQ(padded.place, 2) << "the place stays where it was";
  TaskShape paper = kShape;
  paper.max_length = 122;
  EXPECT_EQ(rules.apply(paper).max_length, 128) << "as the released code pads";
}

TEST(SampleRules, PadsOfOtherTasksAreANewWordAndAreNotScored) {
  const SampleRules rules{.pads = true, .padded_length = 12};
  TaskShape shape = kShape;
  shape.pad_word = -1;
  shape.readout = Readout::every;
  EXPECT_EQ(rules.apply(shape).vocabulary, 21);
  const Sample padded = rules.apply({.tokens = {7, 8}, .targets = {kNotScored, 1}}, shape);
  EXPECT_EQ(padded.tokens.back(), 20);
  ASSERT_EQ(padded.targets.size(), 12u);
  EXPECT_EQ(padded.targets[1], 1);
  EXPECT_EQ(padded.targets[2], kNotScored);
}

TEST(SampleRules, ClassesPerWordAreNumberedAsReleased) {
  const SampleRules rules{.class_per_word = true, .ignore_label_0 = true};
  EXPECT_EQ(rules.apply(kShape).classes, 20);
  EXPECT_EQ(rules.apply({.tokens = {1}, .targets = {0}}, kShape).targets[0], 2) << "label = gap + 1";
  TaskShape counting = kShape;
  counting.first_label = 0;
  EXPECT_EQ(rules.apply({.tokens = {1}, .targets = {0}}, counting).targets[0], kNotScored);
  EXPECT_EQ(rules.apply({.tokens = {1}, .targets = {3}}, counting).targets[0], 3);
}

TEST(SampleRules, RulesThatDoNotFitAreRefused) {
  TaskShape shape = kShape;
  shape.grid = {2, 5};
  EXPECT_THROW(SampleRules{.pads = true}.apply(shape), UsageError);
  EXPECT_THROW((SampleRules{.pads = true, .padded_length = 9}.apply(kShape)), UsageError);
  shape = kShape;
  shape.classes = 19;
  EXPECT_THROW(SampleRules{.class_per_word = true}.apply(shape), UsageError);
  shape = kShape;
  shape.answer = AnswerKind::number;
  EXPECT_THROW(SampleRules{.class_per_word = true}.apply(shape), UsageError);
}

}  // namespace sample_rules_test
}  // namespace phasor
