#include "phasor/run/encoding_swap.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/run/length_evaluation.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace encoding_swap_test {

using namespace testing_support;

struct Model {
  ModelConfig config;
  ResolvedEncoding encoding;
  ParameterLayout layout;

  explicit Model(const std::string& expression)
      : config(tiny_run({("model.encoding=" + expression).c_str(), "model.layers=2"}).model),
        encoding(resolve_encoding(config)),
        layout(config, encoding) {}
};

EncodingSwap swapped(const std::string& from, const std::string& to) {
  const Model a(from), b(to);
  return compare_layouts({a.encoding, a.layout}, {b.encoding, b.layout});
}

std::string refusal(const std::string& from, const std::string& to) {
  return message_of<UsageError>([&] { swapped(from, to); });
}

TEST(EncodingSwap, WordsInBracesStandForTheLength) {
  EXPECT_EQ(encoding_at_length("rope", 4.0, 48), "rope");
  EXPECT_EQ(encoding_at_length("rope(scaling=yarn,factor={length},original={trained})", 4.0, 48),
            "rope(scaling=yarn,factor=4,original=48)");
  EXPECT_EQ(encoding_at_length("{length}{length}", 1.5, 48), "1.51.5");
  EXPECT_TRUE(goes_by_length("rope(scaling=linear,factor={length})"));
  EXPECT_FALSE(goes_by_length("rope(scaling=dynamic,original={trained})"));
  for (const char* wrong : {"rope(base={lenght})", "rope(base={length)", "rope{}"}) {
    expect_words(message_of<UsageError>([&] { encoding_at_length(wrong, 2.0, 48); }),
                 {"stands for nothing", "{trained}"});
  }
}

TEST(EncodingSwap, FixedEncodingsChangePlacesFreely) {
  for (const auto& [from, to] :
       {std::pair("rope", "nope"), std::pair("rope", "alibi+rope(base=500)"), std::pair("nope", "rope"),
        std::pair("sinusoidal", "xpos"), std::pair("rope", "randomized(rope,max=64)")}) {
    const EncodingSwap swap = swapped(from, to);
    EXPECT_TRUE(swap.kept.empty() && swap.dropped.empty() && swap.added.empty()) << from << " -> " << to;
    EXPECT_TRUE(swap_notes(swap).empty()) << from << " -> " << to;
    EXPECT_NO_THROW(require_trained(swap, ""));
  }
}

TEST(EncodingSwap, SaysWhatIsDroppedKeptAndMissing) {
  const EncodingSwap swap = swapped("alibi(slopes=learned)+learned", "t5+learned(beyond=clamp)");
  EXPECT_EQ(swap.kept, (std::vector<std::string>{"encoding.learned"}));
  EXPECT_EQ(swap.dropped.size(), 2u) << "in each layer";
  EXPECT_EQ(swap.added, (std::vector<std::string>{"encoding.t5.bias"}));
  expect_words(swap_notes(swap).at(0), {"dropped", "layers.<l>.encoding.alibi"});
  expect_words(swap_notes(swap).at(1), {"never trained", "encoding.t5.bias"});
  expect_words(message_of<UsageError>([&] { require_trained(swap, "runs/mine"); }),
               {"this run never had", "encoding.t5.bias", "train --from runs/mine --encoding"});
}

// A stretch that only sets where training starts would seem to be there and do nothing.
TEST(EncodingSwap, SaysThatAnotherStartChangesNothing) {
  const EncodingSwap swap = swapped("rope(frequencies=learned)", "rope(frequencies=learned,scaling=linear,factor=4)");
  EXPECT_EQ(swap.kept.size(), 2u);
  EXPECT_EQ(swap.overruled, swap.kept);
  expect_words(swap_notes(swap).at(0), {"changes nothing", "layers.<l>.encoding.rope.frequencies"});
  EXPECT_TRUE(swapped("rope(frequencies=learned)", "rope(frequencies=learned)+alibi").overruled.empty());
}

TEST(EncodingSwap, WeightsOfAnotherShapeAreRefusedByName) {
  expect_words(refusal("t5(buckets=8)", "t5(buckets=16)"), {"encoding.t5.bias", "[2, 8]", "[2, 16]"});
  expect_words(refusal("alibi(slopes=learned)[heads=0]", "alibi(slopes=learned)[heads=1]"), {"heads 0", "heads 1"});
  expect_words(refusal("rope", "mla(kv=8,q=8,rope=4)"), {"mla", "it needs", "projections of its own"});
  expect_words(refusal("mla(kv=8,q=8,rope=4)", "rope"), {"projections of its own"});
  expect_words(refusal("sinusoidal", "concat(sinusoidal,width=4)"), {"concat", "was trained as [", "16]", "12]"});
}

TEST(EncodingSwap, TrainedNumbersAreCarriedByName) {
  const Model from("t5+learned"), to("learned+alibi(slopes=learned)");
  std::vector<float> values(static_cast<size_t>(from.layout.size()), -1.0f);
  for (const Parameter& entry : from.layout.entries()) {
    for (int64_t i = 0; i < entry.size; ++i) values[static_cast<size_t>(entry.offset + i)] = static_cast<float>(i + 1);
  }
  const std::vector<float> start(static_cast<size_t>(to.layout.size()), 0.25f);
  const std::vector<float> carried = carried_parameters(from.layout, values, to.layout, start);
  for (const Parameter& entry : to.layout.entries()) {
    const bool is_new = entry.name.find("alibi") != std::string::npos;
    for (int64_t i = 0; i < entry.size; ++i) {
      ASSERT_EQ(carried[static_cast<size_t>(entry.offset + i)], is_new ? 0.25f : static_cast<float>(i + 1))
          << entry.name;
    }
  }
}

Session untrained(std::initializer_list<const char*> changes) {
  return {test_backend(), tiny_run(changes), {.training = false}};
}

TEST(EncodingSwap, ScoresAreThoseOfAModelWithTheSameWeights) {
  Session plain = untrained({"model.encoding=nope"}), turned = untrained({"model.encoding=rope+alibi"});
  turned.model().load_parameters(plain.model().save_parameters());
  for (const double factor : {1.0, 2.0}) {
    const Scores swapped = LengthEvaluation(plain, factor, "rope+alibi").run(24);
    const Scores own = LengthEvaluation(turned, factor).run(24);
    EXPECT_EQ(swapped.loss, own.loss) << factor;
    EXPECT_EQ(swapped.accuracy, own.accuracy) << factor;
    EXPECT_NE(swapped.loss, LengthEvaluation(plain, factor).run(24).loss) << factor;
  }
}

TEST(EncodingSwap, TheFactorIsThatOfTheLength) {
  Session session = untrained({"model.encoding=rope"});
  const LengthEvaluation twice(session, 2.0, "rope(scaling=linear,factor={length})");
  EXPECT_EQ(twice.config().model.encoding, "rope(scaling=linear,factor=2)");
  EXPECT_EQ(LengthEvaluation(session, 1.0, "rope(scaling=linear,factor={length})").run(16).loss,
            LengthEvaluation(session, 1.0).run(16).loss);
}

TEST(EncodingSwap, AClampLetsTablesByPositionAnswer) {
  for (const auto& [from, to] : {std::pair("model.encoding=learned", "learned(beyond=clamp)"),
                                 std::pair("model.encoding=relative", "relative(beyond=clamp)")}) {
    Session session = untrained({from});
    EXPECT_THROW(LengthEvaluation(session, 2.0), UsageError);
    LengthEvaluation clamped(session, 2.0, to);
    EXPECT_EQ(clamped.run(12).scored, 12) << to;
    EXPECT_EQ(LengthEvaluation(session, 1.0, to).run(16).loss, LengthEvaluation(session, 1.0).run(16).loss) << to;
  }
}

}  // namespace encoding_swap_test
}  // namespace phasor
