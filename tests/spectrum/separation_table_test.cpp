#include "phasor/spectrum/separation_table.h"

#include "linalg/matrices.h"
#include "phasor/base/threads.h"

namespace phasor {
namespace separation_table_test {

using namespace testing_support;

SeparationTableOptions small() {
  SeparationTableOptions options;
  options.distances = 8;
  options.wanted = {1, 5};
  options.seeds = 2;
  options.width = 8;
  options.draws = 2;
  options.samples = 300;
  return options;
}

TEST(SeparationTable, HasEveryEncodingWithEveryContent) {
  const SeparationTable table = separation_table(small());
  ASSERT_EQ(table.rows.size(), 15u);
  EXPECT_NEAR(table.budget, std::sqrt(8.0), 1e-12);
  for (const SeparationRow& row : table.rows) {
    ASSERT_EQ(row.margin.seeds.size(), 2u);
    EXPECT_LE(row.margin.mean, row.bound.mean + 1e-12);
    EXPECT_LE(row.margin.least, row.margin.mean);
    EXPECT_GE(row.margin.most, row.margin.mean);
    EXPECT_NEAR(row.margin.mean, (row.margin.seeds[0] + row.margin.seeds[1]) / 2.0, 1e-12);
    EXPECT_LE(row.clear.mean, row.positive.mean);
    if (row.content == SeparationContent::decides && row.encoding == SeparationEncoding::relative) {
      EXPECT_EQ(row.bound.most, 0.0);
      EXPECT_EQ(row.positive.most, 0.0);
    }
    if (row.content != SeparationContent::fixed) continue;
    // Keys that are all alike: without position nothing separates, and a table of biases does so with all it has.
    if (row.encoding == SeparationEncoding::nope) {
      EXPECT_EQ(row.margin.mean, 0.0);
    }
    if (row.encoding == SeparationEncoding::relative) {
      EXPECT_NEAR(row.margin.mean, table.budget, 1e-9);
    }
    if (row.encoding == SeparationEncoding::rope) {
      EXPECT_GT(row.margin.least, 0.0);
    }
  }
  for (const SeparationClaim& claim : table.claims) EXPECT_STREQ(claim.verdict(), "undetermined") << "2 seeds";
}

TEST(SeparationTable, IsTheSameAtAnyThreadCount) {
  const int before = thread_count();
  set_thread_count(1);
  const SeparationTable one = separation_table(small());
  set_thread_count(3);
  const SeparationTable three = separation_table(small());
  set_thread_count(before);
  for (size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].margin.seeds, three.rows[i].margin.seeds);
    EXPECT_EQ(one.rows[i].positive.seeds, three.rows[i].positive.seeds);
  }
}

TEST(SeparationClaim, IsDecidedWhereAllOfFiveSeedsAgree) {
  SeparationClaim claim{.claim = "", .favourable = 5, .contrary = 0, .seeds = 5};
  EXPECT_STREQ(claim.verdict(), "holds");
  claim.favourable = 4;
  EXPECT_STREQ(claim.verdict(), "undetermined");
  claim = {.claim = "", .favourable = 0, .contrary = 5, .seeds = 5};
  EXPECT_STREQ(claim.verdict(), "violated");
  claim = {.claim = "", .favourable = 4, .contrary = 0, .seeds = 4};
  EXPECT_STREQ(claim.verdict(), "undetermined");
}

TEST(SeparationTable, RefusesWhatIsNoTable) {
  SeparationTableOptions options = small();
  options.seeds = 0;
  EXPECT_NE(error_of([&] { separation_table(options); }).find("0 seeds"), std::string::npos);
  options = small();
  options.distances = 1;
  EXPECT_NE(error_of([&] { separation_table(options); }).find("two distances"), std::string::npos);
}

}  // namespace separation_table_test
}  // namespace phasor
