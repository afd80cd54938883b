#pragma once
// Where a panel stands on paper, and where its units are there.
#include "phasor/figure/axis_scale.h"
#include "phasor/figure/chart.h"
#include "phasor/figure/drawing.h"

namespace phasor::figure {

class PanelFrame {
 public:
  PanelFrame(const Panel& panel, const Box& plot);

  const Panel& panel() const { return *panel_; }
  const Box& plot() const { return plot_; }
  const AxisScale& x() const { return x_; }
  const AxisScale& y() const { return y_; }
  double place_x(double value) const { return plot_.left + x_.share(value) * plot_.width; }
  double place_y(double value) const;
  Place place(double x, double y) const { return {place_x(x), place_y(y)}; }
  double row_height() const;  // of rows and of the cells of heat maps

 private:
  const Panel* panel_;
  Box plot_;
  AxisScale x_, y_;
  bool downwards_;
};

// With as many ticks as have room beside each other.
std::vector<Tick> ticks_along_x(const AxisScale& scale, double length);
std::vector<Tick> ticks_along_y(const AxisScale& scale, double length);
double tick_width(const Tick& tick);

// Everything within the axes; "no data" where that is nothing.
void draw_marks(std::vector<Shape>& shapes, const PanelFrame& frame);

}  // namespace phasor::figure
