#include <gtest/gtest.h>

#include <cmath>

#include "model/thread_guard.h"
#include "phasor/base/error.h"
#include "phasor/run/session.h"
#include "phasor/spectrum/head_seed.h"
#include "phasor/spectrum/model_spectrum.h"
#include "phasor/train/telemetry_probe.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace telemetry_test {

using testing_support::test_backend;
using testing_support::ThreadGuard;
using testing_support::tiny_run;

TEST(Telemetry, IsMeasuredAtTheStartEverySoOftenAndAtTheEnd) {
  std::vector<int64_t> measured;
  for (int64_t step = 0; step <= 20; ++step) {
    if (is_measured(step, 8, 20)) measured.push_back(step);
  }
  EXPECT_EQ(measured, (std::vector<int64_t>{0, 8, 16, 20}));
  EXPECT_FALSE(is_measured(0, 0, 20)) << "off";
}

TEST(Telemetry, ALineReadsBackAsWritten) {
  const Telemetry telemetry{.step = 7,
                            .loss = 1.0 / 3.0,
                            .spectral_norm = {{1.0, 2.0}, {3.0, 4.0}},
                            .stable_rank = {{5.0, 6.0}, {7.0, 8.0}},
                            .relative_r2 = {{0.1, 0.2}, {0.3, std::nan("")}},
                            .positional_share = {{-0.1, 0.0}, {1e-300, 1e300}},
                            .seed = {{9.0, 10.0}, {11.0, 12.0}},
                            .gradient_norm = {{13.0, 14.0}, {15.0, 16.0}},
                            .layer_gradient_norm = {17.0, 18.0},
                            .margin = {19.0, 20.0}};
  const std::string line = to_json_line(telemetry);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Telemetry again = parse_telemetry(line, "here");
  EXPECT_EQ(to_json_line(again), line);
  EXPECT_EQ(again.step, 7);
  EXPECT_EQ(again.loss, telemetry.loss);
  EXPECT_EQ(again.spectral_norm, telemetry.spectral_norm);
  EXPECT_EQ(again.stable_rank, telemetry.stable_rank);
  EXPECT_TRUE(std::isnan(again.relative_r2[1][1]));
  EXPECT_EQ(again.positional_share, telemetry.positional_share);
  EXPECT_EQ(again.seed, telemetry.seed);
  EXPECT_EQ(again.gradient_norm, telemetry.gradient_norm);
  EXPECT_EQ(again.layer_gradient_norm, telemetry.layer_gradient_norm);
  EXPECT_EQ(again.margin, telemetry.margin);
  expect_words(message_of<FormatError>([] { parse_telemetry("{\"step\":1}", "file:3"); }),
               {"file:3", "loss is missing"});
}

TEST(Telemetry, HasTheNumbersOfTheSpectrumAndOfTheSeeds) {
  const RunConfig config = tiny_run({"model.layers=2", "train.batch=20", "model.encoding=alibi"});
  Session session(test_backend(), config, {});
  Transformer& model = session.model();
  const Telemetry telemetry = TelemetryProbe(session.data().test, config.train.batch).measure(model, 5);
  Batch batch;
  for (int64_t i = 0; i < 16; ++i) session.data().test.append_to(batch, i);
  batch.finish();
  const ModelSeeds seeds = measure_seeds(model, batch);
  const std::vector<HeadMeasures> measures = measure_heads(model, batch, {.interaction = false});
  ASSERT_EQ(measures.size(), 4u);
  EXPECT_EQ(telemetry.step, 5);
  EXPECT_EQ(telemetry.loss, seeds.loss);
  EXPECT_EQ(telemetry.gradient_norm, seeds.gradients.heads);
  EXPECT_EQ(telemetry.layer_gradient_norm, seeds.gradients.layers);
  for (const HeadMeasures& head : measures) {
    const auto l = static_cast<size_t>(head.layer), h = static_cast<size_t>(head.head);
    EXPECT_EQ(telemetry.spectral_norm[l][h], head.spectral_norm);
    EXPECT_EQ(telemetry.stable_rank[l][h], head.stable_rank);
    EXPECT_EQ(telemetry.relative_r2[l][h], head.relative_r2);
    EXPECT_EQ(telemetry.positional_share[l][h], head.shares.positional());
    EXPECT_EQ(telemetry.seed[l][h], seeds.layers[l].heads[h].seed);
    EXPECT_GT(telemetry.seed[l][h], 0.0);
    EXPECT_GT(telemetry.spectral_norm[l][h], 0.0);
    EXPECT_EQ(telemetry.margin[l], seeds.layers[l].margin);
  }
}

TEST(Telemetry, DoesNotDependOnTheNumberOfThreads) {
  const RunConfig config = tiny_run({"model.layers=2", "train.batch=20"});
  std::vector<std::string> lines;
  for (const int threads : {1, 2, 4}) {
    const ThreadGuard guard(threads);
    Session session(test_backend(), config, {});
    lines.push_back(to_json_line(TelemetryProbe(session.data().test, config.train.batch).measure(session.model(), 0)));
  }
  EXPECT_EQ(lines[1], lines[0]);
  EXPECT_EQ(lines[2], lines[0]);
}

}  // namespace telemetry_test
}  // namespace phasor
