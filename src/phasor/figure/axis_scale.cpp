#include "phasor/figure/axis_scale.h"

#include <algorithm>
#include <cmath>

namespace phasor::figure {
namespace {

constexpr double kRoom = 0.05;  // of the range, beyond the outermost marks

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

struct AlongX {
  std::vector<double> values;

  void operator()(const Points& it) {
    for (const Point& point : it.points) append(values, {point.x, point.x_low, point.x_high});
  }
  void operator()(const Line& it) { append(values, it.x); }
  void operator()(const Band& it) { append(values, it.x); }
  void operator()(const Outline& it) { append(values, it.x); }
  void operator()(const Bar& it) { append(values, {it.from, it.to}); }
  void operator()(const HeatMap& it) {
    size_t columns = 1;
    for (const auto& row : it.rows) columns = std::max(columns, row.size());
    append(values, {-0.5, static_cast<double>(columns) - 0.5});
  }
  void operator()(const Rule& it) {
    if (it.along == Rule::Along::x) values.push_back(it.at);
  }
};

struct AlongY {
  std::vector<double> values;

  void operator()(const Points& it) {
    for (const Point& point : it.points) append(values, {point.y, point.y_low, point.y_high});
  }
  void operator()(const Line& it) { append(values, it.y); }
  void operator()(const Band& it) {
    append(values, it.low);
    append(values, it.high);
  }
  void operator()(const Outline& it) { append(values, it.y); }
  void operator()(const Bar& it) { append(values, {it.y - 0.5, it.y + 0.5}); }
  void operator()(const HeatMap& it) { append(values, {-0.5, static_cast<double>(it.rows.size()) - 0.5}); }
  void operator()(const Rule& it) {
    if (it.along == Rule::Along::y) values.push_back(it.at);
  }
};

}  // namespace

AxisScale::AxisScale(const Axis& axis, const std::vector<double>& values) : axis_(axis) {
  if (!axis.names.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(axis.names.size()) - 0.5;
    return;
  }
  const bool logarithmic = axis.scale == Scale::logarithmic;
  double least = kInfinity;
  double most = -kInfinity;
  const auto take = [&](double value) {
    if (!std::isfinite(value) || (logarithmic && value <= 0)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  };
  for (const double value : values) take(value);
  if (axis.with) take(*axis.with);
  if (least > most) least = most = logarithmic ? 1.0 : 0.0;
  if (logarithmic) {
    const double range = std::log10(most / least);
    const double room = std::pow(10.0, range > 0 ? kRoom * range : 0.3);
    low_ = axis.low.value_or(least / room);
    high_ = axis.high.value_or(most * room);
    if (!(low_ > 0) || !(high_ > low_)) high_ = 10.0 * (low_ = least);
    return;
  }
  if (axis.balanced) least = -(most = std::max(std::abs(least), std::abs(most)));
  const double range = most - least;
  const double room = range > 1e-12 * std::max(std::abs(least), std::abs(most)) ? kRoom * range
                      : most != 0                                               ? 0.1 * std::abs(most)
                                                                                : 0.5;
  // An axis that ends at 0 ends there exactly.
  const bool from_zero = axis.with && *axis.with == least && range > 0;
  const bool to_zero = axis.with && *axis.with == most && range > 0;
  low_ = axis.low.value_or(from_zero ? least : least - room);
  high_ = axis.high.value_or(to_zero ? most : most + room);
  if (!(high_ > low_)) high_ = low_ + 1.0;
}

double AxisScale::share(double value) const {
  if (!std::isfinite(value)) return kNaN;
  if (axis_.scale == Scale::linear) return (value - low_) / (high_ - low_);
  if (value <= 0) return kNaN;
  return std::log(value / low_) / std::log(high_ / low_);
}

bool AxisScale::has(double value) const {
  const double at = share(value);
  return at >= -1e-9 && at <= 1 + 1e-9;
}

std::vector<Tick> AxisScale::ticks(int most) const {
  const double factor = axis_.percent ? 100.0 : 1.0;
  if (!axis_.ticks.empty()) return ticks_at(axis_.ticks, factor);
  if (axis_.scale == Scale::logarithmic) return logarithmic_ticks(low_, high_, most);
  return linear_ticks(low_, high_, most, axis_.whole, factor);
}

std::vector<double> values_along_x(const std::vector<Mark>& marks) {
  AlongX along;
  for (const Mark& mark : marks) std::visit(along, mark);
  return along.values;
}

std::vector<double> values_along_y(const std::vector<Mark>& marks) {
  AlongY along;
  for (const Mark& mark : marks) std::visit(along, mark);
  return along.values;
}

}  // namespace phasor::figure
