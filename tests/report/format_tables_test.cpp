// The tables of members in docs/formats.md are those by which files are written and read. To write them anew:
//   PHASOR_UPDATE_DOCS=1 build/release/report_tests --gtest_filter='FormatTables.*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "phasor/ablation/ablation_json.h"
#include "phasor/ablation/run_groups.h"
#include "phasor/ablation/snapshot_timeline.h"
#include "phasor/base/file.h"
#include "phasor/base/json_fields.h"
#include "phasor/bench/bench_output.h"
#include "phasor/encoding/encoding_list.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/paper/paper_json.h"
#include "phasor/report/conclusions_output.h"
#include "phasor/report/report_cell.h"
#include "phasor/report/story_output.h"
#include "phasor/report/study_report.h"
#include "phasor/run/stored_result.h"
#include "phasor/run/telemetry.h"
#include "phasor/run/trained_card.h"
#include "phasor/spectrum/head_output.h"
#include "phasor/spectrum/model_report.h"
#include "phasor/spectrum/separation_table.h"
#include "phasor/study/carry_out/head_curves.h"
#include "phasor/study/carry_out/study_lengths.h"
#include "phasor/study/carry_out/study_spectrum.h"
#include "phasor/study/plan/plan_json.h"
#include "phasor/study/records/registration.h"
#include "phasor/study/summary/cell_heads_json.h"
#include "phasor/study/summary/detectable.h"
#include "phasor/study/summary/run_line.h"
#include "phasor/study/summary/study_json.h"
#include "phasor/study/swap/swap_evaluation.h"
#include "phasor/study/swap/swap_study.h"
#include "phasor/task/task_output.h"
#include "phasor/train/stability_report.h"
#include "support/paths.h"

namespace phasor {
namespace format_tables_test {

const std::string kDocument = std::string(fixtures_folder()) + "/../../docs/formats.md";

// By the name that stands in the marker above the table.
std::map<std::string, std::string> tables() {
  return {{"metrics.jsonl", fields_table<Metrics>()},
          {"telemetry.jsonl", fields_table<Telemetry>()},
          {"result.json", fields_table<StoredResult>()},
          {"spectrum.json", fields_table<ModelReport>()},
          {"range", fields_table<Spread>()},
          {"separation", fields_table<SeparationTable>()},
          {"ablation.json", fields_table<StoredAblation>()},
          {"verdict", fields_table<RunVerdict>()},
          {"estimate", fields_table<Estimate>()},
          {"removal", fields_table<StreamRemoval>()},
          {"ablation_published.json", fields_table<StoredPublished>()},
          {"snapshots", fields_table<SnapshotAblation>()},
          {"ablation.json of runs", fields_table<RunGroups>()},
          {"prevalence", fields_table<Prevalence>()},
          {"study.json", fields_table<StudyPlan>()},
          {"registered", fields_table<Registration>()},
          {"extensions", fields_table<StudyExtension>()},
          {"detectable_difference", fields_table<Detectable>()},
          {"registration", fields_table<AsRegistered>()},
          {"summary.csv", fields_table<RunLine>()},
          {"claims.csv", any_fields_table(paper::claim_columns().any())},
          {"study_spectrum.json", fields_table<SpectrumRecord>()},
          {"head_curves.json", fields_table<CurvesRecord>()},
          {"lengths", fields_table<MeasuredLength>()},
          {"evaluate --encoding", fields_table<SwapEvaluation>()},
          {"swap.csv", fields_table<SwapPoint>()},
          {"swap.json", fields_table<SwapSummary>()},
          {"report", fields_table<ReportSource>()},
          {"report cells", fields_table<ReportCell>()},
          {"summary.json", fields_table<StudySummary>()},
          {"story", fields_table<Story>()},
          {"answers", fields_table<Answer>()},
          {"oddities", fields_table<Oddity>()},
          {"claims", fields_table<paper::JudgedClaim>()},
          {"audit", fields_table<paper::AuditBlock>()},
          {"published", fields_table<paper::PublishedEntry>()},
          {"times", fields_table<SummaryTimes>()},
          {"cell", fields_table<CellSummary>()},
          {"name of a cell", fields_table<CellName>()},
          {"number over seeds", fields_table<SeedInterval>()},
          {"cell's numbers", fields_table<CellNumbers>()},
          {"curve", fields_table<CurveColumns>()},
          {"ablation over seeds", fields_table<QuestionSummary>()},
          {"verdict over seeds", fields_table<EncodingVerdict>()},
          {"encodings", fields_table<EncodingEntry>()},
          {"encoding card", fields_table<EncodingCard>()},
          {"trained card", fields_table<TrainedCard>()},
          {"task card", fields_table<TaskCard>()},
          {"stability", fields_table<StabilityReport>()},
          {"bench step", fields_table<BenchedStep>()},
          {"bench encodings", fields_table<EncodingTime>()},
          {"bench ablation", fields_table<BenchedSweep>()}};
}

std::string begin_of(const std::string& name) { return fmt::format("<!-- members: {} -->\n", name); }
const std::string kEnd = "<!-- end of members -->\n";

// The document with its tables as they should be.
std::string with_tables(std::string document) {
  for (const auto& [name, table] : tables()) {
    const size_t begin = document.find(begin_of(name));
    const size_t end = document.find(kEnd, begin);
    if (begin == std::string::npos || end == std::string::npos) {
      ADD_FAILURE() << "docs/formats.md has no place for a table: " << begin_of(name) << kEnd;
      continue;
    }
    const size_t first = begin + begin_of(name).size();
    document.replace(first, end - first, table);
  }
  return document;
}

TEST(FormatTables, AreThoseOfTheProgram) {
  const std::string document = read_file(kDocument);
  const std::string expected = with_tables(document);
  if (const char* update = std::getenv("PHASOR_UPDATE_DOCS"); update != nullptr && *update == '1') {
    std::ofstream(kDocument) << expected;
    return;
  }
  EXPECT_TRUE(document == expected)
      << "docs/formats.md does not have the members that files have. Run\n"
         "  PHASOR_UPDATE_DOCS=1 build/release/report_tests --gtest_filter='FormatTables.*'";
}

TEST(FormatTables, EveryMarkerHasATable) {
  const std::string document = read_file(kDocument);
  const std::string start = "<!-- members: ";
  const std::map<std::string, std::string> known = tables();
  size_t found = 0;
  for (size_t at = document.find(start); at != std::string::npos; at = document.find(start, at + 1)) {
    const size_t name = at + start.size();
    EXPECT_TRUE(known.contains(document.substr(name, document.find(" -->", name) - name))) << document.substr(at, 60);
    ++found;
  }
  EXPECT_EQ(found, known.size()) << "a name occurs twice";
}

// A row has three cells, each of which says something.
TEST(FormatTables, EveryMemberIsExplained) {
  for (const auto& [name, table] : tables()) {
    std::set<std::string> members;
    size_t line = table.find("|---|---|---|\n") + 14;
    while (line < table.size()) {
      const size_t end = table.find('\n', line);
      const std::string row = table.substr(line, end - line);
      line = end + 1;
      const size_t first = row.find(" | "), second = row.find(" | ", first + 3), last = row.rfind(" |");
      EXPECT_TRUE(row.starts_with("| `") && first > 3 && second > first + 3 && last > second + 3) << row;
      EXPECT_EQ(row.find(" | ", second + 3), std::string::npos) << row;
      EXPECT_TRUE(members.insert(row.substr(0, first)).second) << name << " has a member twice: " << row;
    }
  }
}

// Types are plain, or a table of their own has their name; lists of these, and null where it may be.
TEST(FormatTables, EveryTypeIsExplained) {
  std::set<std::string> types = {
      "true or false",        "whole number",        "number", "text", "object", "pair of numbers",
      "whole number or text", "number, text or null"};
  for (const auto& [name, table] : tables()) types.insert(name);
  for (int depth = 0; depth < 3; ++depth) {
    for (const std::string& type : std::set<std::string>(types)) types.insert({type + " or null", list_type(type)});
  }
  for (const auto& [name, table] : tables()) {
    size_t line = table.find("|---|---|---|\n") + 14;
    for (; line < table.size(); line = table.find('\n', line) + 1) {
      const size_t first = table.find(" | ", line) + 3;
      const std::string type = table.substr(first, table.find(" | ", first) - first);
      EXPECT_TRUE(types.contains(type)) << name << ": " << type;
    }
  }
}

}  // namespace format_tables_test
}  // namespace phasor
