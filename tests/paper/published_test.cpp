#include "phasor/paper/published.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/paper/paper_data.h"
#include "support/paths.h"

namespace phasor::paper {
namespace published_test {

const std::string kData = std::string(fixtures_folder()) + "/../../src/phasor/paper/data/";

double value(const char* id, double at) { return published_entry(id).find(at)->value(); }

TEST(Embedded, FilesAreInTheProgramByteForByte) {
  EXPECT_EQ(embedded_published(), read_file(kData + "published.json"));
  EXPECT_EQ(embedded_claims(), read_file(kData + "claims.json"));
}

// As the figures and tables of the paper have them.
TEST(Published, SpotValues) {
  EXPECT_EQ(value("fig2.rope.test", 100), 0.933);
  EXPECT_EQ(value("fig2.rope.train", 10), 0.42);
  EXPECT_EQ(value("fig2.absolute.test", 25), 0.651);
  EXPECT_EQ(value("fig2.random.test", 100), 0.689);
  EXPECT_EQ(value("fig2.alibi.train", 100), 0.655);
  EXPECT_EQ(value("fig2.nope.test", 100), 0.037);
  EXPECT_EQ(value("fig2.relative.train", 100), 0.467);
  EXPECT_EQ(value("fig3.nope.test", 150), 0.621);
  EXPECT_EQ(value("fig3.rope.test", 100), 0.504);
  EXPECT_EQ(value("fig3.random.train", 150), 0.997);
  EXPECT_EQ(value("table.mla.distance", 0), 0.8834);
  EXPECT_EQ(value("table.rope.counting", 0), 0.6943);
  EXPECT_EQ(value("table.nope.distance", 0), 0.0351);
  EXPECT_EQ(value("fig6.distance", 1), 0.518);
  EXPECT_EQ(value("fig6.distance", 2), 0.864);
  EXPECT_EQ(value("fig6.distance", 16), 0.9264);
  EXPECT_EQ(value("fig6.counting", 7), 0.842);
  EXPECT_EQ(value("fig5.first.hybrid", 20), 0.879);
  EXPECT_EQ(value("fig5.second.rope", 60), 0.729);
  EXPECT_EQ(value("fig4.rope.distance", 2), 0.465);
  EXPECT_EQ(value("fig4.absolute.distance", 14), 0.233);
  EXPECT_EQ(value("fig4.rope.counting", 8), 0.491);
  EXPECT_EQ(value("fig8.absolute.removed", 1), 0.107);
  EXPECT_EQ(value("fig8.hybrid.random", 2), 0.930);
}

TEST(Published, SeriesAreComplete) {
  for (const char* id : {"fig6.distance", "fig6.counting"}) EXPECT_EQ(published_entry(id).points.size(), 17u) << id;
  for (const char* id : {"fig4.rope.distance", "fig4.nope.distance", "fig4.rope.counting", "fig4.absolute.distance",
                         "fig4.alibi.distance", "fig4.relative.distance"}) {
    EXPECT_EQ(published_entry(id).points.size(), 16u) << id;
    EXPECT_TRUE(published_entry(id).baseline.has_value()) << id;
  }
  for (const char* id : {"fig7.mla.ranges", "fig7.mla.modes", "fig8.absolute.removed", "fig8.absolute.random",
                         "fig8.hybrid.removed", "fig8.hybrid.random", "fig4.rope.distance.modes"}) {
    EXPECT_EQ(published_entry(id).points.size(), 6u) << id;
  }
  EXPECT_EQ(published_entry("fig4.rope.distance").baseline, 0.970);
  EXPECT_EQ(published_entry("fig8.hybrid.removed").baseline, 0.9323);
  const PublishedPoint& range = published_entry("fig7.mla.ranges").points[1];
  EXPECT_EQ(range.low, 0.34);
  EXPECT_EQ(range.high, 0.79);
  EXPECT_TRUE(range.is_range());
}

// The table and the ends of Fig. 6 are the same runs.
TEST(Published, TableAndFigure6Agree) {
  EXPECT_EQ(value("fig6.distance", 0), value("table.nope.distance", 0));
  EXPECT_EQ(value("fig6.distance", 16), value("table.rope.distance", 0));
  EXPECT_EQ(value("fig6.counting", 0), value("table.nope.counting", 0));
  EXPECT_EQ(value("fig6.counting", 16), value("table.rope.counting", 0));
}

// What the notes on labels rest on: panels of Fig. 5 are the curves of RoPE in Fig. 2, the second one times 0.8.
TEST(Published, NotesOnLabelsFollowFromTheNumbers) {
  EXPECT_EQ(published_entry("fig2.rope.test").subject, "RoPE+Absolute");
  EXPECT_EQ(published_entry("fig2.rope.test").encoding, "RoPE");
  for (const double epoch : {25.0, 50.0}) {
    EXPECT_NEAR(value("fig5.first.hybrid", epoch), value("fig2.rope.train", epoch), 0.0011);
  }
  for (const double epoch : {15.0, 20.0, 30.0, 40.0, 60.0}) {
    EXPECT_NEAR(value("fig5.second.hybrid", epoch) / 0.8, value("fig2.rope.test", epoch), 0.0011) << epoch;
  }
  for (const char* id : {"fig5.first.hybrid", "fig5.second.hybrid", "fig2.rope.test", "fig3.rope.test"}) {
    EXPECT_FALSE(published_entry(id).note.empty()) << id;
  }
}

TEST(Published, ProvenanceAndErrors) {
  std::set<std::string> figures;
  for (const PublishedEntry& entry : published()) {
    figures.insert(entry.figure);
    if (entry.provenance == Provenance::printed) continue;
    EXPECT_TRUE(entry.error == 0.003 || entry.error == 0.005) << entry.id;
  }
  for (const char* figure : {"Fig. 2", "Fig. 3", "Fig. 4", "Fig. 5", "Fig. 6", "Fig. 7", "Fig. 8"}) {
    EXPECT_TRUE(figures.contains(figure)) << figure;
  }
  EXPECT_EQ(published_entry("table.mla.distance").provenance, Provenance::printed);
  EXPECT_EQ(published_entry("fig2.rope.test").provenance, Provenance::digitised);
  EXPECT_TRUE(published_entry("fig2.relative.test").last().approximate);
  EXPECT_FALSE(published_entry("fig2.nope.test").last().approximate);
  EXPECT_THROW(published_entry("fig9"), Error);
  EXPECT_EQ(published_entry("fig6.distance").find(17), nullptr);
}

std::string file_of(const std::string& entry) { return R"({"paper": "x", "entries": [)" + entry + "]}"; }

const std::string kGood =
    R"({"id": "a", "figure": "f", "task": "distance", "encoding": "RoPE", "subject": "RoPE", "quantity": "q",
        "axis": "epoch", "points": [[1, 0.5], [2, 0.5, 0.6]], "approximate": [2], "provenance": "digitised",
        "error": 0.01})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Published, ParsesStrictly) {
  ASSERT_EQ(parse_published(file_of(kGood), "f").size(), 1u);
  const auto refused = [](const std::string& entry, const std::string& part) {
    try {
      parse_published(file_of(entry), "the file");
      return false;
    } catch (const FormatError& error) {
      const std::string text = error.what();
      return text.find("the file") == 0 && text.find(part) != std::string::npos;
    }
  };
  EXPECT_TRUE(refused(replaced(kGood, "\"error\"", "\"eror\""), "'error' is missing"));
  EXPECT_TRUE(refused(replaced(kGood, "\"error\": 0.01", "\"error\": 0.01, \"more\": 1"), "no member 'more'"));
  EXPECT_TRUE(refused(replaced(kGood, "\"error\": 0.01", "\"error\": 0"), "an error of 0"));
  EXPECT_TRUE(refused(replaced(kGood, "digitised", "guessed"), "guessed"));
  EXPECT_TRUE(refused(replaced(kGood, "\"subject\": \"RoPE\"", "\"subject\": \"Rope\""), "Rope"));
  EXPECT_TRUE(refused(replaced(kGood, "distance", "counted"), "counted"));
  EXPECT_TRUE(refused(replaced(kGood, "[1, 0.5]", "[1, 1.5]"), "1.5"));
  EXPECT_TRUE(refused(replaced(kGood, "[1, 0.5]", "[3, 0.5]"), "does not come after"));
  EXPECT_TRUE(refused(replaced(kGood, "0.5, 0.6", "0.6, 0.5"), "range"));
  EXPECT_TRUE(refused(replaced(kGood, "[1, 0.5]", "[1]"), "point"));
  EXPECT_TRUE(refused(replaced(kGood, "\"approximate\": [2]", "\"approximate\": [5]"), "no point at 5"));
  EXPECT_TRUE(refused(replaced(kGood, "\"axis\": \"epoch\", ", ""), "without axis"));
  EXPECT_TRUE(refused(kGood + "," + kGood, "two entries are called 'a'"));
  EXPECT_THROW(parse_published("{", "f"), FormatError);
}

}  // namespace published_test
}  // namespace phasor::paper
