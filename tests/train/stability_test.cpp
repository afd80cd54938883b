#include "phasor/train/stability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "checkpoint/temporary_folder.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "train/tiny_run.h"

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
  std::string metrics;
  for (const int step : {0, 5, 10}) {
    metrics += to_json_line(Metrics{.step = step, .gradient_norm = step == 10 ? 3.0 : step / 5.0}) + "\n";
  }
  write_file_atomically(folder.file("metrics.jsonl"), metrics);
  write_file_atomically(folder.file("result.json"),
                        std::string_view(R"({"loss_spikes": 4, "largest_loss_jump": 0.5})"));
  const TrainingStability stability = training_stability(folder);
  EXPECT_EQ(stability.loss_spikes, 4);
  EXPECT_EQ(stability.largest_loss_jump, 0.5);
  EXPECT_EQ(stability.norms, 2) << "there is no gradient before the first step";
  EXPECT_EQ(stability.mean_gradient_norm, 2.0);
  EXPECT_DOUBLE_EQ(*stability.gradient_norm_spread, std::sqrt(2.0) / 2.0);

  write_file_atomically(folder.file("result.json"),
                        std::string_view(R"({"loss_spikes": null, "largest_loss_jump": null})"));
  EXPECT_EQ(training_stability(folder).loss_spikes, std::nullopt);
  write_file_atomically(folder.file("result.json"), std::string_view("{}"));
  expect_words(message_of<FormatError>([&] { training_stability(folder); }), {"result.json", "loss_spikes"});
}

}  // namespace stability_test
}  // namespace phasor
