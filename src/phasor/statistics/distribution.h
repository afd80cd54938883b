#pragma once
// The distributions that intervals are read from. Relative errors are below 1e-12 for parameters up to some hundreds
// and grow with log-gamma to 1e-10 at ten thousand. Quantiles are bisected down to neighbouring doubles: slower than
// a rational approximation, and never wrong by more than the function they invert.

namespace phasor::statistics {

double normal_cumulative(double z);
double normal_quantile(double probability);  // -inf at 0, inf at 1

// The regularised incomplete beta function I_x(a, b): the distribution function of Beta(a, b). a, b > 0.
double beta_cumulative(double x, double a, double b);
double beta_quantile(double probability, double a, double b);

double student_cumulative(double t, double freedom);
double student_quantile(double probability, double freedom);

// P(X <= k) for X the number of successes in n trials.
double binomial_cumulative(double k, double n, double probability);

}  // namespace phasor::statistics
