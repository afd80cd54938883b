#include "phasor/train/stability_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/thread_guard.h"
#include "phasor/run/trained_model.h"
#include "phasor/train/trainer.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace stability_report_test {

using namespace testing_support;
using Json = nlohmann::ordered_json;

StabilityReport hand_made() {
  StabilityReport report{.task = "distance", .encoding = "alibi"};
  report.training = {.loss_spikes = 3,
                     .largest_loss_jump = 0.25,
                     .norms = 8,
                     .mean_gradient_norm = 2.5,
                     .gradient_norm_spread = 0.125};
  report.hessian.eigenvalue = 12.5;
  report.hessian.residual = 0.5;
  report.hessian.difference_error = 0.25;
  report.hessian.product_error = 0.75;
  report.hessian.step = 0.0625;
  report.hessian.iterations = 17;
  report.hessian.converged = true;
  report.samples = 96;
  return report;
}

bool says(const StabilityReport& report, const std::string& words) {
  return to_text(report).find(words) != std::string::npos;
}

TEST(StabilityReport, SaysWhatWasMeasured) {
  const StabilityReport report = hand_made();
  EXPECT_EQ(to_text(report),
            "alibi on distance\n"
            "  loss spikes           3, largest jump 25.0 % above the median of the 50 steps before\n"
            "  gradient norm         mean 2.5 at 8 evaluations, spread 0.125 of it\n"
            "  Hessian, largest      12.5  residual 0.5, differences off by 0.25; 17 iterations\n"
            "                        of the mean loss of 96 training samples, without dropout\n");
  EXPECT_EQ(to_json(report),
            Json::parse(R"({"task": "distance", "encoding": "alibi", "loss_spikes": 3, "largest_loss_jump": 0.25,
                            "mean_gradient_norm": 2.5, "gradient_norm_spread": 0.125, "gradient_norms": 8,
                            "hessian": {"eigenvalue": 12.5, "residual": 0.5, "difference_error": 0.25,
                                        "product_error": 0.75, "converged": true, "iterations": 17, "step": 0.0625,
                                        "most_negative": null, "samples": 96}})"));
}

TEST(StabilityReport, SaysWhatIsUnknown) {
  StabilityReport report = hand_made();
  report.training.loss_spikes.reset();
  report.training.largest_loss_jump.reset();
  report.training.gradient_norm_spread.reset();
  report.hessian.converged = false;
  report.hessian.negative_first = true;
  report.hessian.most_negative = -40.0;
  EXPECT_TRUE(says(report, "not judged: fewer than 51 steps"));
  EXPECT_TRUE(says(report, "spread unknown"));
  EXPECT_TRUE(says(report, "NOT CONVERGED"));
  EXPECT_TRUE(says(report, "most negative -40"));
  const Json json = to_json(report);
  EXPECT_TRUE(json.at("loss_spikes").is_null());
  EXPECT_TRUE(json.at("largest_loss_jump").is_null());
  EXPECT_EQ(json.at("hessian").at("most_negative"), -40.0);
}

TEST(StabilityReport, SaysWhichRatesTrain) {
  StabilityReport report = hand_made();
  report.search = {.steps = 100, .fall = 0.05};
  report.rate = LargestRate{.rate = 0.5, .failing = 0.625};
  EXPECT_TRUE(says(report, "largest learning rate 0.5 (0.625 fails)"));
  EXPECT_TRUE(says(report, "after 100 steps from the first weights the loss is 5 % below its start"));
  report.rate = LargestRate{.rate = 0.5, .failing = 0.0};
  EXPECT_TRUE(says(report, "above 0.5: nothing that was tried failed"));
  EXPECT_TRUE(to_json(report).at("largest_lr").at("failing").is_null());
  report.rate = LargestRate{.rate = 0.0, .failing = 0.25};
  EXPECT_TRUE(says(report, "none: 0.25 is still too large"));
  report.rate->trials = {{.rate = 0.25, .first_loss = 2.0, .last_loss = 1e30, .finite = false, .steps = 4}};
  const Json rate = to_json(report).at("largest_lr");
  EXPECT_TRUE(rate.at("rate").is_null());
  EXPECT_EQ(rate.at("failing"), 0.25);
  EXPECT_EQ(rate.at("trials").at(0), Json::parse(R"({"rate": 0.25, "trains": false, "first_loss": 2.0,
                                                      "last_loss": null, "steps": 4})"));
  EXPECT_EQ(to_text(report.rate->trials[0]), "rate 0.25: loss 2.0000 -> not finite  fails\n");
  EXPECT_EQ(to_text(RateTrial{.rate = 0.5, .first_loss = 2.0, .last_loss = 1.5, .trains = true}),
            "rate 0.5: loss 2.0000 -> 1.5000  trains\n");
}

// The Hessian is that of the mean loss over the first samples, however many fit into a batch.
TEST(StabilityReport, MeasuresTheFirstSamplesOfTheTrainingSet) {
  const ThreadGuard one_thread(1);
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "run");
  folder.create(tiny_run({"model.dropout=0"}));
  train(test_backend(), folder.load_config(), folder, {});
  Session session = open_trained_model(test_backend(), folder, {.gradients = true});
  const StabilityReport report = measure_stability(folder, session, {.samples = 20});
  EXPECT_EQ(report.encoding, "rope");
  EXPECT_EQ(report.samples, 20);
  EXPECT_FALSE(report.rate.has_value());

  RunConfig roomy = folder.load_config();
  ASSERT_LT(roomy.train.batch, 20);
  roomy.train.batch = 20;
  Session whole(test_backend(), roomy, {});
  whole.model().load_parameters(folder.load_model(whole.model().layout(), "model.safetensors"));
  Batch all;
  for (int64_t i = 0; i < 20; ++i) whole.data().train.append_to(all, i);
  all.finish();
  const HessianTop expected = hessian_top(whole.model(), {all});
  const double bound =
      report.hessian.residual + report.hessian.difference_error + expected.residual + expected.difference_error;
  EXPECT_NEAR(report.hessian.eigenvalue, expected.eigenvalue, bound);
  EXPECT_LT(bound, 0.1 * expected.eigenvalue);
  // There are 64.
  EXPECT_EQ(measure_stability(folder, session, {.samples = 1000, .hessian = {.max_iterations = 1}}).samples, 64);
}

}  // namespace stability_report_test
}  // namespace phasor
