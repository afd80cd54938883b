// What a run has learned, from its files: numbers against the file of weights, kernels against their formula.
#include "phasor/run/trained_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/run/evaluation_report.h"
#include "phasor/run/trained_model.h"
#include "phasor/train/trainer.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace trained_card_test {

using namespace testing_support;

constexpr double kRounding = 0x1p-52;

struct Trained {
  TemporaryFolder temporary;
  RunFolder folder{temporary / "run"};

  explicit Trained(const std::string& encoding) {
    const std::string set = "model.encoding=" + encoding;
    folder.create(tiny_run({"model.layers=2", "train.lr=0.02", set.c_str()}));
    train(test_backend(), folder.load_config(), folder, {});
  }
  std::vector<double> stored(const std::string& tensor, const TensorShape& shape,
                             const std::string& file = "model.safetensors") const {
    const SafetensorsFile weights = SafetensorsFile::open(folder.file(file).string());
    const auto values = weights.data<float>(tensor, shape);
    return {values.begin(), values.end()};
  }
};

void expect_fits(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_FALSE(line.ends_with(' ')) << line;
}

TEST(TrainedCard, HasEveryNumberAndTheKernelsThatTheyMake) {
  const Trained run("bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))");
  const TrainedCard card = trained_card(run.folder);
  ASSERT_EQ(card.learned.size(), 2u);
  ASSERT_EQ(card.kernels.size(), 2u);
  const int64_t length = card.encoding.shape.positions;
  for (int64_t layer = 0; layer < 2; ++layer) {
    const LearnedTensor& tensor = card.learned[static_cast<size_t>(layer)];
    EXPECT_EQ(tensor.name, "layers." + std::to_string(layer) + ".encoding.bias.b");
    EXPECT_EQ(tensor.label, "bias.b");
    EXPECT_EQ(tensor.layer, layer);
    EXPECT_TRUE(tensor.heads.empty());
    EXPECT_EQ(tensor.start, (std::vector<double>{static_cast<double>(0.1f)}));
    EXPECT_EQ(tensor.end, run.stored(tensor.name, {1}));
    EXPECT_NE(tensor.end, tensor.start);
    const TrainedKernel& kernel = card.kernels[static_cast<size_t>(layer)];
    EXPECT_EQ(kernel.layers, (std::vector<int64_t>{layer}));
    for (const bool trained : {false, true}) {
      const Kernel& curve = (trained ? kernel.end : kernel.start).curves.at(0).kernel;
      const double b = (trained ? tensor.end : tensor.start)[0];
      ASSERT_EQ(std::ssize(curve.values), 2 * length - 1);
      for (int64_t d = 1 - length; d < length; ++d) {
        const double expected = -std::log(1.0 + b * static_cast<double>(std::abs(d)));
        EXPECT_NEAR(curve.values[static_cast<size_t>(d - curve.first)], expected, 8 * kRounding * std::abs(expected));
      }
    }
  }
  const std::string text = trained_card_text(card, {.ascii = true});
  expect_words(text, {"formula     b = -a*log(1+b*abs(d))", "Learned: 2 numbers in 2 tensors",
                      "\nbias.b  0      all   0.1 ", "Kernel of the distance bias, layer 1, trained",
                      "*: trained, o: as training started", "trained on distance, seed 0, at step 20"});
  expect_fits(text);
  const auto json = trained_card_json(card);
  EXPECT_EQ(json.at("learned")[1].at("end"), nlohmann::ordered_json(card.learned[1].end));
  EXPECT_EQ(json.at("kernels").size(), 4u);
  EXPECT_EQ(json.at("kernels")[1].at("trained"), true);
}

TEST(TrainedCard, SnapshotsHaveTheirOwn) {
  const Trained run("alibi(slopes=learned)");
  const TrainedCard card = trained_card(run.folder, 10);
  EXPECT_EQ(card.step, 10);
  EXPECT_EQ(card.learned[0].end, run.stored("layers.0.encoding.alibi.slope", {2}, snapshot_name(10)));
  EXPECT_EQ(card.learned[0].heads, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(card.learned[0].start, (std::vector<double>{0.0625, 0.00390625})) << "2^(-8(h+1)/H)";
  expect_words(message_of<UsageError>([&] { trained_card(run.folder, 11); }), {"no snapshot of step 11"});
}

// Rotations by the trained frequencies; tables by their range, or, asked for, number by number.
TEST(TrainedCard, RotationsAndTables) {
  const Trained run("learned+rope(frequencies=learned)");
  const TrainedCard card = trained_card(run.folder);
  ASSERT_EQ(card.learned.size(), 3u);
  EXPECT_FALSE(has_named_numbers(card.learned[0])) << "positions times width";
  EXPECT_FALSE(card.learned[0].layer.has_value());
  ASSERT_EQ(card.rotary_pairs.size(), 2u);
  for (size_t layer = 0; layer < 2; ++layer) {
    for (size_t c = 0; c < card.rotary_pairs[layer].pairs.size(); ++c) {
      EXPECT_EQ(card.rotary_pairs[layer].pairs[c].frequency, card.learned[layer + 1].end[c]);
    }
  }
  EXPECT_EQ(number_name(card.learned[1], 3), "rope.frequencies[3]");
  const std::string text = trained_card_text(card);
  expect_words(text, {"learned (", " numbers)", "rms ", "rope.frequencies[3]",
                      "Rotary pairs, layer 0, all heads, trained", "Kernel of the input term, trained"});
  expect_fits(text);
  EXPECT_EQ(text.find("learned[5]"), std::string::npos);
  expect_words(trained_card_text(card, {.all = true}), {"\nlearned[5] "});
}

TEST(TrainedCard, OfWhatLearnsNothingSaysSo) {
  const Trained run("rope");
  const TrainedCard card = trained_card(run.folder);
  EXPECT_TRUE(card.learned.empty() && card.kernels.empty() && card.left_out.empty());
  expect_words(trained_card_text(card), {"It learns no numbers"});
}

// The evaluation has the numbers of the model that it evaluates.
TEST(TrainedCard, EvaluationsSayItInShort) {
  const Trained run("bias(\"-a*abs(d)\",a=learned(0.5))");
  Session session = open_trained_model(test_backend(), run.folder);
  const SetEvaluation evaluation = evaluate_sets(session);
  ASSERT_EQ(evaluation.learned.size(), 2u);
  EXPECT_EQ(evaluation.learned[0].end, run.stored("layers.0.encoding.bias.a", {1}));
  expect_words(to_text(evaluation), {fmt::format("\n  learned     bias.a 0.5 -> {:.4g}, {:.4g} (2 numbers, 2 layers)\n",
                                                 evaluation.learned[0].end[0], evaluation.learned[1].end[0])});
  EXPECT_EQ(to_json(evaluation).at("learned").size(), 2u);
}

}  // namespace trained_card_test
}  // namespace phasor
