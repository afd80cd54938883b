#include "phasor/study/records/training_spectra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace phasor {
namespace training_spectra_test {

// One layer of two heads; both of one size.
Telemetry measured(double norm, double gradient, double loss) {
  Telemetry telemetry{.loss = loss, .layer_gradient_norm = {gradient}};
  telemetry.spectral_norm = {{norm, norm}};
  return telemetry;
}

std::vector<Telemetry> curve(double follows, double trend) {
  std::vector<Telemetry> all;
  for (int i = 0; i < 12; ++i) {
    const double wiggle = std::sin(2.3 * i);
    // Both have a trend of their own, which must not count.
    all.push_back(
        measured(std::exp(0.3 * i + wiggle), std::exp(trend * i + follows * wiggle), 5.0 - 0.1 * i - 0.2 * wiggle));
  }
  return all;
}

TEST(TrainingSpectra, FollowsChangesAndNotTrends) {
  const auto together = training_spectra(curve(0.5, -0.4));
  ASSERT_TRUE(together);
  EXPECT_EQ(together->changes, 11);
  EXPECT_NEAR(together->gradient, 1.0, 1e-12) << "norms rise and gradients fall, and yet they change together";
  EXPECT_NEAR(together->speed, 1.0, 1e-12);
  EXPECT_NEAR(training_spectra(curve(-0.5, 0.3))->gradient, -1.0, 1e-12);
}

TEST(TrainingSpectra, NeedsEnoughNumbersThatVary) {
  std::vector<Telemetry> few = curve(0.5, 0.1);
  few.resize(8);
  EXPECT_FALSE(training_spectra(few)) << "seven changes";
  EXPECT_FALSE(training_spectra({}));
  std::vector<Telemetry> broken = curve(0.5, 0.1);
  broken[3].spectral_norm[0][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(training_spectra(broken));
  EXPECT_FALSE(training_spectra(std::vector<Telemetry>(12, measured(1.0, 1.0, 1.0)))) << "nothing changes";
}

}  // namespace training_spectra_test
}  // namespace phasor
