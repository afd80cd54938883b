#pragma once
// From the units of an axis to places on paper.
#include "phasor/figure/chart.h"
#include "phasor/figure/ticks.h"

namespace phasor::figure {

class AxisScale {
 public:
  // `values`: everything that is drawn along it.
  AxisScale(const Axis& axis, const std::vector<double>& values);

  // 0 at the low end, 1 at the high one; NaN for what has no place, such as 0 on a logarithmic axis.
  double share(double value) const;
  bool has(double value) const;  // within the ends
  std::vector<Tick> ticks(int most) const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  Axis axis_;
  double low_ = 0.0, high_ = 1.0;
};

// What marks need of an axis.
std::vector<double> values_along_x(const std::vector<Mark>& marks);
std::vector<double> values_along_y(const std::vector<Mark>& marks);

}  // namespace phasor::figure
