#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "phasor/figure/deflate.h"
#include "phasor/figure/font.h"
#include "phasor/figure/pdf.h"
#include "phasor/figure/svg.h"

namespace phasor::figure {
namespace drawing_test {

Drawing drawing(const std::string& text) {
  return {.width = 100, .height = 50, .title = "a title", .shapes = {Text{.at = {10, 20}, .text = text}}};
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// By hand from Adobe's tables: H 722, i 222; in bold 722, 278.
TEST(Drawing, TextIsAsWideAsHelvetica) {
  EXPECT_DOUBLE_EQ(text_width("Hi", 10.0), 9.44);
  EXPECT_DOUBLE_EQ(text_width("Hi", 10.0, true), 10.0);
  EXPECT_DOUBLE_EQ(text_width("\u00d7", 10.0), 5.84);
  EXPECT_DOUBLE_EQ(text_width("\u03c3", 10.0), 6.03);  // sigma, of Symbol
  EXPECT_TRUE(is_settable("\u03c3 \u2264 1"));
  EXPECT_FALSE(is_settable("\u05e9"));
}

TEST(Drawing, LinesAreFoldedAtSigns) {
  const std::vector<std::string> lines = folded("rope(base=500)+alibi(slopes=released)", 80.0, 7.0);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "rope(base=500)+");
  for (const std::string& line : lines) EXPECT_LE(text_width(line, 7.0), 80.0) << line;
  const std::vector<std::string> cut = folded(std::string(200, 'x'), 50.0, 7.0, false, 2);
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_TRUE(cut[1].ends_with("\u2026"));
  EXPECT_LE(text_width(cut[1], 7.0), 50.0);
  EXPECT_EQ(folded("", 50.0, 7.0), std::vector<std::string>{""});
}

TEST(Drawing, SvgEscapesWhatXmlReads) {
  const std::string text = svg(drawing("<b>&\"\x01\xff"));
  EXPECT_NE(text.find("&lt;b&gt;&amp;&quot;\ufffd\ufffd</text>"), std::string::npos) << text;
  EXPECT_EQ(count(text, "<text"), 1U);
}

TEST(Drawing, SvgKeepsWhatPdfCannotSet) {
  EXPECT_NE(svg(drawing("\u05e9\u05dc\u05d5\u05dd")).find(">\u05e9\u05dc\u05d5\u05dd<"), std::string::npos);
  EXPECT_EQ(pdf(drawing("\u05e9\u05dc\u05d5\u05dd")).unset, std::vector<std::string>{"\u05e9\u05dc\u05d5\u05dd"});
  EXPECT_TRUE(pdf(drawing("\u03b1 \u2264 \u00d7 \u2026")).unset.empty());
}

// Every entry of the table of objects is the place of its object.
TEST(Drawing, PdfHasItsObjectsWhereItsTableSays) {
  const std::string bytes = pdf(drawing("(a) \\ b")).bytes;
  ASSERT_TRUE(bytes.starts_with("%PDF-1.4\n"));
  ASSERT_TRUE(bytes.ends_with("%%EOF\n"));
  const size_t start = std::stoul(bytes.substr(bytes.rfind("startxref\n") + 10));
  ASSERT_EQ(bytes.substr(start, 9), "xref\n0 6\n");
  for (size_t object = 1; object < 6; ++object) {
    const size_t place = std::stoul(bytes.substr(start + 9 + 20 * object, 10));
    const std::string head = std::to_string(object) + " 0 obj\n";
    EXPECT_EQ(bytes.substr(place, head.size()), head);
  }
  EXPECT_EQ(bytes.find("Date"), std::string::npos);
}

TEST(Drawing, ClipsAreClosed) {
  Drawing clipped = drawing("text");
  clipped.shapes.insert(clipped.shapes.begin(), Clip{Box{0, 0, 10, 10}});
  clipped.shapes.emplace_back(Clip{Box{5, 5, 10, 10}});
  const std::string text = svg(clipped);
  EXPECT_EQ(count(text, "<g "), 2U);
  EXPECT_EQ(count(text, "</g>"), 2U);
}

}  // namespace drawing_test
}  // namespace phasor::figure
