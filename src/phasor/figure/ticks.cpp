#include "phasor/figure/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace phasor::figure {
namespace {

constexpr const char* kMinus = "\u2212";

std::string signed_number(double value, const std::string& digits) {
  return (value < 0 && digits.find_first_not_of("0.") != std::string::npos ? kMinus : "") + digits;
}

// Digits behind the point that a step needs.
int decimals_of(double step) {
  for (int decimals = 0; decimals < 12; ++decimals) {
    const double scaled = step * std::pow(10.0, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 12;
}

// All ticks of an axis alike: in thousands, as a power of ten, or plain.
std::vector<Tick> written(const std::vector<double>& places, double step) {
  double largest = 0.0;
  for (const double place : places) largest = std::max(largest, std::abs(place));
  std::vector<Tick> ticks;
  const bool thousands = largest >= 1e4 && largest < 1e6 && decimals_of(step / 100.0) == 0;
  const bool powers = largest > 0 && (largest >= 1e6 || largest < 1e-3);
  const int exponent = powers ? static_cast<int>(std::floor(std::log10(largest) + 1e-9)) : thousands ? 3 : 0;
  const double unit = std::pow(10.0, exponent);
  const int decimals = decimals_of(step / unit);
  for (const double place : places) {
    Tick tick{.at = place, .text = signed_number(place, fmt::format("{:.{}f}", std::abs(place) / unit, decimals))};
    if (std::abs(place) < 1e-9 * step) {
      tick.text = "0";
    } else if (thousands) {
      tick.text += "k";
    } else if (powers) {
      tick.text += "\u00d710";
      tick.raised = signed_number(exponent, std::to_string(std::abs(exponent)));
    }
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

std::vector<Tick> scaled_back(std::vector<Tick> ticks, double factor) {
  for (Tick& tick : ticks) tick.at /= factor;
  return ticks;
}

double nice_step(double range, int most, bool whole) {
  const double least = range / std::max(most, 1);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    const double step = digit * power;
    const bool is_whole = step >= 1.0 && std::abs(step - std::round(step)) < 1e-9;
    if (step >= least * (1 - 1e-9) && (!whole || is_whole)) return step;
  }
  return whole ? std::max(1.0, std::round(10.0 * power)) : 10.0 * power;
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, int most, bool whole, double factor) {
  if (!(high > low)) return {};
  const double from = low * factor;
  const double to = high * factor;
  double step = nice_step(to - from, most, whole);
  if (whole) step = std::max(step, 1.0);
  std::vector<double> places;
  const double room = 1e-9 * (to - from);
  for (auto i = static_cast<int64_t>(std::ceil((from - room) / step)); static_cast<double>(i) * step <= to + room;
       ++i) {
    places.push_back(static_cast<double>(i) * step);
  }
  return scaled_back(written(places, step), factor);
}

std::vector<Tick> ticks_at(const std::vector<double>& places, double factor) {
  std::vector<Tick> ticks;
  ticks.reserve(places.size());
  for (const double place : places) {
    ticks.push_back({.at = place, .text = signed_number(place, fmt::format("{:.6g}", std::abs(place * factor)))});
  }
  return ticks;
}

std::vector<Tick> logarithmic_ticks(double low, double high, int most) {
  if (!(low > 0) || !(high > low)) return {};
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  const auto within = [&](double at) { return at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9); };
  int powers = 0;
  for (int e = first; e <= last; ++e) powers += within(std::pow(10.0, e)) ? 1 : 0;
  // With so few powers the numbers between them are written too.
  const bool all = powers < 2;
  const int every = all ? 1 : std::max(1, (powers + most - 1) / std::max(most, 1));
  int round = 0;  // of those at 1, 2 and 5
  for (int e = first; e <= last; ++e) {
    for (const int digit : {1, 2, 5}) round += within(digit * std::pow(10.0, e)) ? 1 : 0;
  }
  if (round < 2) return linear_ticks(low, high, most);
  const bool plain = first >= -3 && last <= 4;
  std::vector<Tick> ticks;
  for (int e = first; e <= last; ++e) {
    for (int digit = 1; digit < 10; ++digit) {
      const double at = digit * std::pow(10.0, e);
      if (!within(at)) continue;
      Tick tick{.at = at};
      const bool named = digit == 1 ? (e - first) % every == 0 : all && (digit == 2 || digit == 5);
      if (named && (plain && (all || powers <= 4))) {
        tick.text = fmt::format("{:g}", at);
      } else if (named) {
        tick.text = digit == 1 ? "10" : fmt::format("{}\u00d710", digit);
        tick.raised = signed_number(e, std::to_string(std::abs(e)));
      } else if (digit != 1 && every > 1) {
        continue;
      }
      ticks.push_back(std::move(tick));
    }
  }
  return ticks;
}

}  // namespace phasor::figure
