#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "paper/hand_made.h"
#include "phasor/paper/paper_json.h"
#include "phasor/paper/paper_text.h"

namespace phasor::paper {
namespace paper_output_test {

using Json = nlohmann::ordered_json;

const std::vector<JudgedClaim>& judged() {
  static const std::vector<JudgedClaim> kJudged = {
      {.id = "rope_best_on_distance",
       .protocol = kClean,
       .verdict = kFails,
       .reason = "Clean reason.",
       .needs = "more"},
      {.id = "rope_best_on_distance", .protocol = kReleased, .verdict = kHolds, .reason = "Released | reason."},
      {.id = "no_gain_absolute_indexing", .protocol = kClean, .verdict = kUndetermined, .reason = "Index reason."},
      {.id = "rope_solution_space_larger",
       .protocol = kAnyProtocol,
       .verdict = kFails,
       .reason = "Game reason.",
       .evidence = {{.what = "share", .value = 0.1, .low = 0.05, .unit = "", .text = "five seeds"}}}};
  return kJudged;
}

size_t widest(const std::string& text) {
  size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, part)) return line;
  }
  return "";
}

TEST(ClaimsText, ATableAndTheReasons) {
  const std::string text = claims_text(judged(), TableFormat::terminal);
  EXPECT_LE(widest(text), 100u);
  EXPECT_TRUE(contains(line_with(text, "rope_best_on_distance"), "fails         holds")) << text;
  EXPECT_TRUE(contains(line_with(text, "no_gain_absolute_indexing"), "undetermined  -")) << text;
  EXPECT_TRUE(contains(line_with(text, "rope_solution_space_larger"), "fails         fails")) << text;
  EXPECT_TRUE(contains(text, "FAILS: Clean reason. Needs: more.")) << text;
}

TEST(ClaimsCsv, ALinePerClaimAndProtocol) {
  std::vector<JudgedClaim> claims = {judged()[0], judged()[3]};
  claims[0].reason = "RoPE is \"best\", by 3.0 points.";
  claims[1].post_hoc = true;
  claims[0].extension = true;
  const auto quoted = [](const std::string& text) {
    return text.find(',') == std::string::npos ? text : "\"" + text + "\"";
  };
  EXPECT_EQ(claims_csv(claims),
            "id,protocol,verdict,post_hoc,extension,reason,needs,claim\n"
            "rope_best_on_distance,clean,fails,false,true,\"RoPE is \"\"best\"\", by 3.0 points.\",more," +
                quoted(claim("rope_best_on_distance").claim) +
                "\nrope_solution_space_larger,any,fails,true,false,Game reason.,," +
                quoted(claim("rope_solution_space_larger").claim) + "\n");
  EXPECT_EQ(claims_csv({}), "id,protocol,verdict,post_hoc,extension,reason,needs,claim\n");
}

TEST(ClaimsText, Markdown) {
  const std::string text = claims_text(judged(), TableFormat::markdown);
  EXPECT_TRUE(contains(text, "| claim | clean | released | why |\n| --- |")) << text;
  EXPECT_TRUE(contains(text,
                       "| RoPE reaches the highest accuracy where the answer is a distance between two words. | fails "
                       "| holds | clean: Clean reason. released: Released \\| reason. |"))
      << text;
  EXPECT_TRUE(contains(text, "| fails | fails | Game reason. |")) << text;
}

TEST(ClaimsJson, HasTheClaimTheVerdictAndTheEvidence) {
  const Json json = claims_json(judged());
  ASSERT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0]["id"], "rope_best_on_distance");
  EXPECT_EQ(json[0]["verdict"], "fails");
  EXPECT_EQ(json[0]["needs"], "more");
  EXPECT_EQ(json[0]["claim"], claim("rope_best_on_distance").claim);
  EXPECT_EQ(json[3]["protocol"], "any");
  EXPECT_EQ(json[3]["evidence"][0]["value"], 0.1);
  EXPECT_EQ(json[3]["evidence"][0]["low"], 0.05);
  EXPECT_TRUE(json[3]["evidence"][0]["high"].is_null()) << "NaN is null";
  EXPECT_EQ(Json::parse(json.dump()), json);
}

HandMade audited_study() {
  HandMade study;
  study.add({kDistance, kReleased, "rope", ""}, {0.40, 0.44, 0.38, 0.41, 0.37}).runs[0].converged = false;
  study.add(audit_cell("rope", kReleased, confounds()[0]), {0.61, 0.66, 0.58, 0.64, 0.62});
  for (CellRuns& cell : study.results.cells) verdicts(cell, std::vector<Deposit>(5, Deposit::deposit));
  return study;
}

TEST(AuditText, OneTableForEveryBlock) {
  const std::vector<AuditBlock> blocks = audit(audited_study().results);
  const std::string text = audit_text(blocks, TableFormat::terminal);
  EXPECT_LE(widest(text), 100u) << text;
  EXPECT_TRUE(contains(text, "rope on distance, released but for one choice, which is as in clean")) << text;
  EXPECT_TRUE(contains(line_with(text, "(released)"), "40.0 %")) << text;
  EXPECT_TRUE(contains(line_with(text, "(released)"), "5 0 0 0 0  5 1*")) << text;
  EXPECT_TRUE(contains(line_with(text, "keys_values  "), "+22.2 (+18.0 to +26.4)  0.008")) << text;
  EXPECT_TRUE(audit_text({}, TableFormat::terminal).empty());
  EXPECT_TRUE(
      contains(audit_text(blocks, TableFormat::markdown), "| keys\\_values | +22.2 (+18.0 to +26.4) | 0.008 |"));
}

TEST(AuditJson, HasEveryNumber) {
  const Json json = audit_json(audit(audited_study().results));
  ASSERT_EQ(json.size(), 1u);
  const Json& row = json[0]["switches"][0];
  EXPECT_EQ(row["switch"], "keys_values");
  EXPECT_EQ(row["counts"]["deposit"], 5);
  EXPECT_EQ(row["accuracy"]["base"].size(), 5u);
  EXPECT_NEAR(row["accuracy"]["change"].get<double>(), 22.2, 1e-9);
  EXPECT_EQ(json[0]["base_counts"]["unconverged"], 1);
}

TEST(PublishedJson, KeepsEveryPoint) {
  const Json json = published_json(published());
  ASSERT_EQ(json.size(), published().size());
  for (size_t i = 0; i < json.size(); ++i) {
    EXPECT_EQ(json[i]["id"], published()[i].id);
    ASSERT_EQ(json[i]["points"].size(), published()[i].points.size());
    EXPECT_EQ(json[i]["points"].back()["low"].get<double>(), published()[i].points.back().low);
  }
  EXPECT_EQ(json[0]["provenance"], "digitised");
}

TEST(PublishedText, SetsOursBesideThePublished) {
  HandMade study;
  study.add("RoPE", kDistance, kClean, about(0.99));
  study.add("RoPE+Absolute", kDistance, kReleased, about(0.45)).runs[0].converged = false;
  study.add("NoPE", kCounting, kClean, about(0.75));
  study.add(rotary_heads_cell(2, 4, kDistance, kClean), about(0.97));
  const std::string text = published_text(study.results, TableFormat::terminal);
  EXPECT_LE(widest(text), 100u) << text;
  const std::string rope = line_with(text, "RoPE  "), hybrid = line_with(text, "RoPE+Absolute");
  EXPECT_TRUE(contains(rope, "99.0 (98.8 to 99.2)  -")) << text;
  EXPECT_TRUE(contains(rope, "92.6 p")) << "the table's RoPE is RoPE alone";
  EXPECT_FALSE(contains(rope, "93.3"));
  EXPECT_TRUE(contains(hybrid, "45.0 (44.8 to 45.2) 1*")) << text;
  EXPECT_TRUE(contains(hybrid, "93.3 d (as RoPE)")) << text;
  EXPECT_TRUE(contains(line_with(text, "Relative"), "~4.0 d")) << text;
  EXPECT_TRUE(contains(text, "with k of 4 heads")) << text;
  EXPECT_TRUE(contains(line_with(text, "2  97.0"), "86.4 d")) << "as many heads";
  EXPECT_TRUE(contains(line_with(text, "2  97.0"), "91.3 d")) << "half of them";
  EXPECT_TRUE(contains(text, "Ours are of\nquick size: levels are not comparable")) << text;
  EXPECT_FALSE(contains(text, "without p")) << "nothing was removed";
}

TEST(PublishedText, RemovalOfPositionByLayer) {
  HandMade study;
  CellRuns& cell = study.add("Absolute", kDistance, kClean, about(0.8));
  verdicts(cell, std::vector<Deposit>(5, Deposit::spread));
  for (RunRecord& run : cell.runs) {
    run.ablation->removal = StreamRemoval{
        .intact = {.accuracy = 0.8},
        .layers = {{.layer = 0, .means = {.accuracy = 0.04}, .random = {{.accuracy = 0.2}, {.accuracy = 0.3}}}}};
  }
  const std::string text = published_text(study.results, TableFormat::terminal);
  EXPECT_TRUE(contains(text, "Absolute on distance: accuracy without p")) << text;
  EXPECT_TRUE(contains(line_with(text, "4.0 / 25.0"), "10.7 d / 20.5 d")) << text;
  EXPECT_FALSE(contains(text, "RoPE+Absolute on distance: accuracy without p"));
}

// RoPE in Fig. 4 falls from 97.0 to 46.5, and to 91.6 without the next head; MLA in Fig. 7 from 91 to 27.
TEST(PublishedText, HeadsSwitchedOff) {
  HandMade study;
  CellRuns& cell = study.add("RoPE", kDistance, kReleased, about(0.9));
  verdicts(cell, std::vector<Deposit>(5, Deposit::spread));
  for (RunRecord& run : cell.runs) {
    run.ablation->accuracy = 0.9;
    run.ablation->importance->accuracies = {{0.8, 0.7, 0.85}, {0.5, 0.89, 0.6}};
    run.published = PublishedAblation{.baseline = 0.95, .accuracy = {{0.9, 0.8}, {0.1, 0.2}}};
  }
  const std::string text = published_text(study.results, TableFormat::terminal);
  EXPECT_LE(widest(text), 100u) << text;
  const std::string rope = line_with(text, "RoPE, layer 1 (Fig. 4)");
  EXPECT_TRUE(contains(rope, "-      20.0 / 10.0")) << "the second layer's losses stand beside nothing\n" << text;
  EXPECT_TRUE(contains(rope, "15.0 / 5.0")) << text;
  EXPECT_TRUE(contains(rope, "50.5 / 5.4 d")) << text;
  EXPECT_TRUE(contains(line_with(text, "MLA, layer 1 (Fig. 7)"), "64.0 d")) << text;
}

// Fig. 5 shows the hybrid's second layer; three of Fig. 4's encodings come from a picture that stood there before.
TEST(PublishedText, HeadsOfTheLayerThatIsShown) {
  HandMade study;
  CellRuns& cell = study.add("RoPE+Absolute", kDistance, kClean, about(0.9));
  verdicts(cell, std::vector<Deposit>(5, Deposit::spread));
  for (RunRecord& run : cell.runs) {
    run.ablation->accuracy = 0.9;
    run.ablation->importance->accuracies = {{0.8, 0.7, 0.85}, {0.5, 0.89, 0.6}};
  }
  study.add("ALiBi", kDistance, kClean, about(0.9)).runs[0].ablation = ablation_record(Deposit::spread);
  const std::string text = published_text(study.results, TableFormat::terminal);
  EXPECT_LE(widest(text), 100u) << text;
  EXPECT_TRUE(contains(line_with(text, "RoPE+Absolute, layer 2 (Fig. 5)"), "40.0 / 30.0")) << text;
  EXPECT_TRUE(contains(text, "ALiBi, layer 1 (Fig. 4, first version)")) << text;
}

TEST(PublishedText, NothingOfOursIsNothingToShow) { EXPECT_TRUE(published_text({}, TableFormat::terminal).empty()); }

}  // namespace paper_output_test
}  // namespace phasor::paper
