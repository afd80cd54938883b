#include "phasor/paper/claim_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/statistics/multiplicity.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor::paper {
namespace {

std::string digits(double value, const std::string& unit, bool with_sign) {
  std::string text = unit == "%" || unit == "points" ? fmt::format("{:.1f}", std::abs(value))
                     : unit == "steps"               ? fmt::format("{:.0f}", std::abs(value))
                                                     : fmt::format("{:.3g}", std::abs(value));
  if (text.find_first_of("123456789") == std::string::npos) return text;  // what rounds to 0 has no sign
  return fmt::format("{}{}", value < 0.0 ? "-" : with_sign ? "+" : "", text);
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

}  // namespace

std::string figure(double value, const std::string& unit) { return with_unit(digits(value, unit, false), unit); }

std::string signed_figure(double value, const std::string& unit) { return with_unit(digits(value, unit, true), unit); }

std::string bare_figure(double value, const std::string& unit) { return digits(value, unit, false); }

bool Difference::is_more() const { return holm <= kClaimLevel && interval.low > 0.0 && !is_no_more(); }

std::string Difference::text() const {
  std::string result = fmt::format("{} - {}: {}", first, second, signed_figure(interval.estimate, unit));
  result += interval.degenerate ? " (no spread on either side)"
                                : fmt::format(" ({:g} % {} to {})", 100.0 * level, digits(interval.low, unit, true),
                                              digits(interval.high, unit, true));
  result += fmt::format(", p = {}", p_text(test.p));
  if (family > 1) result += fmt::format(", after Holm {}", p_text(holm));
  return result;
}

std::string Difference::runs_to_decide_text() const {
  constexpr double kMost = 1000.0;
  const double half = 0.5 * (interval.high - interval.low);
  const double room = std::max(interval.estimate, margin - interval.estimate);
  const double wanted = std::ceil(static_cast<double>(runs) * (half / room) * (half / room));
  if (is_short_of_runs()) return fmt::format("at least {} converged runs of each", kLeastForNoMore);
  if (!(wanted <= kMost)) return "more than 1000 runs of each, if they scatter as these do";
  return fmt::format("about {} runs of each, if they scatter as these do",
                     std::max(static_cast<int64_t>(wanted), runs + 1));
}

Evidence Difference::evidence(const std::string& what) const {
  return {.what = fmt::format("{}, {} - {}", what, first, second),
          .value = interval.estimate,
          .low = interval.low,
          .high = interval.high,
          .unit = unit,
          .text = fmt::format("{}p = {}{}, at best {} with so many runs",
                              level == 0.95 ? "" : fmt::format("interval of {:g} %, ", 100.0 * level), p_text(test.p),
                              family > 1 ? fmt::format(", after Holm {}", p_text(holm)) : "", p_text(test.smallest_p))};
}

Difference difference(const ClaimSample& first, const ClaimSample& second, const std::string& unit, double margin,
                      double level) {
  Difference result{.first = first.label,
                    .second = second.label,
                    .unit = unit,
                    .margin = margin,
                    .level = level,
                    .interval = statistics::mean_difference(first.values, second.values, level),
                    .test = statistics::permute_two_samples(first.values, second.values)};
  result.holm = result.test.p;
  result.runs = static_cast<int64_t>(std::min(first.values.size(), second.values.size()));
  return result;
}

void adjust(const std::vector<Difference*>& family, size_t planned) {
  if (family.empty()) return;
  std::vector<double> p;
  p.reserve(planned);
  for (const Difference* member : family) p.push_back(member->test.p);
  p.resize(std::max(planned, p.size()), 1.0);
  const std::vector<double> adjusted = statistics::holm(p);
  for (size_t i = 0; i < family.size(); ++i) {
    family[i]->holm = adjusted[i];
    family[i]->family = std::ssize(p);
  }
}

std::string too_small_text(const Difference& difference) {
  const double best = std::min(1.0, difference.test.smallest_p * static_cast<double>(difference.family));
  return fmt::format("{} and {} have too few runs: p can be {} at best{}", difference.first, difference.second,
                     p_text(best),
                     difference.family > 1 ? fmt::format(" after Holm over {} comparisons", difference.family) : "");
}

std::string runs_needed_text(int64_t family) {
  int64_t runs = 2;
  while (statistics::smallest_p_two_samples(runs, runs) * static_cast<double>(family) > kClaimLevel) ++runs;
  return fmt::format("at least {} converged runs of each", std::max<int64_t>(runs, kLeastRuns));
}

}  // namespace phasor::paper
