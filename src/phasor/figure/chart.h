#pragma once
// What a figure shows: panels in a grid, each with two axes and marks in the units of these, and a legend below.
// layout.h turns it into a drawing. Numbers that are not finite are not drawn, and a line is broken there.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "phasor/base/special_numbers.h"
#include "phasor/figure/colour.h"
#include "phasor/figure/look.h"

namespace phasor::figure {

enum class Marker : uint8_t {
  circle,
  square,
  triangle_up,
  triangle_down,
  plus,
  cross,
  star,
  pentagon,
  hexagon,
  diamond,
  diamond_dot,  // never filled
  stroke,       // upright, as a mark of a limit
  dash,
};
enum class Dash : uint8_t { solid, dashed, dotted, dash_dot, long_dash, long_dash_dot, dash_dot_dot, fine };
enum class Hatch : uint8_t { none, rising, falling, crossed, dotted };

struct Point {
  double x = kNaN, y = kNaN;
  double x_low = kNaN, x_high = kNaN, y_low = kNaN, y_high = kNaN;  // ends of intervals
  bool hollow = false;
};

struct Points {
  std::vector<Point> points;
  Colour colour = kInk;
  Marker marker = Marker::circle;
  double size = kMarkerSize;
  double opacity = 1.0;
};

struct Line {
  std::vector<double> x, y;
  Colour colour = kInk;
  Dash dash = Dash::solid;
  double width = kLine;
  double opacity = 1.0;
};

struct Band {
  std::vector<double> x, low, high;
  Colour colour = kInk;
  double opacity = 0.18;
};

// An area around a row, such as a density.
struct Outline {
  std::vector<double> x, y;
  Colour colour = kInk;
};

// From one place to another along x, in the row y.
struct Bar {
  double y = 0.0, from = 0.0, to = 0.0;
  double height = 0.64;  // of the row
  Colour colour = kInk;
  double opacity = 1.0;
  Hatch hatch = Hatch::none;
  std::string text;  // in its middle, where it has room
};

// Cells around whole numbers; rows of y, from 0. From `low` (pale) to `high`.
struct HeatMap {
  std::vector<std::vector<double>> rows;
  double low = 0.0, high = 1.0;
};

// Across the panel.
struct Rule {
  enum class Along : uint8_t { x, y };  // x: upright, at a place on x
  Along along = Along::x;
  double at = 0.0;
  Colour colour = kSoft;
  Dash dash = Dash::solid;
  double width = 0.6;
};

using Mark = std::variant<Points, Line, Band, Outline, Bar, HeatMap, Rule>;

enum class Scale : uint8_t { linear, logarithmic };

struct Axis {
  std::string title;
  Scale scale = Scale::linear;
  std::optional<double> low, high;  // else by the marks, with some room
  std::optional<double> with;       // must be within
  bool percent = false;             // shares, written times 100
  bool whole = false;               // ticks at whole numbers only
  bool downwards = false;           // of y: grows from the top
  bool grid = true;
  bool balanced = false;           // as far to both sides of 0
  std::vector<double> ticks;       // only here
  std::vector<std::string> names;  // of rows 0, 1, ...: they replace ticks
};

struct Panel {
  std::string title;
  std::string subtitle;
  Axis x, y;
  std::vector<Mark> marks;
  std::vector<std::string> beside;  // to the right of rows
  std::vector<bool> beside_bold;    // which of these stand out
};

// The sign is made of what is given.
struct LegendItem {
  std::string label;
  Colour colour = kInk;
  std::optional<Marker> marker;
  bool hollow = false;
  std::optional<Dash> dash;
  bool interval = false;  // through the marker
  bool box = false;
  Hatch hatch = Hatch::none;
  bool heat = false;  // the scale of heat maps
  double size = kMarkerSize;
  double opacity = 1.0;
};

struct Chart {
  std::string title, caption;  // not drawn
  std::vector<Panel> panels;
  size_t columns = 1;           // at most
  double panel_height = 118.0;  // of the area with marks; of rows, it follows from their number
  std::vector<LegendItem> legend;
  std::optional<double> width;  // else one column of a paper for up to two panels, and two for more
};

}  // namespace phasor::figure
