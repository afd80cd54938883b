#include "phasor/figure/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "phasor/figure/font.h"
#include "phasor/figure/pdf.h"
#include "phasor/figure/svg.h"

namespace phasor::figure {
namespace layout_test {

Box extent(const Text& text) {
  const double width = text_width(text.text, text.size, text.bold);
  const double back = text.anchor == Anchor::middle ? 0.5 * width : text.anchor == Anchor::end ? width : 0.0;
  if (text.upwards) return {text.at.x - 0.72 * text.size, text.at.y - width + back, 0.72 * text.size, width};
  return {text.at.x - back, text.at.y - 0.72 * text.size, width, 0.72 * text.size};
}

bool overlap(const Box& a, const Box& b) {
  constexpr double kTouch = 0.3;
  return a.left + kTouch < b.right() && b.left + kTouch < a.right() && a.top + kTouch < b.bottom() &&
         b.top + kTouch < a.bottom();
}

// No text is cut by the edge or runs into another one.
void expect_tidy(const Chart& chart) {
  const Drawing drawing = laid_out(chart);
  std::vector<Text> texts;
  for (const Shape& shape : drawing.shapes) {
    if (const auto* text = std::get_if<Text>(&shape)) texts.push_back(*text);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    const Box box = extent(texts[i]);
    EXPECT_GE(box.left, 0.0) << texts[i].text;
    EXPECT_GE(box.top, 0.0) << texts[i].text;
    EXPECT_LE(box.right(), drawing.width) << texts[i].text;
    EXPECT_LE(box.bottom(), drawing.height) << texts[i].text;
    for (size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(box, extent(texts[j]))) << "'" << texts[i].text << "' over '" << texts[j].text << "'";
    }
  }
  for (const std::string& text : {svg(drawing), pdf(drawing).bytes}) {
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(text.find("inf"), std::string::npos);
  }
}

std::string long_name(int i) {
  return "bias(\"-softplus(a)*log(1+b*abs(i-j))/" + std::to_string(i) + "\")+rope(base=" + std::to_string(10000 + i) +
         ")";
}

Chart rows(int count) {
  Chart chart;
  Panel panel{.x = {.title = "a number with a rather long title that has to be folded somewhere (nats)"}};
  for (int i = 0; i < count; ++i) {
    panel.y.names.push_back(long_name(i));
    panel.marks.emplace_back(
        Points{.points = {{.x = 0.1 * i, .y = 1.0 * i, .x_low = 0.1 * i - 1, .x_high = 0.1 * i + 1}}});
    panel.beside.emplace_back("p 0.03");
    chart.legend.push_back({.label = long_name(i), .marker = Marker::circle, .dash = Dash::dashed});
  }
  chart.panels.push_back(panel);
  return chart;
}

TEST(Layout, LongNamesOfManyRowsHaveRoom) {
  expect_tidy(rows(1));
  expect_tidy(rows(12));
}

Chart panels(int count, double scale) {
  Chart chart{.columns = 4, .panel_height = 70};
  for (int i = 0; i < count; ++i) {
    Panel panel{.title = long_name(i),
                .subtitle = "not used, max 0.002",
                .x = {.title = "key minus query"},
                .y = {.title = "logit"}};
    panel.marks.emplace_back(Line{.x = {-5 * scale, 0, 7 * scale}, .y = {scale, kNaN, -3 * scale}});
    chart.panels.push_back(panel);
  }
  return chart;
}

TEST(Layout, SmallMultiplesHaveRoom) {
  for (const double scale : {1e-9, 3.7e-4, 1.0, 2345.0, 6e7}) {
    for (const int count : {1, 2, 5, 12}) expect_tidy(panels(count, scale));
  }
}

TEST(Layout, EqualMissingAndInfiniteValuesAreDrawn) {
  for (const double value : {0.0, 0.5, kNaN, kInfinity}) {
    for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
      Chart chart;
      Panel panel{.x = {.title = "step"}, .y = {.title = "loss", .scale = scale}};
      panel.marks.emplace_back(Line{.x = {1, 2, 3}, .y = {value, value, value}});
      panel.marks.emplace_back(Band{.x = {1, 2, 3}, .low = {value, value, value}, .high = {value, 1, value}});
      panel.marks.emplace_back(Points{.points = {{.x = 1, .y = value, .y_low = -kInfinity, .y_high = kInfinity}}});
      chart.panels.push_back(panel);
      expect_tidy(chart);
    }
  }
}

TEST(Layout, SaysThatThereIsNothing) {
  Chart chart;
  chart.panels.push_back({.x = {.title = "step"}});
  const Drawing drawing = laid_out(chart);
  EXPECT_TRUE(std::any_of(drawing.shapes.begin(), drawing.shapes.end(), [](const Shape& shape) {
    const auto* text = std::get_if<Text>(&shape);
    return text != nullptr && text->text == "no data";
  }));
}

TEST(Layout, FitsAColumnOfAPaper) {
  EXPECT_DOUBLE_EQ(laid_out(panels(1, 1)).width, 237.6);
  EXPECT_DOUBLE_EQ(laid_out(panels(2, 1)).width, 237.6);
  EXPECT_DOUBLE_EQ(laid_out(panels(3, 1)).width, 496.8);
}

}  // namespace layout_test
}  // namespace phasor::figure
