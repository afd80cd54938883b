#pragma once
// The key below the panels.
#include "phasor/figure/chart.h"
#include "phasor/figure/drawing.h"

namespace phasor::figure {

// From `top` on, within the drawing's width. Returns where it ends.
double draw_legend(std::vector<Shape>& shapes, const std::vector<LegendItem>& items, double width, double top);

}  // namespace phasor::figure
