#include "phasor/figure/layout.h"

#include <algorithm>
#include <cmath>

#include "phasor/figure/font.h"
#include "phasor/figure/legend.h"
#include "phasor/figure/panel_frame.h"

namespace phasor::figure {
namespace {

constexpr double kEdge = 3.0;
constexpr double kTickLength = 2.2;
constexpr double kTickText = 3.2;    // from the axis to its texts
constexpr double kPanelGap = 9.0;    // below a panel
constexpr double kLineStep = 8.2;    // between lines of text
constexpr double kTitleStep = 9.4;   // between lines of a title
constexpr double kLeastRow = 14.0;   // of rows with names
constexpr double kNameShare = 0.42;  // of a panel's width, at most, for names of rows
constexpr size_t kNameLines = 4;
constexpr size_t kTitleLines = 3;

class Layout {
 public:
  explicit Layout(const Chart& chart) : chart_(chart) {
    columns_ = std::max<size_t>(1, std::min(chart.columns, chart.panels.size()));
    drawing_.width = chart.width.value_or(columns_ <= 2 ? kOneColumn : kTwoColumns);
    drawing_.title = chart.title;
    drawing_.caption = chart.caption;
  }

  Drawing drawing() {
    measure();
    double y = kEdge;
    for (size_t first = 0; first < chart_.panels.size(); first += columns_) y = draw_row(first, y);
    y = draw_legend(drawing_.shapes, chart_.legend, drawing_.width, y + 1.0);
    drawing_.height = std::ceil(y + kEdge);
    return std::move(drawing_);
  }

 private:
  // Margins that all panels have, so that they line up.
  void measure() {
    const double whole = (drawing_.width - 2 * kEdge) / static_cast<double>(columns_);
    for (const Panel& panel : chart_.panels) {
      double names = 0.0;
      std::vector<std::vector<std::string>> folded_names;
      for (const std::string& name : panel.y.names) {
        folded_names.push_back(folded(name, kNameShare * whole, kTextSize, false, kNameLines));
        for (const std::string& line : folded_names.back()) names = std::max(names, text_width(line, kTextSize));
      }
      names_.push_back(std::move(folded_names));
      heights_.push_back(height_of(panel, names_.back()));
      if (panel.y.names.empty()) {
        const PanelFrame frame(panel, {0, 0, 100, heights_.back()});
        for (const Tick& tick : ticks_along_y(frame.y(), heights_.back())) names = std::max(names, tick_width(tick));
      }
      left_ = std::max(left_, names + kTickText + 1.5);
      if (!panel.y.title.empty()) title_ = kTitleSize + 3.5;
      for (const std::string& text : panel.beside) right_ = std::max(right_, text_width(text, kTextSize, true) + 8.0);
    }
    right_ = std::max(right_, columns_ > 1 ? 8.0 : 7.0);
    // What sticks out on the right depends on the width, and the width on it: twice is enough.
    for (int pass = 0; pass < 2; ++pass) {
      plot_width_ = (drawing_.width - 2 * kEdge - title_) / static_cast<double>(columns_) - left_ - right_;
      for (const Panel& panel : chart_.panels) right_ = std::max(right_, overhang(panel) + 1.5);
    }
    plot_width_ = (drawing_.width - 2 * kEdge - title_) / static_cast<double>(columns_) - left_ - right_;
  }

  // Of the texts of ticks, beyond the right end of the axis.
  double overhang(const Panel& panel) const {
    const PanelFrame frame(panel, {0, 0, plot_width_, 100});
    double most = 0.0;
    for (const Tick& tick : ticks_along_x(frame.x(), plot_width_)) {
      most = std::max(most, frame.place_x(tick.at) + 0.5 * tick_width(tick) - plot_width_);
    }
    return most;
  }

  double height_of(const Panel& panel, const std::vector<std::vector<std::string>>& names) const {
    if (names.empty()) return chart_.panel_height;
    size_t lines = 1;
    for (const auto& name : names) lines = std::max(lines, name.size());
    return static_cast<double>(panel.y.names.size()) *
           std::max(kLeastRow, kLineStep * static_cast<double>(lines) + 4.5);
  }

  std::vector<std::string> title_lines(const Panel& panel) const {
    if (panel.title.empty()) return {};
    return folded(panel.title, plot_width_ + right_ - 3.0, kTitleSize, true, kTitleLines);
  }

  double title_height(size_t first, size_t last) const {
    double height = 3.0;
    for (size_t i = first; i < last; ++i) {
      const Panel& panel = chart_.panels[i];
      const auto lines = static_cast<double>(title_lines(panel).size());
      height = std::max(height, kTitleStep * lines + (panel.subtitle.empty() ? 0.0 : kLineStep) + 4.0);
    }
    return height;
  }

  std::vector<std::string> x_title_lines(size_t i) const {
    if (!shows_x_title(i)) return {};
    return folded(chart_.panels[i].x.title, left_ + plot_width_ + right_ - 4.0, kTitleSize, false, 2);
  }

  // The lowest of its column, or above one with another title.
  bool shows_x_title(size_t i) const {
    const Panel& panel = chart_.panels[i];
    const size_t below = i + columns_;
    return !panel.x.title.empty() && (below >= chart_.panels.size() || chart_.panels[below].x.title != panel.x.title);
  }

  double draw_row(size_t first, double top) {
    const size_t last = std::min(first + columns_, chart_.panels.size());
    const double titles = title_height(first, last);
    double below = 0.0;
    for (size_t i = first; i < last; ++i) {
      const double left = kEdge + title_ + static_cast<double>(i - first) * (left_ + plot_width_ + right_) + left_;
      const PanelFrame frame(chart_.panels[i], {left, top + titles, plot_width_, heights_[i]});
      draw_titles(frame);
      draw_axes(frame, i, i == first);
      draw_marks(drawing_.shapes, frame);
      draw_beside(frame);
      below = std::max(below, heights_[i] + kTickText + kTextSize + 1.5 + x_title_height(i));
    }
    return top + titles + below + (last < chart_.panels.size() ? kPanelGap : 4.0);
  }

  double x_title_height(size_t i) const {
    const auto lines = static_cast<double>(x_title_lines(i).size());
    return lines > 0 ? kTitleStep * lines + 2.0 : 0.0;
  }

  void draw_titles(const PanelFrame& frame) {
    const Panel& panel = frame.panel();
    const Box& plot = frame.plot();
    double y = plot.top - 4.0;
    if (!panel.subtitle.empty()) {
      add_text({plot.left, y}, folded(panel.subtitle, plot_width_ + right_ - 3.0, kTextSize, false, 1).front(),
               kTextSize, Anchor::start, kSoft);
      y -= kLineStep;
    }
    std::vector<std::string> lines = title_lines(panel);
    for (auto line = lines.rbegin(); line != lines.rend(); ++line, y -= kTitleStep) {
      drawing_.shapes.emplace_back(
          Text{.at = {plot.left, y}, .text = *line, .size = kTitleSize, .bold = true, .colour = kInk});
    }
  }

  void draw_axes(const PanelFrame& frame, size_t i, bool first_column) {
    const Panel& panel = frame.panel();
    const Box& plot = frame.plot();
    const std::vector<Tick> x_ticks = ticks_along_x(frame.x(), plot.width);
    for (const Tick& tick : x_ticks) {
      const double x = frame.place_x(tick.at);
      if (panel.x.grid && !tick.text.empty()) add_line({x, plot.top}, {x, plot.bottom()}, kGrid, 0.4);
    }
    const bool rows = !panel.y.names.empty();
    const std::vector<Tick> y_ticks = rows ? std::vector<Tick>{} : ticks_along_y(frame.y(), plot.height);
    for (const Tick& tick : y_ticks) {
      const double y = frame.place_y(tick.at);
      if (panel.y.grid && !tick.text.empty()) add_line({plot.left, y}, {plot.right(), y}, kGrid, 0.4);
    }
    add_line({plot.left, plot.top}, {plot.left, plot.bottom()}, kSoft, kThinLine);
    add_line({plot.left, plot.bottom()}, {plot.right(), plot.bottom()}, kSoft, kThinLine);
    for (const Tick& tick : x_ticks) draw_x_tick(frame, tick);
    for (const Tick& tick : y_ticks) draw_y_tick(frame, tick);
    if (rows) draw_names(frame, names_[i]);
    double title = plot.bottom() + kTickText + kTextSize + kTitleSize + 2.5;
    for (const std::string& line : x_title_lines(i)) {
      // Below the middle of the axis, as far as the panel has room.
      const double half = 0.5 * text_width(line, kTitleSize);
      const double middle = std::max(plot.left - left_ + half + 1.0,
                                     std::min(plot.left + 0.5 * plot.width, plot.right() + right_ - half - 1.0));
      add_text({middle, title}, line, kTitleSize, Anchor::middle, kInk);
      title += kTitleStep;
    }
    if (first_column && !panel.y.title.empty()) {
      drawing_.shapes.emplace_back(Text{.at = {kEdge + kTitleSize - 1.0, plot.top + 0.5 * plot.height},
                                        .text = panel.y.title,
                                        .size = kTitleSize,
                                        .anchor = Anchor::middle,
                                        .upwards = true,
                                        .colour = kInk});
    }
  }

  void draw_x_tick(const PanelFrame& frame, const Tick& tick) {
    const double x = frame.place_x(tick.at);
    const double bottom = frame.plot().bottom();
    add_line({x, bottom}, {x, bottom + (tick.text.empty() ? 0.6 : 1.0) * kTickLength}, kSoft, kThinLine);
    add_tick_text(tick, {x - 0.5 * tick_width(tick), bottom + kTickText + kTextSize - 1.0});
  }

  void draw_y_tick(const PanelFrame& frame, const Tick& tick) {
    const double y = frame.place_y(tick.at);
    const double left = frame.plot().left;
    add_line({left - (tick.text.empty() ? 0.6 : 1.0) * kTickLength, y}, {left, y}, kSoft, kThinLine);
    add_tick_text(tick, {left - kTickText - tick_width(tick), y + 0.35 * kTextSize});
  }

  void draw_names(const PanelFrame& frame, const std::vector<std::vector<std::string>>& names) {
    for (size_t row = 0; row < names.size(); ++row) {
      const double middle = frame.place_y(static_cast<double>(row));
      const double first = middle - 0.5 * kLineStep * static_cast<double>(names[row].size() - 1) + 0.35 * kTextSize;
      for (size_t line = 0; line < names[row].size(); ++line) {
        add_text({frame.plot().left - kTickText, first + kLineStep * static_cast<double>(line)}, names[row][line],
                 kTextSize, Anchor::end, kInk);
      }
    }
  }

  void draw_beside(const PanelFrame& frame) {
    const Panel& panel = frame.panel();
    for (size_t row = 0; row < panel.beside.size(); ++row) {
      const bool bold = row < panel.beside_bold.size() && panel.beside_bold[row];
      drawing_.shapes.emplace_back(
          Text{.at = {frame.plot().right() + 5.0, frame.place_y(static_cast<double>(row)) + 0.35 * kTextSize},
               .text = panel.beside[row],
               .size = kTextSize,
               .bold = bold,
               .colour = bold ? kInk : kSoft});
    }
  }

  void add_tick_text(const Tick& tick, Place at) {
    add_text(at, tick.text, kTextSize, Anchor::start, kInk);
    add_text({at.x + text_width(tick.text, kTextSize), at.y - 0.38 * kTextSize}, tick.raised, 0.7 * kTextSize,
             Anchor::start, kInk);
  }

  void add_text(Place at, const std::string& text, double size, Anchor anchor, Colour colour) {
    if (text.empty()) return;
    drawing_.shapes.emplace_back(Text{.at = at, .text = text, .size = size, .anchor = anchor, .colour = colour});
  }

  void add_line(Place from, Place to, Colour colour, double width) {
    drawing_.shapes.emplace_back(Path{.places = {from, to}, .stroke = Stroke{.colour = colour, .width = width}});
  }

  const Chart& chart_;
  Drawing drawing_;
  size_t columns_ = 1;
  std::vector<std::vector<std::vector<std::string>>> names_;  // [panels][rows][lines]
  std::vector<double> heights_;                               // [panels], of the area with marks
  double left_ = 0.0, right_ = 0.0, title_ = 0.0, plot_width_ = 0.0;
};

}  // namespace

Drawing laid_out(const Chart& chart) { return Layout(chart).drawing(); }

bool fits_row(std::string_view name) {
  return folded(name, kNameShare * (kOneColumn - 2 * kEdge), kTextSize, false, kNameLines + 1).size() <= kNameLines;
}

}  // namespace phasor::figure
