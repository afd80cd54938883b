// phasor stability: what it prints, and what it refuses.
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/tiny_run.h"

namespace phasor {
namespace stability_test {

using Json = nlohmann::json;

TEST(StabilityCommand, PrintsWhatItMeasured) {
  const TemporaryFolder folder;
  const std::string run =
      train_tiny(folder / "run", {"--set", "train.evaluate_every=10", "--set", "train.snapshots=0"}).string();
  const Outcome json = phasor_command({"stability", run, "--json", "--samples", "64"});
  ASSERT_EQ(json.code, 0) << json.err;
  const Json numbers = Json::parse(json.out);
  const Json result = Json::parse(read_file(run + "/result.json"));
  EXPECT_EQ(numbers.at("loss_spikes"), result.at("loss_spikes"));
  EXPECT_EQ(numbers.at("largest_loss_jump"), result.at("largest_loss_jump"));
  EXPECT_EQ(numbers.at("gradient_norms"), 6);
  EXPECT_GT(numbers.at("gradient_norm_spread").get<double>(), 0.0);
  const Json& hessian = numbers.at("hessian");
  EXPECT_EQ(hessian.at("samples"), 64);
  EXPECT_TRUE(hessian.at("converged").get<bool>());
  const double eigenvalue = hessian.at("eigenvalue").get<double>();
  EXPECT_LE(hessian.at("residual").get<double>(),
            std::max(1e-3 * eigenvalue, hessian.at("product_error").get<double>()));
  EXPECT_GT(hessian.at("difference_error").get<double>(), 0.0);
  EXPECT_LT(hessian.at("difference_error").get<double>(), 0.1 * eigenvalue);

  const Outcome text = phasor_command({"stability", run, "--samples", "64"});
  expect_words(text.out, {"rope on distance", "loss spikes", "gradient norm", "Hessian, largest", "residual",
                          "64 training samples"});
  const Outcome start = phasor_command({"stability", run, "--json", "--samples", "64", "--step", "0"});
  ASSERT_EQ(start.code, 0) << start.err;
  EXPECT_NE(Json::parse(start.out).at("hessian").at("eigenvalue"), hessian.at("eigenvalue"));
}

TEST(StabilityCommand, FindsTheLargestRate) {
  const TemporaryFolder folder;
  const std::string run = train_tiny(folder / "run").string();
  const Outcome outcome =
      phasor_command({"stability", run, "--json", "--largest-lr", "--steps", "100", "--samples", "32"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json rate = Json::parse(outcome.out).at("largest_lr");
  EXPECT_NEAR(rate.at("failing").get<double>() / rate.at("rate").get<double>(), std::exp2(0.25), 1e-9);
  expect_words(outcome.err, {"rate 0.001: loss", "trains", "fails"});
}

TEST(StabilityCommand, RefusesWhatItCannotDo) {
  const TemporaryFolder folder;
  expect_error(phasor_command({"stability", (folder / "none").string()}), 2, {"none", "holds no run"});
  const std::string run = train_tiny(folder / "run").string();
  expect_error(phasor_command({"stability", run, "--samples", "0"}), 2, {"--samples", "out of range"});
  expect_error(phasor_command({"stability", run, "--step", "7"}), 2, {"no snapshot of step 7"});
  std::filesystem::remove(run + "/result.json");
  expect_error(phasor_command({"stability", run}), 2, {"not complete"});
}

}  // namespace stability_test
}  // namespace phasor
