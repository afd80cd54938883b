#include "phasor/encoding/measure/kernel_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace phasor {
namespace {

constexpr int64_t kPlotLabel = 11;  // characters left of the frame

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
};

Range range_of(const std::vector<PlotCurve>& curves) {
  Range range;
  for (const PlotCurve& curve : curves) {
    for (const double value : curve.values) {
      range.least = std::min(range.least, value);
      range.most = std::max(range.most, value);
    }
  }
  if (range.most - range.least < 1e-12 * std::max(1.0, std::abs(range.most))) {  // a constant lies in the middle
    range.least -= 1.0;
    range.most += 1.0;
  }
  return range;
}

struct Point {
  int64_t x = 0, y = 0;
};

// A point per distance on a grid of `across` by `down`, from the top left.
std::vector<Point> points(const std::vector<double>& values, const Range& range, int64_t across, int64_t down) {
  std::vector<Point> result;
  const double last = static_cast<double>(values.size() - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    const double share = last == 0.0 ? 0.5 : static_cast<double>(i) / last;
    const double height = (values[i] - range.least) / (range.most - range.least);
    result.push_back({.x = std::llround(share * static_cast<double>(across - 1)),
                      .y = down - 1 - std::llround(height * static_cast<double>(down - 1))});
  }
  return result;
}

// The points, and straight lines between them.
template <class Put>
void draw(const std::vector<Point>& line, const Put& put) {
  for (size_t i = 0; i < line.size(); ++i) {
    const Point& from = line[i == 0 ? 0 : i - 1];
    const int64_t steps = std::max(std::abs(line[i].x - from.x), std::abs(line[i].y - from.y));
    for (int64_t k = 0; k <= steps; ++k) {
      const double share = steps == 0 ? 1.0 : static_cast<double>(k) / static_cast<double>(steps);
      put(from.x + std::llround(share * static_cast<double>(line[i].x - from.x)),
          from.y + std::llround(share * static_cast<double>(line[i].y - from.y)));
    }
  }
}

// The ends of the range, with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> end_labels(const Range& range) {
  std::pair<std::string, std::string> labels;
  for (int digits = 3; digits <= 7 && labels.first == labels.second; ++digits) {
    labels = {fmt::format("{:.{}g}", range.most, digits), fmt::format("{:.{}g}", range.least, digits)};
  }
  return labels;
}

using Cells = std::vector<std::vector<std::string>>;

void draw_marks(const std::vector<PlotCurve>& curves, const Range& range, Cells& cells) {
  for (const PlotCurve& curve : curves) {
    const int64_t columns = static_cast<int64_t>(cells[0].size());
    draw(points(curve.values, range, columns, static_cast<int64_t>(cells.size())), [&](int64_t x, int64_t y) {
      std::string& cell = cells[static_cast<size_t>(y)][static_cast<size_t>(x)];
      if (cell == " ") cell = std::string(1, curve.mark);
    });
  }
}

// Two by four dots to a character.
void draw_dots(const PlotCurve& curve, const Range& range, Cells& cells) {
  constexpr unsigned kDots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  std::vector<std::vector<unsigned>> dots(cells.size(), std::vector<unsigned>(cells[0].size()));
  const int64_t across = 2 * static_cast<int64_t>(cells[0].size());
  draw(points(curve.values, range, across, 4 * static_cast<int64_t>(cells.size())), [&](int64_t x, int64_t y) {
    dots[static_cast<size_t>(y / 4)][static_cast<size_t>(x / 2)] |= kDots[y % 4][x % 2];
  });
  for (size_t y = 0; y < cells.size(); ++y) {
    for (size_t x = 0; x < cells[y].size(); ++x) {
      const unsigned code = dots[y][x];  // U+2800 and up, as UTF-8
      if (code == 0) continue;
      cells[y][x] = {'\xe2', static_cast<char>(0xa0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    }
  }
}

// Distances below the frame: the ends, and 0 where it lies between them.
std::string distance_line(int64_t first, int64_t last, int64_t columns) {
  std::string line(static_cast<size_t>(columns), ' ');
  const auto place = [&](int64_t distance) {
    const std::string text = fmt::format("{}", distance);
    const double share =
        first == last ? 0.5 : static_cast<double>(distance - first) / static_cast<double>(last - first);
    const int64_t centre = std::llround(share * static_cast<double>(columns - 1));
    const int64_t size = static_cast<int64_t>(text.size());
    const int64_t start = std::clamp<int64_t>(centre - size / 2, 0, columns - size);
    const std::string room = line.substr(static_cast<size_t>(std::max<int64_t>(0, start - 1)), text.size() + 2);
    if (room.find_first_not_of(' ') != std::string::npos) return;
    line.replace(static_cast<size_t>(start), text.size(), text);
  };
  place(first);
  place(last);
  if (first < 0 && last > 0) place(0);
  return line;
}

}  // namespace

std::string kernel_plot(const std::vector<PlotCurve>& curves, const PlotFrame& frame) {
  const Range range = range_of(curves);
  Cells cells(static_cast<size_t>(frame.rows), std::vector<std::string>(static_cast<size_t>(frame.columns), " "));
  if (curves.size() == 1 && !frame.ascii) {
    draw_dots(curves.front(), range, cells);
  } else {
    draw_marks(curves, range, cells);
  }
  // The row that 0 lies in, where it is not one of the ends.
  const double zero = -range.least / (range.most - range.least);
  const int64_t zero_row = frame.rows - 1 - std::llround(zero * static_cast<double>(frame.rows - 1));
  const auto [highest, lowest] = end_labels(range);
  std::string text;
  for (int64_t y = 0; y < frame.rows; ++y) {
    std::string label;
    if (y == zero_row) label = "0";
    if (y == 0) label = highest;
    if (y == frame.rows - 1) label = lowest;
    text += fmt::format("{:>{}} |", label, kPlotLabel - 1);
    std::string line;
    for (const std::string& cell : cells[static_cast<size_t>(y)]) line += cell;
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  const int64_t last = frame.first + static_cast<int64_t>(curves.front().values.size()) - 1;
  text += fmt::format("{:{}}+{}\n", "", kPlotLabel, std::string(static_cast<size_t>(frame.columns), '-'));
  text += fmt::format("{:{}}{}\n", "", kPlotLabel + 1, distance_line(frame.first, last, frame.columns));
  return text;
}

}  // namespace phasor
