// Every entry of the catalogue trains: 50 steps bring the loss down.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>

#include "phasor/bench/encoding_bench.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/run/config_builder.h"
#include "phasor/run/session.h"
#include "phasor/train/optimizer.h"
#include "phasor/train/schedule.h"
#include "support/backend.h"

namespace phasor {
namespace encoding_training_test {

// n-D encodings on the grid task, those made for a causal mask with one, the others on the distance task.
RunConfig config_for(const std::string& text) {
  const Encoding encoding = parse_encoding(text);
  const EncodingTraits traits = EncodingSum(encoding, print(encoding)).traits();
  ConfigBuilder builder;
  const auto set = [&](const std::string& assignment) { builder.add_set(assignment); };
  set("task=" + std::string(traits.n_dimensional ? "grid" : "distance"));
  builder.add_option("--encoding", "model.encoding", text);
  for (const char* assignment :
       {"model.layers=2", "model.width=32", "model.hidden=48", "model.heads=4", "train.batch=48", "train.steps=50",
        "train.lr=3e-3", "data.train=2400", "data.test=64", "train.evaluation_samples=64"}) {
    set(assignment);
  }
  if (traits.n_dimensional) {
    set("task.rows=3");
    set("task.columns=3");
  } else {
    set("task.gap=6");
    set("task.sides=3");
  }
  if (!traits.bidirectional && !traits.neutral) set("model.causal=true");
  return builder.build();
}

class EncodingTraining : public testing::TestWithParam<std::string> {};

TEST_P(EncodingTraining, FiftyStepsBringTheLossDown) {
  const RunConfig config = config_for(GetParam());
  Session session(testing_support::test_backend(), config, {});
  Optimizer optimizer(testing_support::test_backend(), session.model(), config.train);
  const auto mean_loss = [&](int64_t first, int64_t last) {
    double sum = 0.0;
    for (int64_t step = first; step <= last; ++step) {
      const BatchResult result =
          session.model().forward_backward(session.training_batch(step), static_cast<uint32_t>(step));
      sum += result.loss / static_cast<double>(result.scored);
      optimizer.update(session.model(), step, learning_rate(config.train, step));
    }
    return sum / static_cast<double>(last - first + 1);
  };
  const double early = mean_loss(1, 10);
  mean_loss(11, 40);
  const double late = mean_loss(41, 50);
  // What a batch of 48 adds by chance is some 0.02.
  EXPECT_LT(late, early - 0.05);
  for (const float value : session.model().save_parameters()) ASSERT_TRUE(std::isfinite(value));
}

std::vector<std::string> trained() {
  std::vector<std::string> all = benchmarked_encodings();
  for (std::string& text : all) {
    // This small model has heads of four pairs.
    if (text.find("longrope") != std::string::npos) {
      text = "rope(scaling=longrope,factor=2,original=8,short=\"1,1,1,1\",long=\"1,1.5,2,4\")";
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EncodingTraining, testing::ValuesIn(trained()), [](const auto& tested) {
  std::string name;
  for (const char c : tested.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return fmt::format("{}_{}", tested.index, name);
});

}  // namespace encoding_training_test
}  // namespace phasor
