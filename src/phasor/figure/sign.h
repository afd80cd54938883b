#pragma once
// Markers, dashes and hatches as shapes.
#include <vector>

#include "phasor/figure/chart.h"
#include "phasor/figure/drawing.h"

namespace phasor::figure {

struct MarkerLook {
  Colour colour = kInk;
  double size = kMarkerSize;
  bool hollow = false;
  double opacity = 1.0;
};
void add_marker(std::vector<Shape>& shapes, Marker marker, Place centre, const MarkerLook& look);

std::vector<double> dash_lengths(Dash dash, double width);

// Lines in the colour of paper over a box that has been filled.
void add_hatch(std::vector<Shape>& shapes, const Box& box, Hatch hatch);

}  // namespace phasor::figure
