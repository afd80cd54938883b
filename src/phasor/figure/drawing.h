#pragma once
// What a figure is on paper: lines, areas and texts in points, from the left upper corner. Two writers put it into a
// file: svg.h and pdf.h.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "phasor/figure/colour.h"

namespace phasor::figure {

struct Place {
  double x = 0.0, y = 0.0;
};

struct Box {
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct Stroke {
  Colour colour;
  double width = 0.5;
  std::vector<double> dash;  // lengths of lines and gaps; empty: whole
  double opacity = 1.0;
};

struct Fill {
  Colour colour;
  double opacity = 1.0;
};

// Straight lines through places.
struct Path {
  std::vector<Place> places;
  bool closed = false;
  std::optional<Stroke> stroke;
  std::optional<Fill> fill;
};

struct Circle {
  Place centre;
  double radius = 1.0;
  std::optional<Stroke> stroke;
  std::optional<Fill> fill;
};

enum class Anchor : uint8_t { start, middle, end };

struct Text {
  Place at;  // on the base line
  std::string text;
  double size = 7.0;
  Anchor anchor = Anchor::start;
  bool bold = false;
  bool upwards = false;  // read from below
  Colour colour;
};

// What follows is drawn within the box alone, until the next one; without a box, everywhere.
struct Clip {
  std::optional<Box> box;
};

using Shape = std::variant<Path, Circle, Text, Clip>;

struct Drawing {
  double width = 0.0, height = 0.0;
  std::string title, caption;  // not drawn: for readers of the file
  std::vector<Shape> shapes;
};

Path rectangle(const Box& box);

}  // namespace phasor::figure
