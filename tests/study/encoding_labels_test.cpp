#include "phasor/study/plan/encoding_labels.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/study/plan/plan_json.h"
#include "phasor/study/plan/study_file.h"
#include "phasor/study/plan/study_grid.h"
#include "phasor/study/records/registration.h"

namespace phasor::encoding_labels_test {
namespace {

StudyPlan plan_with(const std::vector<std::string>& encodings) {
  StudyGrid grid;
  for (const std::string& encoding : encodings) add_encoding(grid, parse_named_encoding(encoding));
  StudyPlan plan{.name = "names", .preset = "quick"};
  add_cells(plan, grid);
  return plan;
}

std::vector<std::string> labels_in(const StudyPlan& plan) {
  std::vector<std::string> labels;
  for (const PlannedCell& cell : plan.cells) labels.push_back(encoding_label(cell.cell));
  return labels;
}

std::string refusal(const std::vector<std::string>& encodings) {
  try {
    plan_with(encodings);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

using Labels = std::vector<std::string>;

TEST(EncodingLabels, NamesComeFirstAndLongExpressionsAreShortened) {
  const StudyPlan plan = plan_with({"mine = rope(base=500)", "rope", "rope(scaling=yarn,factor=4,original=64)"});
  EXPECT_EQ(labels_in(plan), (Labels{"mine", "rope", "rope(yarn)"}));
  EXPECT_EQ(plan.cells[0].cell.encoding, "rope(base=500)");
  EXPECT_TRUE(plan.cells[0].cell.named);
  EXPECT_FALSE(plan.cells[2].cell.named);
  EXPECT_EQ(title_by_labels(plan), "mine, rope, rope(yarn) on distance");
  EXPECT_EQ(labels_text(labels_of({plan.cells[0].cell, plan.cells[1].cell, plan.cells[0].cell})),
            "mine = rope(base=500)\n");
}

TEST(EncodingLabels, ANameBelongsToOneEncoding) {
  EXPECT_EQ(refusal({"a=rope", "b=rope(base=10000)"}), "the encoding 'rope' has two names, 'a' and 'b'");
  EXPECT_EQ(refusal({"a=rope", "a=alibi"}), "the name 'a' is given to two encodings, 'rope' and 'alibi'");
  EXPECT_EQ(refusal({"alibi=rope"}), "the name 'alibi' is an encoding of its own, not 'rope': choose another name");
  EXPECT_EQ(refusal({"rope=rope", "alibi"}), "accepted");
}

TEST(EncodingLabels, AShortFormMakesWayForAName) {
  EXPECT_EQ(labels_in(plan_with({"rope(yarn)=alibi", "rope(scaling=yarn,factor=4,original=64)"})),
            (Labels{"rope(yarn)", "rope(yarn) #2"}));
}

TEST(EncodingLabels, StudyFilesHaveThemAsObjectsAndTexts) {
  const StudyPlan plan = read_study(
      R"({"encodings": ["rope", {"name": "a=b, \"c\"", "expression": "alibi"}, "x=nope"], "seeds": 1})", "mine.json");
  EXPECT_EQ(labels_in(plan), (Labels{"rope", "a=b, \"c\"", "x"}));
}

TEST(EncodingLabels, AreKeptInStudyJsonAndNotRegistered) {
  StudyPlan plan = plan_with({"mine=rope(base=500)", "alibi"});
  plan.title = "mine, alibi on distance";
  plan.cells[1].rate_of = plan.cells[0].cell;
  const StudyPlan read = plan_from_json(to_json(plan).dump(), "study.json");
  EXPECT_EQ(labels_in(read), (Labels{"mine", "alibi"}));
  EXPECT_EQ(read.cells[1].rate_of->label, "mine");
  EXPECT_EQ(read.title, plan.title);

  StudyPlan plain = plan_with({"rope(base=500)", "alibi"});
  plain.cells[1].rate_of = plain.cells[0].cell;
  EXPECT_EQ(registration_of(plan, "").plan, registration_of(plain, "").plan);
  // A plan without names is written as it always was.
  EXPECT_EQ(to_json(plain).dump(), registered_json(plan).dump());
  EXPECT_EQ(to_json(plain).dump().find("\"label\""), std::string::npos);
  EXPECT_FALSE(to_json(plain).contains("names"));
}

}  // namespace
}  // namespace phasor::encoding_labels_test
