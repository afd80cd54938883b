// Verdicts on models of which the answer is known.
#include <gtest/gtest.h>

#include <cmath>

#include "ablation/planted_model.h"
#include "phasor/ablation/question.h"

namespace phasor {
namespace planted_test {

using testing_support::kWords;
using testing_support::PlantedModel;

constexpr float kReadoutGain = 2.0f;

RunVerdict judged(const ScoreTable& table, Question question) {
  const AnswerContext context{.floor_accuracy = 1.0 / kWords, .guess_loss = std::log(static_cast<double>(kWords))};
  return judge_run(evidence(table, question, context).value(), {.resamples = 400, .flips = 1999});
}

void expect_deposit(const ScoreTable& table, int64_t head) {
  EXPECT_GT(table.intact_accuracy(), 0.99);
  for (const Question question : {Question::position, Question::importance}) {
    const RunVerdict verdict = judged(table, question);
    EXPECT_EQ(verdict.verdict, Deposit::deposit) << name(question) << ": " << verdict.reason;
    EXPECT_EQ(verdict.layer, 0);
    EXPECT_EQ(verdict.layers[0].effect.top, head);
    EXPECT_EQ(verdict.layers[1].verdict, Deposit::not_used) << verdict.layers[1].reason;
  }
}

TEST(Planted, OneHeadWithABiasIsADeposit) {
  PlantedModel planted("bias(\"-30*abs(d+1)\")[heads=2]");
  planted.copy_words(2, kWords, 1.0f);
  planted.read_from(kWords, kReadoutGain);
  expect_deposit(planted.ablate(1), 2);
}

TEST(Planted, OneRotaryHeadIsADeposit) {
  PlantedModel planted("rope(base=2)");
  std::vector<double> frequencies;
  for (int m = 0; m < 4; ++m) frequencies.push_back(std::pow(2.0, -m / 4.0));
  planted.attend_one_back(1, 10.0, frequencies);
  planted.copy_words(1, kWords, 1.0f);
  planted.read_from(kWords, kReadoutGain);
  expect_deposit(planted.ablate(1), 1);
}

// Each of the two would do alone: neither is necessary, and ablating one shows next to nothing.
TEST(Planted, TwoRedundantHeadsAreSpread) {
  PlantedModel planted("bias(\"-30*abs(d+1)\")[heads=0,3]");
  planted.copy_words(0, kWords, 1.0f);
  planted.copy_words(3, kWords, 0.9f);
  planted.read_from(kWords, kReadoutGain);
  const ScoreTable table = planted.ablate(1);
  EXPECT_GT(table.intact_accuracy(), 0.99);
  for (const Question question : {Question::position, Question::importance}) {
    const RunVerdict verdict = judged(table, question);
    EXPECT_EQ(verdict.verdict, Deposit::spread) << name(question) << ": " << verdict.reason;
    EXPECT_TRUE(verdict.layers[0].redundant) << name(question);
    EXPECT_EQ(verdict.layers[1].verdict, Deposit::not_used);
  }
}

// Heads with position write where nobody reads; the answer is the last word itself.
TEST(Planted, PositionThatNobodyReadsIsNotUsed) {
  PlantedModel planted("bias(\"-30*abs(d+1)\")[heads=0]");
  planted.copy_words(0, kWords, 0.1f);
  planted.copy_words(1, 2 * kWords, 0.1f);
  planted.read_from(0, kReadoutGain);
  const ScoreTable table = planted.ablate(0);
  EXPECT_GT(table.intact_accuracy(), 0.99);
  for (const Question question : {Question::position, Question::importance}) {
    const RunVerdict verdict = judged(table, question);
    EXPECT_EQ(verdict.verdict, Deposit::not_used) << name(question) << ": " << verdict.reason;
  }
}

// A head of content alone that the answer needs: it matters, and position does not live in it.
TEST(Planted, AHeadOfContentMattersWithoutPosition) {
  PlantedModel planted("bias(\"-30*abs(d+1)\")[heads=0]");
  // Queries and keys of head 1: every token looks for its own word, so that it copies it from wherever it stands.
  const LinearSlot& slot = planted.data.layout.layers[0].projections;
  const int64_t width = planted.data.config.width, head_width = width / 4;
  for (int64_t c = 0; c < head_width; ++c) {
    planted.data.parameters[static_cast<size_t>(slot.weight + (head_width + c) * width + c)] = 2.0f;
    planted.data.parameters[static_cast<size_t>(slot.weight + (width + head_width + c) * width + c)] = 2.0f;
  }
  planted.copy_words(1, kWords, 1.0f);
  planted.read_from(kWords, kReadoutGain);
  const ScoreTable table = planted.ablate(0);
  EXPECT_GT(table.intact_accuracy(), 0.99);
  EXPECT_EQ(judged(table, Question::importance).verdict, Deposit::deposit)
      << judged(table, Question::importance).reason;
  EXPECT_EQ(judged(table, Question::position).verdict, Deposit::not_used) << judged(table, Question::position).reason;
}

}  // namespace planted_test
}  // namespace phasor
