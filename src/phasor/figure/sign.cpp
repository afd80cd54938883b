#include "phasor/figure/sign.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace phasor::figure {
namespace {

// Corners around a centre, the first one straight up; every second one at the inner radius, where there is one.
std::vector<Place> corners(Place centre, double radius, int count, double inner = 0.0) {
  std::vector<Place> places;
  const int all = inner > 0 ? 2 * count : count;
  for (int i = 0; i < all; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / all;
    const double r = inner > 0 && i % 2 == 1 ? inner * radius : radius;
    places.push_back({centre.x + r * std::sin(angle), centre.y - r * std::cos(angle)});
  }
  return places;
}

std::vector<Place> outline_of(Marker marker, Place c, double radius) {
  const double square = 0.86 * radius;
  switch (marker) {
    case Marker::square:
      return {{c.x - square, c.y - square},
              {c.x + square, c.y - square},
              {c.x + square, c.y + square},
              {c.x - square, c.y + square}};
    case Marker::triangle_up:
      return corners(c, 1.18 * radius, 3);
    case Marker::triangle_down: {
      std::vector<Place> places = corners(c, 1.18 * radius, 3);
      for (Place& place : places) place.y = 2 * c.y - place.y;
      return places;
    }
    case Marker::star:
      return corners(c, 1.3 * radius, 5, 0.42);
    case Marker::pentagon:
      return corners(c, 1.08 * radius, 5);
    case Marker::hexagon:
      return corners(c, 1.05 * radius, 6);
    case Marker::diamond:
    case Marker::diamond_dot:
      return corners(c, 1.2 * radius, 4);
    default:
      return {};
  }
}

void add_segment(std::vector<Shape>& shapes, Place from, Place to, const Stroke& stroke) {
  shapes.emplace_back(Path{.places = {from, to}, .stroke = stroke});
}

}  // namespace

void add_marker(std::vector<Shape>& shapes, Marker marker, Place centre, const MarkerLook& look) {
  const double radius = 0.5 * look.size;
  const double thin = std::clamp(0.2 * look.size, 0.5, 0.9);
  const Stroke stroke{.colour = look.colour, .width = thin, .opacity = look.opacity};
  const Stroke bold{.colour = look.colour, .width = look.hollow ? thin : 1.7 * thin, .opacity = look.opacity};
  const auto segment = [&](double dx, double dy) {
    add_segment(shapes, {centre.x - dx, centre.y - dy}, {centre.x + dx, centre.y + dy}, bold);
  };
  switch (marker) {
    case Marker::plus:
      segment(1.1 * radius, 0);
      segment(0, 1.1 * radius);
      return;
    case Marker::cross:
      segment(0.85 * radius, 0.85 * radius);
      segment(0.85 * radius, -0.85 * radius);
      return;
    case Marker::stroke:
      segment(0, 1.3 * radius);
      return;
    case Marker::dash:
      segment(1.3 * radius, 0);
      return;
    default:
      break;
  }
  const bool hollow = look.hollow || marker == Marker::diamond_dot;
  std::optional<Fill> fill;
  if (hollow) {
    fill = Fill{.colour = kPaper};
  } else {
    fill = Fill{.colour = look.colour, .opacity = look.opacity};
  }
  const std::optional<Stroke> edge = hollow ? std::optional(stroke) : std::nullopt;
  if (marker == Marker::circle) {
    shapes.emplace_back(
        Circle{.centre = centre, .radius = radius - (hollow ? 0.5 * thin : 0), .stroke = edge, .fill = fill});
    return;
  }
  shapes.emplace_back(Path{.places = outline_of(marker, centre, radius), .closed = true, .stroke = edge, .fill = fill});
  if (marker == Marker::diamond_dot) {
    shapes.emplace_back(Circle{.centre = centre, .radius = 0.24 * look.size / 2, .fill = Fill{.colour = look.colour}});
  }
}

std::vector<double> dash_lengths(Dash dash, double width) {
  std::vector<double> lengths;
  switch (dash) {
    case Dash::solid:
      return {};
    case Dash::dashed:
      lengths = {4, 2};
      break;
    case Dash::dotted:
      lengths = {1.1, 1.6};
      break;
    case Dash::dash_dot:
      lengths = {4, 1.6, 1.1, 1.6};
      break;
    case Dash::long_dash:
      lengths = {7.5, 2.2};
      break;
    case Dash::long_dash_dot:
      lengths = {7.5, 1.8, 1.1, 1.8};
      break;
    case Dash::dash_dot_dot:
      lengths = {5, 1.5, 1.1, 1.5, 1.1, 1.5};
      break;
    case Dash::fine:
      lengths = {2.2, 1.4};
      break;
  }
  for (double& length : lengths) length *= std::max(width, 0.6);
  return lengths;
}

void add_hatch(std::vector<Shape>& shapes, const Box& box, Hatch hatch) {
  if (hatch == Hatch::none || box.width <= 0) return;
  constexpr double kStep = 3.2;
  const Stroke stroke{.colour = kPaper, .width = 0.7, .opacity = 0.75};
  shapes.emplace_back(Clip{box});
  if (hatch == Hatch::dotted) {
    int row = 0;
    for (double y = box.top + 1.6; y < box.bottom(); y += 2.6, ++row) {
      for (double x = box.left + (row % 2 == 0 ? 1.3 : 2.9); x < box.right(); x += kStep) {
        shapes.emplace_back(Circle{.centre = {x, y}, .radius = 0.5, .fill = Fill{.colour = kPaper, .opacity = 0.75}});
      }
    }
  } else {
    for (double x = box.left - box.height; x < box.right(); x += kStep) {
      if (hatch != Hatch::falling) add_segment(shapes, {x, box.bottom()}, {x + box.height, box.top}, stroke);
      if (hatch != Hatch::rising) add_segment(shapes, {x, box.top}, {x + box.height, box.bottom()}, stroke);
    }
  }
  shapes.emplace_back(Clip{});
}

}  // namespace phasor::figure
