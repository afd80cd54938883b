#include "phasor/encoding/syntax/canonical.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor {
namespace canonical_test {

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

TEST(Canonical, WritesFormulasAndListsShort) {
  EXPECT_EQ(canonical_text("bias(\" - (a) * abs( d ) ^ 2.50 \", a = 1e0)"), "bias(\"-a*abs(d)^2.5\",a=1)");
  EXPECT_EQ(canonical_text("bias(\"z*b*a*d\",z=1,a=2,b=learned(0.5,all))"), "bias(\"z*b*a*d\",a=2,b=learned(0.5),z=1)");
  EXPECT_EQ(canonical_text("rope(frequencies=\"(base)^(-(2*c)/C)\",base=100)"),
            "rope(base=100,frequencies=\"base^(-(2*c)/C)\")");
  EXPECT_EQ(canonical_text("rope(scaling=longrope,original=4,short=\" 1, 2.0 \",long=\"1e1,20\")"),
            "rope(scaling=longrope,original=4,short=\"1,2\",long=\"10,20\")");
  EXPECT_EQ(canonical_text("rope(frequencies=fixed)"), "rope");
}

TEST(Canonical, WritesNestedEncodingsInTheirOwnCanonicalForm) {
  EXPECT_EQ(canonical_text("randomized( rope(1e4) + nope + alibi(standard)[heads=1,0] , 2048)"),
            "randomized(alibi[heads=0-1]+rope)");
  EXPECT_EQ(canonical_text("concat(width=8,encoding=learned(0.02))"), "concat(learned,width=8)");
  EXPECT_EQ(canonical_text("randomized(concat(nope+sinusoidal,16),max=64)"), "randomized(concat(sinusoidal),max=64)");
}

// Wherever they stand.
TEST(Canonical, DropsTermsThatFillNoPlace) {
  EXPECT_EQ(canonical_text("prope(0)"), "nope");
  EXPECT_EQ(canonical_text("prope(p=0,base=7)+alibi"), "alibi");
  EXPECT_EQ(canonical_text("randomized(nope,max=64)+rope"), "rope");
  EXPECT_EQ(canonical_text("randomized(prope(0)+nope)"), "nope");
  EXPECT_EQ(canonical_text("concat(randomized(nope))"), "concat(nope)");
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

}  // namespace canonical_test
}  // namespace phasor
