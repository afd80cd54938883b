#include "phasor/figure/legend.h"

#include <algorithm>
#include <cmath>

#include "phasor/figure/font.h"
#include "phasor/figure/sign.h"

namespace phasor::figure {
namespace {

constexpr double kSignWidth = 17.0;
constexpr double kSignGap = 4.0;
constexpr double kItemGap = 11.0;
constexpr double kLineHeight = 9.6;
constexpr double kMargin = 3.0;

void draw_sign(std::vector<Shape>& shapes, const LegendItem& item, double left, double middle) {
  const double centre = left + 0.5 * kSignWidth;
  const auto line = [&](Dash dash, double width) {
    shapes.emplace_back(
        Path{.places = {{left, middle}, {left + kSignWidth, middle}},
             .stroke = Stroke{.colour = item.colour, .width = width, .dash = dash_lengths(dash, width)}});
  };
  if (item.box) {
    const Box box{left + 3, middle - 3, kSignWidth - 6, 6};
    Path path = rectangle(box);
    path.fill = Fill{.colour = item.colour, .opacity = item.opacity};
    shapes.emplace_back(std::move(path));
    add_hatch(shapes, box, item.hatch);
  }
  if (item.heat) {
    constexpr int kSteps = 17;
    for (int i = 0; i < kSteps; ++i) {
      Path path = rectangle({left + i, middle - 3, 1.05, 6});
      path.fill = Fill{.colour = heat_colour(static_cast<double>(i) / (kSteps - 1))};
      shapes.emplace_back(std::move(path));
    }
  }
  if (item.dash) line(*item.dash, item.marker || item.dash == Dash::solid ? kLine : 0.9);
  if (item.interval) {
    line(Dash::solid, 0.8);
    for (const double end : {left, left + kSignWidth}) {
      shapes.emplace_back(Path{.places = {{end, middle - 1.6}, {end, middle + 1.6}},
                               .stroke = Stroke{.colour = item.colour, .width = 0.8}});
    }
  }
  if (item.marker) {
    add_marker(shapes, *item.marker, {centre, middle},
               {.colour = item.colour, .size = item.size, .hollow = item.hollow, .opacity = item.opacity});
  }
}

}  // namespace

double draw_legend(std::vector<Shape>& shapes, const std::vector<LegendItem>& items, double width, double top) {
  if (items.empty()) return top;
  const double room = width - 2 * kMargin;
  const double most_text = room - kSignWidth - kSignGap;
  std::vector<std::vector<std::string>> texts;
  std::vector<double> widths;
  for (const LegendItem& item : items) {
    texts.push_back(folded(item.label, most_text, kTextSize, false, 3));
    double text = 0.0;
    for (const std::string& line : texts.back()) text = std::max(text, text_width(line, kTextSize));
    widths.push_back(kSignWidth + kSignGap + text);
  }
  // In columns where two or more have room, else as they come.
  const double widest = *std::max_element(widths.begin(), widths.end());
  const auto columns =
      std::min(items.size(), static_cast<size_t>(std::max(1.0, std::floor((room + kItemGap) / (widest + kItemGap)))));
  const bool grid = columns > 1;
  double x = kMargin;
  double y = top;
  double height = 0.0;
  for (size_t i = 0; i < items.size(); ++i) {
    const bool new_line = grid ? i % columns == 0 : x > kMargin && x + widths[i] > kMargin + room;
    if (i > 0 && new_line) {
      x = kMargin;
      y += height;
      height = 0.0;
    }
    draw_sign(shapes, items[i], x, y + 0.5 * kLineHeight);
    for (size_t line = 0; line < texts[i].size(); ++line) {
      shapes.emplace_back(Text{.at = {x + kSignWidth + kSignGap, y + 7.2 + kLineHeight * static_cast<double>(line)},
                               .text = texts[i][line],
                               .size = kTextSize,
                               .colour = kInk});
    }
    height = std::max(height, kLineHeight * static_cast<double>(texts[i].size()));
    x += (grid ? widest : widths[i]) + kItemGap;
  }
  return y + height;
}

}  // namespace phasor::figure
