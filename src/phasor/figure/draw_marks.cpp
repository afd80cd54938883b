#include <algorithm>
#include <cmath>

#include "phasor/figure/font.h"
#include "phasor/figure/panel_frame.h"
#include "phasor/figure/sign.h"

namespace phasor::figure {
namespace {

constexpr double kCap = 1.6;  // half of the stroke at the end of an interval
constexpr double kIntervalLine = 0.8;

class MarkDrawer {
 public:
  MarkDrawer(std::vector<Shape>& shapes, const PanelFrame& frame) : shapes_(shapes), frame_(frame) {}

  bool has_drawn() const { return drawn_; }

  void operator()(const Points& it) {
    for (const Point& point : it.points) draw_intervals(point, it);
    for (const Point& point : it.points) {
      if (!frame_.x().has(point.x) || !frame_.y().has(point.y)) continue;
      drawn_ = true;
      add_marker(shapes_, it.marker, frame_.place(point.x, point.y),
                 {.colour = it.colour, .size = it.size, .hollow = point.hollow, .opacity = it.opacity});
    }
  }

  void operator()(const Line& it) {
    Path path{
        .stroke = Stroke{
            .colour = it.colour, .width = it.width, .dash = dash_lengths(it.dash, it.width), .opacity = it.opacity}};
    clipped([&] {
      for (size_t i = 0; i < std::min(it.x.size(), it.y.size()); ++i) {
        const Place place = frame_.place(it.x[i], it.y[i]);
        if (std::isfinite(place.x) && std::isfinite(place.y)) {
          path.places.push_back(place);
        } else {
          end_line(path);
        }
      }
      end_line(path);
    });
  }

  void operator()(const Band& it) {
    clipped([&] {
      std::vector<Place> above;
      std::vector<Place> below;
      const auto end = [&] {
        if (above.size() > 1) {
          above.insert(above.end(), below.rbegin(), below.rend());
          shapes_.emplace_back(
              Path{.places = above, .closed = true, .fill = Fill{.colour = it.colour, .opacity = it.opacity}});
          drawn_ = true;
        }
        above.clear();
        below.clear();
      };
      for (size_t i = 0; i < std::min({it.x.size(), it.low.size(), it.high.size()}); ++i) {
        const Place high = frame_.place(it.x[i], it.high[i]);
        const Place low = frame_.place(it.x[i], it.low[i]);
        if (std::isfinite(high.x) && std::isfinite(high.y) && std::isfinite(low.y)) {
          above.push_back(high);
          below.push_back(low);
        } else {
          end();
        }
      }
      end();
    });
  }

  void operator()(const Outline& it) {
    Path path{.closed = true,
              .stroke = Stroke{.colour = it.colour, .width = 0.6, .opacity = 0.8},
              .fill = Fill{.colour = it.colour, .opacity = 0.16}};
    for (size_t i = 0; i < std::min(it.x.size(), it.y.size()); ++i) {
      path.places.push_back(frame_.place(it.x[i], it.y[i]));
    }
    if (path.places.size() < 3) return;
    clipped([&] { shapes_.emplace_back(std::move(path)); });
    drawn_ = true;
  }

  void operator()(const Bar& it) {
    if (!std::isfinite(it.from) || !std::isfinite(it.to)) return;
    drawn_ = true;
    const double left = frame_.place_x(std::min(it.from, it.to));
    const double width = frame_.place_x(std::max(it.from, it.to)) - left;
    const double height = it.height * frame_.row_height();
    const Box box{left, frame_.place_y(it.y) - 0.5 * height, width, height};
    if (width <= 0) return;
    Path path = rectangle(box);
    path.fill = Fill{.colour = it.colour, .opacity = it.opacity};
    shapes_.emplace_back(std::move(path));
    add_hatch(shapes_, box, it.hatch);
    if (it.text.empty() || text_width(it.text, kTextSize, true) + 2 > width) return;
    const Place middle{left + 0.5 * width, box.top + 0.5 * height};
    if (it.hatch != Hatch::none) {
      shapes_.emplace_back(Circle{.centre = middle, .radius = 0.62 * kTextSize, .fill = Fill{.colour = it.colour}});
    }
    shapes_.emplace_back(Text{.at = {middle.x, middle.y + 0.36 * kTextSize},
                              .text = it.text,
                              .size = kTextSize,
                              .anchor = Anchor::middle,
                              .bold = true,
                              .colour = it.colour.lightness() < 0.55 ? kPaper : kInk});
  }

  void operator()(const HeatMap& it) {
    const double range = it.high > it.low ? it.high - it.low : 1.0;
    for (size_t row = 0; row < it.rows.size(); ++row) {
      for (size_t column = 0; column < it.rows[row].size(); ++column) {
        const double value = it.rows[row][column];
        const Place centre = frame_.place(static_cast<double>(column), static_cast<double>(row));
        const double width = frame_.place_x(1) - frame_.place_x(0);
        const Box box{centre.x - 0.5 * width, centre.y - 0.5 * frame_.row_height(), width, frame_.row_height()};
        Path cell = rectangle({box.left + 0.4, box.top + 0.4, box.width - 0.8, box.height - 0.8});
        drawn_ = true;
        if (std::isfinite(value)) {
          cell.fill = Fill{.colour = heat_colour((value - it.low) / range)};
          cell.stroke = Stroke{.colour = kGrid, .width = 0.3};
        } else {
          cell.stroke = Stroke{.colour = kFaint, .width = 0.4, .dash = {1.2, 1.2}};
        }
        shapes_.emplace_back(std::move(cell));
      }
    }
  }

  void operator()(const Rule& it) {
    const Box& plot = frame_.plot();
    const Stroke stroke{.colour = it.colour, .width = it.width, .dash = dash_lengths(it.dash, it.width)};
    if (it.along == Rule::Along::x && frame_.x().has(it.at)) {
      const double x = frame_.place_x(it.at);
      shapes_.emplace_back(Path{.places = {{x, plot.top}, {x, plot.bottom()}}, .stroke = stroke});
    }
    if (it.along == Rule::Along::y && frame_.y().has(it.at)) {
      const double y = frame_.place_y(it.at);
      shapes_.emplace_back(Path{.places = {{plot.left, y}, {plot.right(), y}}, .stroke = stroke});
    }
  }

 private:
  template <class Draw>
  void clipped(const Draw& draw) {
    // Lines along the border are as wide as elsewhere.
    const Box& plot = frame_.plot();
    shapes_.emplace_back(Clip{Box{plot.left - 0.6, plot.top - 0.6, plot.width + 1.2, plot.height + 1.2}});
    draw();
    shapes_.emplace_back(Clip{});
  }

  void end_line(Path& path) {
    if (path.places.size() > 1) {
      shapes_.emplace_back(path);
      drawn_ = true;
    } else if (path.places.size() == 1) {
      // A value with none beside it would be no line at all.
      shapes_.emplace_back(Circle{.centre = path.places[0],
                                  .radius = 0.9 * path.stroke->width,
                                  .fill = Fill{.colour = path.stroke->colour, .opacity = path.stroke->opacity}});
      drawn_ = true;
    }
    path.places.clear();
  }

  void draw_intervals(const Point& point, const Points& of) {
    const Stroke stroke{.colour = of.colour, .width = kIntervalLine, .opacity = of.opacity};
    const auto line = [&](Place from, Place to) { shapes_.emplace_back(Path{.places = {from, to}, .stroke = stroke}); };
    const auto within = [](const AxisScale& scale, double value) {
      const double at = std::clamp(value, scale.low(), scale.high());
      return std::isfinite(scale.share(value)) ? at : value > 0 ? at : scale.low();
    };
    if (std::isfinite(point.x_low) && std::isfinite(point.x_high) && frame_.y().has(point.y)) {
      const double y = frame_.place_y(point.y);
      const double low = frame_.place_x(within(frame_.x(), point.x_low));
      const double high = frame_.place_x(within(frame_.x(), point.x_high));
      line({low, y}, {high, y});
      for (const double end : {low, high}) line({end, y - kCap}, {end, y + kCap});
    }
    if (std::isfinite(point.y_low) && std::isfinite(point.y_high) && frame_.x().has(point.x)) {
      const double x = frame_.place_x(point.x);
      const double low = frame_.place_y(within(frame_.y(), point.y_low));
      const double high = frame_.place_y(within(frame_.y(), point.y_high));
      line({x, low}, {x, high});
      for (const double end : {low, high}) line({x - kCap, end}, {x + kCap, end});
    }
  }

  std::vector<Shape>& shapes_;
  const PanelFrame& frame_;
  bool drawn_ = false;
};

}  // namespace

void draw_marks(std::vector<Shape>& shapes, const PanelFrame& frame) {
  MarkDrawer drawer(shapes, frame);
  for (const Mark& mark : frame.panel().marks) std::visit(drawer, mark);
  if (drawer.has_drawn()) return;
  const Box& plot = frame.plot();
  shapes.emplace_back(Text{.at = {plot.left + 0.5 * plot.width, plot.top + 0.5 * plot.height + 2.5},
                           .text = "no data",
                           .size = kTextSize,
                           .anchor = Anchor::middle,
                           .colour = kSoft});
}

}  // namespace phasor::figure
