#include "phasor/encoding/canonical.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor {
namespace {

std::string canonical_text(const std::string& text) { return print(parse_encoding(text)); }

TEST(Canonical, LeavesOutBlanksAndDefaults) {
  EXPECT_EQ(canonical_text(" rope ( ) "), "rope");
  EXPECT_EQ(canonical_text("rope(base = 10000)"), "rope");
  EXPECT_EQ(canonical_text("rope(1e4,interleaved,1)"), "rope");
  EXPECT_EQ(canonical_text("sinusoidal(layout=interleaved)"), "sinusoidal");
  EXPECT_EQ(canonical_text("alibi(slopes=standard)"), "alibi");
  EXPECT_EQ(canonical_text("learned(init=0.02)"), "learned");
}

TEST(Canonical, NamesArgumentsInTheCataloguesOrder) {
  EXPECT_EQ(canonical_text("rope(5e5)"), "rope(base=500000)");
  EXPECT_EQ(canonical_text("rope(fraction=0.50,layout=half,base=100.0)"), "rope(base=100,layout=half,fraction=0.5)");
  EXPECT_EQ(canonical_text("rope(100,half,fraction=0.5)"), "rope(base=100,layout=half,fraction=0.5)");
  EXPECT_EQ(canonical_text("learned(1)"), "learned(init=1)");
  EXPECT_EQ(canonical_text("learned(-0.0)"), "learned(init=0)");
  EXPECT_EQ(canonical_text("alibi(released)"), "alibi(slopes=released)");
}

TEST(Canonical, WritesAssignmentsAsRanges) {
  EXPECT_EQ(canonical_text("rope[heads=3,1,0]"), "rope[heads=0-1,3]");
  EXPECT_EQ(canonical_text("rope[layers=0,1,2][heads=5]"), "rope[heads=5,layers=0-2]");
  EXPECT_EQ(canonical_text("rope[heads=none]"), "rope[heads=none]");
}

TEST(Canonical, SortsTermsByPlaceAndCatalogue) {
  EXPECT_EQ(canonical_text("rope+sinusoidal"), "sinusoidal+rope");
  EXPECT_EQ(canonical_text("sinusoidal+rope"), "sinusoidal+rope");
  EXPECT_EQ(canonical_text("rope[layers=0-2]+alibi[layers=3-5]"), "rope[layers=0-2]+alibi[layers=3-5]");
  EXPECT_EQ(canonical_text("alibi[layers=3-5]+rope[layers=0-2]"), "rope[layers=0-2]+alibi[layers=3-5]");
  EXPECT_EQ(canonical_text("rope(base=100)[heads=1]+rope[heads=0]"), "rope[heads=0]+rope(base=100)[heads=1]");
  EXPECT_EQ(canonical_text("rope[heads=none]+alibi[heads=2]"), "alibi[heads=2]+rope[heads=none]");
}

TEST(Canonical, NopeIsTheNeutralElement) {
  EXPECT_EQ(canonical_text("nope"), "nope");
  EXPECT_EQ(canonical_text("nope+nope"), "nope");
  EXPECT_EQ(canonical_text("nope+rope"), "rope");
  EXPECT_EQ(canonical_text("rope+nope+alibi"), "alibi+rope");
  EXPECT_EQ(print(Encoding{}), "nope");
}

TEST(Canonical, KeepsEqualTermsThatAddUp) {
  EXPECT_EQ(canonical_text("sinusoidal+sinusoidal"), "sinusoidal+sinusoidal");
}

TEST(Canonical, PrintsTreesBuiltByHand) {
  Encoding encoding;
  encoding.terms.push_back(Term{.name = "rope", .arguments = {{.key = "base", .value = {.content = 10000.0}}}});
  EXPECT_EQ(print(encoding), "rope");
  EXPECT_THROW(canonical(Encoding{{Term{.name = "roep"}}}, "by hand"), UsageError);
}

TEST(Canonical, ErrorsOfPrintFitTheTextTheyShow) {
  Encoding encoding;
  encoding.terms.push_back(Term{.name = "alibi", .column = {77}});
  encoding.terms.push_back(Term{.name = "roep"});
  try {
    print(encoding);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "encoding 'alibi+roep': column 7: unknown encoding 'roep'; did you mean 'rope'?");
  }
}

}  // namespace
}  // namespace phasor
