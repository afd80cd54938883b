#include "phasor/run/length_evaluation.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "run/tiny_run.h"
#include "support/backend.h"

namespace phasor {
namespace length_evaluation_test {

using testing_support::test_backend;
using testing_support::tiny_run;

Session untrained(std::initializer_list<const char*> changes) {
  return {test_backend(), tiny_run(changes), {.training = false}};
}

TEST(LengthEvaluation, TheTrainingLengthIsTheTestSet) {
  Session session = untrained({"task.readout=trigger"});
  LengthEvaluation same(session, 1.0);
  const Scores test = evaluate(session.model(), session.data().test, 32, 8);
  const Scores scores = same.run(32);
  EXPECT_EQ(scores.loss, test.loss);
  EXPECT_EQ(scores.scored, test.scored);
  EXPECT_EQ(same.longest(), session.config().model.max_length);
}

TEST(LengthEvaluation, LongerSequencesMeetTheSameWeights) {
  for (const char* encoding :
       {"model.encoding=nope", "model.encoding=sinusoidal", "model.encoding=alibi", "model.encoding=t5",
        "model.encoding=rope(scaling=yarn,factor=4,original=12)", "model.encoding=randomized(rope,max=64)",
        "model.encoding=kerple", "model.encoding=segments(rope,by=triggers)+segments(learned,by=triggers,max=9)"}) {
    Session session = untrained({"task.readout=trigger", encoding});
    LengthEvaluation longer(session, 2.0);
    EXPECT_EQ(longer.longest(), 2 * session.config().model.max_length) << encoding;
    const Scores scores = longer.run(20);
    EXPECT_EQ(scores.scored, 20) << encoding;
    EXPECT_EQ(scores.loss, LengthEvaluation(session, 2.0).run(20).loss) << encoding;
  }
}

TEST(LengthEvaluation, TablesByPositionAreRefusedByName) {
  for (const auto& [encoding, parameter] :
       {std::pair("model.encoding=learned", "encoding.learned"), std::pair("model.encoding=relative", "relative"),
        std::pair("model.encoding=segments(learned,by=triggers)", "encoding.learned")}) {
    Session session = untrained({encoding});
    try {
      LengthEvaluation(session, 1.5);
      FAIL() << encoding << " answered for positions it never had";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(parameter), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("cannot answer for 18 tokens"), std::string::npos) << error.what();
    }
  }
}

TEST(LengthEvaluation, PositionsBeyondARandomizedRangeAreRefused) {
  Session session = untrained({"model.encoding=randomized(rope,max=20)"});
  EXPECT_NO_THROW(LengthEvaluation(session, 1.5));
  EXPECT_THROW(LengthEvaluation(session, 2.0), UsageError);
}

TEST(LengthEvaluation, PadsGrowWithTheSequences) {
  Session session = untrained({"protocol=released", "protocol.classes=task", "task.fillers=distinct"});
  EXPECT_EQ(session.config().model.max_length, 16);
  EXPECT_EQ(LengthEvaluation(session, 2.0).longest(), 32);
}

}  // namespace length_evaluation_test
}  // namespace phasor
