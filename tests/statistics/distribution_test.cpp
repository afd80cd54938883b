#include "phasor/statistics/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "phasor/base/error.h"

namespace phasor::statistics {
namespace distribution_test {

// Of log-gamma's three terms and the powers, each some roundings of a number up to `size`.
double relative_bound(double size) { return 16.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, size); }

TEST(BetaDistribution, HasItsClosedForms) {
  for (const double x : {1e-8, 0.03, 0.25, 0.5, 0.77, 0.999}) {
    for (const double a : {0.5, 1.0, 3.0, 40.0}) {
      const double power = std::pow(x, a);
      EXPECT_NEAR(beta_cumulative(x, a, 1.0), power, relative_bound(a * std::abs(std::log(x))) * power)
          << x << " " << a;
      const double other = 1.0 - std::pow(1.0 - x, a);  // absolute: 1 - small loses digits on both sides
      EXPECT_NEAR(beta_cumulative(x, 1.0, a), other, relative_bound(a)) << x << " " << a;
    }
    const double arcsine = 2.0 / std::numbers::pi * std::asin(std::sqrt(x));
    EXPECT_NEAR(beta_cumulative(x, 0.5, 0.5), arcsine, relative_bound(1.0)) << x;
    EXPECT_NEAR(beta_cumulative(x, 7.0, 2.5) + beta_cumulative(1.0 - x, 2.5, 7.0), 1.0, relative_bound(10.0)) << x;
  }
}

// scipy.special.betainc(a, b, x), SciPy 1.10.1.
TEST(BetaDistribution, AgreesWithScipy) {
  struct Row {
    double x, a, b, value;
  };
  for (const Row& row :
       {Row{0.1, 0.5, 0.5, 0.2048327646991335}, Row{0.3, 2, 3, 0.3483}, Row{0.7, 10, 1.5, 0.06284423903827265},
        Row{0.01, 0.5, 50, 0.6826956021258024}, Row{0.45, 200, 250, 0.5949756896673748},
        Row{0.999, 30, 0.5, 0.807237306159537}, Row{0.2, 1000, 4000, 0.5028210395492754}}) {
    const double size = std::lgamma(row.a + row.b);
    EXPECT_NEAR(beta_cumulative(row.x, row.a, row.b), row.value, relative_bound(size) * row.value)
        << row.x << " " << row.a << " " << row.b;
  }
}

TEST(BetaDistribution, QuantilesInvert) {
  for (const double p : {1e-12, 0.025, 0.5, 0.975}) {
    for (const double a : {0.5, 2.0, 30.0}) {
      const double x = beta_quantile(p, a, 3.0);
      EXPECT_NEAR(beta_cumulative(x, a, 3.0), p, relative_bound(100.0) * p) << p << " " << a;
    }
  }
  EXPECT_EQ(beta_quantile(0.0, 2.0, 3.0), 0.0);
  EXPECT_EQ(beta_quantile(1.0, 2.0, 3.0), 1.0);
}

// scipy.stats.norm.ppf(p), SciPy 1.10.1.
TEST(NormalDistribution, AgreesWithScipy) {
  struct Row {
    double p, z;
  };
  for (const Row& row :
       {Row{1e-300, -37.0470962993612}, Row{1e-10, -6.361340902404056}, Row{0.025, -1.9599639845400545},
        Row{0.3, -0.5244005127080409}, Row{0.975, 1.959963984540054}}) {
    EXPECT_NEAR(normal_quantile(row.p), row.z, relative_bound(std::abs(row.z))) << row.p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_EQ(normal_quantile(0.0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(normal_quantile(1.0), std::numeric_limits<double>::infinity());
}

// x = scipy.special.betaincinv(freedom / 2, 0.5, 2 * p), t = -sqrt(freedom * (1 - x) / x); SciPy 1.10.1. Its
// scipy.stats.t.ppf is good to 1e-10 only, as the closed forms below show.
TEST(StudentDistribution, AgreesWithScipy) {
  struct Row {
    double p, freedom, t;
  };
  for (const Row& row :
       {Row{0.025, 4, -2.7764451051977943}, Row{0.1, 2.5, -1.7302509288071766}, Row{0.4, 7, -0.26316686135202305},
        Row{0.0005, 30, -3.645958635042022}, Row{0.005, 1000, -2.5807546980658573}}) {
    const double bound = relative_bound(std::lgamma(row.freedom / 2 + 20)) * 4.0 * std::abs(row.t);
    EXPECT_NEAR(student_quantile(row.p, row.freedom), row.t, bound) << row.p << " " << row.freedom;
    EXPECT_NEAR(student_cumulative(row.t, row.freedom), row.p, bound) << row.p << " " << row.freedom;
    EXPECT_NEAR(student_quantile(1.0 - row.p, row.freedom), -row.t, bound / row.p) << row.p << " " << row.freedom;
  }
}

TEST(StudentDistribution, QuantilesOfOneAndTwoDegreesHaveClosedForms) {
  for (const double p : {0.001, 0.025, 0.2, 0.3, 0.45, 0.7, 0.975}) {
    const double one = std::tan(std::numbers::pi * (p - 0.5));
    const double two = (2.0 * p - 1.0) / std::sqrt(2.0 * p * (1.0 - p));
    const double bound = relative_bound(20.0);  // p - 0.5 and 2 p - 1 are exact, 1 - p nearly so
    EXPECT_NEAR(student_quantile(p, 1.0), one, bound * std::max(1.0, std::abs(one))) << p;
    EXPECT_NEAR(student_quantile(p, 2.0), two, bound * std::max(1.0, std::abs(two))) << p;
  }
}

TEST(StudentDistribution, OfOneDegreeIsCauchys) {
  for (const double t : {-50.0, -1.0, -0.01, 0.3, 2.0}) {
    EXPECT_NEAR(student_cumulative(t, 1.0), 0.5 + std::atan(t) / std::numbers::pi, relative_bound(1.0)) << t;
  }
}

TEST(BinomialDistribution, SumsItsTerms) {
  // P(X <= 2) of 5 fair trials: (1 + 5 + 10) / 32.
  EXPECT_NEAR(binomial_cumulative(2, 5, 0.5), 0.5, relative_bound(5.0));
  EXPECT_NEAR(binomial_cumulative(0, 6, 0.5), 1.0 / 64, relative_bound(5.0) / 64);
  EXPECT_EQ(binomial_cumulative(-1, 6, 0.5), 0.0);
  EXPECT_EQ(binomial_cumulative(6, 6, 0.5), 1.0);
  EXPECT_EQ(binomial_cumulative(0, 0, 0.5), 1.0);
}

TEST(Distributions, RefuseBadInput) {
  const double nan = std::nan("");
  EXPECT_THROW(beta_cumulative(nan, 1, 1), Error);
  EXPECT_THROW(beta_cumulative(0.5, 0, 1), Error);
  EXPECT_THROW(beta_cumulative(1.5, 1, 1), Error);
  EXPECT_THROW(beta_quantile(-0.1, 1, 1), Error);
  EXPECT_THROW(normal_quantile(nan), Error);
  EXPECT_THROW(student_quantile(0.5, 0.0), Error);
  EXPECT_THROW(binomial_cumulative(1, 2, nan), Error);
}

}  // namespace distribution_test
}  // namespace phasor::statistics
