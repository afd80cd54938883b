#include "phasor/paper/claim_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/statistics/summary.h"

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

// Whether runs that were still improving make the sign.
bool turns_without_improving(const ClaimSample& first, const ClaimSample& second, double all) {
  const std::vector<double> x = first.settled(), y = second.settled();
  if (x.empty() || y.empty() || (x.size() == first.values.size() && y.size() == second.values.size())) return false;
  return (statistics::mean(x) - statistics::mean(y)) * all < 0.0;
}

}  // namespace

std::string figure(double value, const std::string& unit) { return with_unit(digits(value, unit, false), unit); }

std::string signed_figure(double value, const std::string& unit) { return with_unit(digits(value, unit, true), unit); }

std::string bare_figure(double value, const std::string& unit) { return digits(value, unit, false); }

double level_for_any_of(size_t k) {
  return std::max(1.0 - kClaimLevel, 1.0 - 2.0 * kClaimLevel / static_cast<double>(std::max<size_t>(1, k)));
}

std::string Difference::text() const {
  std::string result = fmt::format("{} - {}: {}", first, second, signed_figure(interval.difference, unit));
  result += interval.degenerate
                ? " (no spread on either side)"
                : fmt::format(" (95 % {} to {})", digits(interval.low, unit, true), digits(interval.high, unit, true));
  if (turns) result += ", which has another sign without the runs that were still improving";
  return result;
}

std::string Difference::runs_to_decide_text() const {
  constexpr double kMost = 1000.0;
  if (interval.degenerate) return "runs that differ";
  const double half = 0.5 * (any.high - any.low);
  const double room = std::max(interval.difference, margin - interval.difference);
  const double wanted = std::ceil(static_cast<double>(interval.fewest) * (half / room) * (half / room));
  if (!(wanted <= kMost)) return "more than 1000 runs of each, if they scatter as these do";
  return fmt::format("about {} runs of each, if they scatter as these do",
                     std::max(static_cast<int64_t>(wanted), interval.fewest + 1));
}

Evidence Difference::evidence(const std::string& what) const {
  std::string said(statistics::name(statistics::read(interval, margin)));
  if (margin > 0.0) said += fmt::format(", by a margin of {}", figure(margin, unit));
  if (any.level > interval.level) {
    said += fmt::format("; {:g} % {} to {}, where one of several is enough", 100.0 * any.level,
                        digits(any.low, unit, true), digits(any.high, unit, true));
  }
  if (turns) said += "; another sign without the runs that were still improving";
  return {.what = fmt::format("{}, {} - {}", what, first, second),
          .value = interval.difference,
          .low = interval.low,
          .high = interval.high,
          .unit = unit,
          .text = said};
}

Difference difference(const ClaimSample& first, const ClaimSample& second, const std::string& unit, double margin,
                      size_t k) {
  Difference result{.first = first.label,
                    .second = second.label,
                    .unit = unit,
                    .margin = margin,
                    .interval = statistics::compare_means(first.runs(), second.runs()),
                    .any = statistics::compare_means(first.runs(), second.runs(), level_for_any_of(k))};
  result.turns = turns_without_improving(first, second, result.interval.difference);
  return result;
}

}  // namespace phasor::paper
