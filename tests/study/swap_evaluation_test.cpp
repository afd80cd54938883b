#include "phasor/study/swap/swap_evaluation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace swap_evaluation_test {

using namespace testing_support;

Session untrained(std::initializer_list<const char*> changes) {
  return {test_backend(), tiny_run(changes), {.training = false}};
}

RunConfig tiny_copy() {
  ConfigBuilder builder;
  for (const char* value :
       {"task=copy", "model.layers=2", "model.width=16", "model.hidden=24", "model.heads=2", "model.encoding=rope",
        "train.batch=8", "train.steps=20", "data.train=64", "data.test=32", "data.validation=16"}) {
    builder.add_set(value);
  }
  return builder.build();
}

TEST(SwapEvaluation, HasBothEncodingsOnTheSameSamples) {
  Session session = untrained({"model.encoding=rope"});
  const SwapEvaluation found = evaluate_swap(session, "rope(scaling=linear,factor={length})",
                                             {.factors = {1.0, 2.0}, .samples = 20, .damage_samples = 3});
  ASSERT_EQ(found.lengths.size(), 2u);
  for (const SwappedLength& length : found.lengths) {
    ASSERT_TRUE(length.own);
    EXPECT_EQ(length.own->scores.loss, LengthEvaluation(session, length.factor).run(20).loss);
    EXPECT_EQ(length.swapped.scores.loss, LengthEvaluation(session, length.factor, length.encoding).run(20).loss);
    EXPECT_EQ(length.swapped.scores.scored, 20);
    EXPECT_EQ(length.damage_samples, 3);
    EXPECT_EQ(length.damage.size(), 2u);
    EXPECT_TRUE(length.swapped.places.empty()) << "read from all tokens together";
  }
  EXPECT_EQ(damage_of(found.lengths[0].damage).divergence(), 0.0) << "a factor of 1";
  EXPECT_GT(damage_of(found.lengths[1].damage).divergence(), 0.0);
  EXPECT_EQ(found.lengths[1].encoding, "rope(scaling=linear,factor=2)");
  EXPECT_TRUE(found.notes.empty());
}

TEST(SwapEvaluation, PlacesAddUpToTheWhole) {
  Session session(test_backend(), tiny_copy(), {.training = false});
  const SwapEvaluation found = evaluate_swap(session, "nope", {.samples = 20, .damage_samples = 0});
  const SwappedLength& length = found.lengths.at(0);
  ASSERT_EQ(length.swapped.places.size(), 10u);
  for (const PlacedScores& scores : {*length.own, length.swapped}) {
    double loss = 0.0, right = 0.0;
    int64_t targets = 0, used = 0;
    for (const PlaceScores& place : scores.places) {
      loss += place.loss * static_cast<double>(place.scored);
      right += place.accuracy * static_cast<double>(place.scored);
      targets += place.scored;
      if (place.scored > 0) ++used;
    }
    EXPECT_EQ(targets, scores.scores.scored);
    EXPECT_GT(used, 2);
    EXPECT_NEAR(right, scores.scores.accuracy * static_cast<double>(targets), 1e-9);
    // Logits are floats of size 10 at most here: the mean of their roundings.
    EXPECT_NEAR(loss / static_cast<double>(targets), scores.scores.loss, 32 * 0x1p-24 * 10);
  }
  EXPECT_TRUE(length.damage.empty());
}

TEST(SwapEvaluation, PlacesOfAMarkedTokenAreItsOwn) {
  Session session = untrained({"task.readout=trigger"});
  const SwapEvaluation found = evaluate_swap(session, "alibi", {.samples = 16, .damage_samples = 0});
  int64_t targets = 0;
  for (const PlaceScores& place : found.lengths.at(0).swapped.places) targets += place.scored;
  EXPECT_EQ(targets, 16);
}

TEST(SwapEvaluation, TheOwnEncodingMayHaveNoAnswer) {
  Session session = untrained({"model.encoding=learned"});
  const SwapEvaluation found =
      evaluate_swap(session, "learned(beyond=clamp)", {.factors = {1.0, 2.0}, .samples = 12, .damage_samples = 2});
  EXPECT_TRUE(found.lengths[0].own);
  EXPECT_FALSE(found.lengths[1].own);
  expect_words(found.lengths[1].own_refused, {"cannot answer for", "beyond=clamp"});
  EXPECT_TRUE(found.lengths[1].damage.empty());
  expect_words(to_text(found), {"own at 2x", "cannot answer", "beyond 12 tokens: all positions read the last"});
  expect_words(message_of<UsageError>([&] {
                 evaluate_swap(session, "learned", {.factors = {1.0, 2.0}});
               }),
               {"cannot answer for"});
}

TEST(SwapEvaluation, SaysWhatTheDamageDoesNotSee) {
  Session session = untrained({"model.encoding=sinusoidal"});
  const SwapEvaluation away = evaluate_swap(session, "nope", {.samples = 8, .damage_samples = 2});
  ASSERT_EQ(away.notes.size(), 1u);
  expect_words(away.notes[0], {"embeddings", "does not see it"});
  EXPECT_EQ(damage_of(away.lengths[0].damage).divergence(), 0.0);
  EXPECT_TRUE(
      evaluate_swap(session, "sinusoidal+rope", {.factors = {2.0}, .samples = 8, .damage_samples = 2}).notes.empty());
}

TEST(SwapEvaluation, ForPeopleAndPrograms) {
  Session session = untrained({"model.encoding=alibi(slopes=learned)"});
  const SwapEvaluation found =
      evaluate_swap(session, "rope", {.factors = {1.0, 2.0}, .samples = 12, .damage_samples = 2});
  const std::string text = to_text(found);
  expect_words(text, {"trained with alibi(slopes=learned) on distance, up to 12 tokens; now under rope", "are dropped",
                      "beyond 12 tokens: angles", "1x, 12", "2x, 24", "damage by head", "by the query's place"});
  const nlohmann::ordered_json json = to_json(found);
  EXPECT_EQ(json.at("encoding"), "alibi(slopes=learned)");
  EXPECT_EQ(json.at("swapped_to"), "rope");
  EXPECT_EQ(json.at("lengths").at(1).at("longest"), 24);
  EXPECT_EQ(json.at("lengths").at(0).at("damage").at(1).at("head"), 1);
  EXPECT_EQ(json.at("lengths").at(0).at("damage").at(0).at("divergence_by_tenth").size(), 10u);
  EXPECT_EQ(json.at("lengths").at(0).at("own").at("accuracy"), found.lengths[0].own->scores.accuracy);
}

}  // namespace swap_evaluation_test
}  // namespace phasor
