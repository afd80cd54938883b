#include "phasor/report/conclusions_output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "phasor/report/study_report.h"
#include "phasor/report/words.h"
#include "study/records.h"

namespace phasor {
namespace conclusions_output_test {

using Json = nlohmann::ordered_json;
using namespace testing_support;

TEST(Words, ListsAndCounts) {
  EXPECT_EQ(listing({}), "");
  EXPECT_EQ(listing({"a"}), "a");
  EXPECT_EQ(listing({"a", "b"}), "a and b");
  EXPECT_EQ(listing({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(listing({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(listing({"a", "b", "c"}, 3), "a, b and c");
  EXPECT_EQ(plural(1, "run"), "1 run");
  EXPECT_EQ(plural(0, "run"), "0 runs");
}

TEST(ConclusionsText, IsEmptyWithoutAnswers) {
  EXPECT_EQ(conclusions_text({}, {{"odd", {}}}, TableFormat::terminal), "");
}

TEST(ConclusionsText, LinesOfATerminalAndOfMarkdown) {
  const std::vector<Answer> answers = {{.title = "distance, clean",
                                        .headline = "rope leads",
                                        .sentence = "rope: 97.0 % (95 % 95.0 to 98.0), 5 of 5 runs at 90 %."}};
  const std::vector<Oddity> oddities = {{"1 run failed.", {"rope: 1"}}};
  EXPECT_EQ(conclusions_text(answers, oddities, TableFormat::terminal),
            "Answers\n- distance, clean: rope leads. rope: 97.0 % (95 % 95.0 to 98.0), 5 of 5 runs at 90 %.\n\nWhat is "
            "odd\n- "
            "1 run failed.\n");
  EXPECT_EQ(
      conclusions_text(answers, oddities, TableFormat::markdown).find("## Answers\n\n- distance, clean: rope leads. "),
      0u);
}

// The same strings in summary.json, summary.md and on the terminal.
TEST(Conclusions, AreTheSameEverywhere) {
  StudyResults results{.name = "s", .preset = "demo"};
  results.cells = {cell_runs(kRope, {0.9, 0.9}), cell_runs(kAlibi, {0.5, 0.6})};
  results.cells[1].runs[1].converged = false;
  const StudyReport report = make_report(results);
  const auto joined = [](std::string text) {  // lines that were wrapped
    for (size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ")) text.replace(at, 3, " ");
    return text;
  };
  ASSERT_EQ(report.json["answers"].size(), 1u);
  const Json& answer = report.json["answers"][0];
  const std::string sentence = answer["sentence"];
  EXPECT_NE(joined(report.terminal).find(answer["headline"].get<std::string>() + ". " + sentence), std::string::npos)
      << report.terminal;
  EXPECT_NE(report.markdown.find(shown(sentence, TableFormat::markdown)), std::string::npos) << report.markdown;
  for (const Json& oddity : report.json["oddities"]) {
    const std::string text = oddity["text"];
    EXPECT_NE(joined(report.terminal).find(text), std::string::npos) << text;
    EXPECT_NE(report.markdown.find(shown(text, TableFormat::markdown)), std::string::npos) << text;
  }
  EXPECT_TRUE(answer["ranked"][0]["runs"].is_null()) << "nothing to say";
  EXPECT_EQ(answer["ranked"][1]["runs"], "1 of 2 runs not converged");
  EXPECT_EQ(answer["ranked"][0]["standing"], "best");
  EXPECT_EQ(answer["ranked"][1]["standing"], "open");
  EXPECT_EQ(answer["ranked"][1]["cell"]["encoding"], "alibi");
  EXPECT_EQ(answer["ranked"][0]["mean"], 0.9);
}

}  // namespace conclusions_output_test
}  // namespace phasor
