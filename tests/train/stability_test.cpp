#include "phasor/train/stability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/train/trainer.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/resealed.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace stability_test {

TEST(Stability, SpreadIsDeviationOverMean) {
  EXPECT_EQ(coefficient_of_variation({}), std::nullopt);
  EXPECT_EQ(coefficient_of_variation({3.0}), std::nullopt);
  EXPECT_EQ(coefficient_of_variation({0.0, 0.0}), std::nullopt);
  EXPECT_EQ(coefficient_of_variation({2.0, 2.0, 2.0}), 0.0);
  EXPECT_DOUBLE_EQ(*coefficient_of_variation({1.0, 3.0}), std::sqrt(2.0) / 2.0);
}

TEST(Stability, ReadsWhatARunWrote) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "run");
  folder.create(testing_support::tiny_run());
  expect_words(message_of<UsageError>([&] { training_stability(folder); }), {"run", "not complete"});
  train(testing_support::test_backend(), folder.load_config(), folder, {});
  const TrainingStability stability = training_stability(folder);
  EXPECT_EQ(stability.loss_spikes, std::nullopt) << "20 steps are too few to judge one";
  std::vector<double> norms;
  double sum = 0.0;
  for (const Metrics& metrics : folder.load_metrics()) {
    if (metrics.step == 0) continue;  // there is no gradient before the first step
    norms.push_back(metrics.gradient_norm);
    sum += metrics.gradient_norm;
  }
  ASSERT_GT(norms.size(), 2u);
  EXPECT_EQ(stability.norms, std::ssize(norms));
  EXPECT_DOUBLE_EQ(stability.mean_gradient_norm, sum / static_cast<double>(norms.size()));
  EXPECT_DOUBLE_EQ(*stability.gradient_norm_spread, *coefficient_of_variation(norms));

  auto result = testing_support::read_json_of(folder.file("result.json"));
  result["loss_spikes"] = 4;
  result["largest_loss_jump"] = 0.5;
  testing_support::write_resealed(folder.file("result.json"), result);
  EXPECT_EQ(training_stability(folder).loss_spikes, 4);
  EXPECT_EQ(training_stability(folder).largest_loss_jump, 0.5);
  result.erase("loss_spikes");
  testing_support::write_resealed(folder.file("result.json"), result);
  expect_words(message_of<FormatError>([&] { training_stability(folder); }), {"result.json", "loss_spikes"});
}

}  // namespace stability_test
}  // namespace phasor
