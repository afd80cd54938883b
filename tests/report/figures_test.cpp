// The figures of a report as files. The tables of columns in docs/formats.md are written anew by
//   PHASOR_UPDATE_DOCS=1 build/release/report_tests --gtest_filter='Figures.*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/notice.h"
#include "phasor/report/figures/export_figures.h"
#include "phasor/report/figures/report_figure.h"
#include "phasor/study/carry_out/head_curves.h"
#include "study/records.h"
#include "support/paths.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace figures_test {

namespace fs = std::filesystem;
using namespace testing_support;

const fs::path kRoot = fs::path(fixtures_folder()) / "../..";
const std::string kFormats = (kRoot / "docs/formats.md").string();

void measure(RunRecord& run) {
  const double accuracy = run.test_accuracy;
  run.floors = {.chance = 0.05, .length = 0.1, .rule = 0.5, .ceiling = 1.0};
  run.curve = {{.step = 0, .gradient_norm = 2.0, .test_loss = 3.0, .test_accuracy = 0.05},
               {.step = 1000,
                .learning_rate = 1e-3,
                .gradient_norm = 0.5,
                .train_accuracy = accuracy,
                .test_loss = 1.0 - accuracy,
                .test_accuracy = accuracy}};
  const auto number = static_cast<uint32_t>(run.seed);
  run.ablation = ablation_record(2000, accuracy, concentrated(number));
  run.ablation->importance = even(number);
  StreamRemoval removal;
  for (int64_t layer = 0; layer < 2; ++layer) {
    removal.layers.push_back({.layer = layer,
                              .means = {2.0, 0.25},
                              .input_term = RemovalScore{1.5, 0.5},
                              .random = {{0.5, 0.75}, {0.75, 0.625}},
                              .excess = {1.375, 1.25, 1.5},
                              .norm_share = 0.125});
  }
  run.ablation->removal = removal;
  run.snapshots = {ablation_record(500, 0.5, concentrated(number + 10))};
  run.snapshots[0].importance = even(number + 10);
  run.published = PublishedAblation{.baseline = accuracy, .accuracy = {{0.5, 0.75}, {0.25, 0.5}}, .samples = 64};
  run.spectrum = SpectrumRecord{.start = {.contraction = 0.75 + 0.01 * accuracy, .product_norm = 2.0},
                                .end = {.contraction = 0.5 + 0.01 * accuracy, .product_norm = 3.0},
                                .start_contractions = {0.75, 0.8},
                                .end_contractions = {0.5, 0.6},
                                .content_share = 0.625};
  run.lengths = {{1.0, 42, accuracy}, {2.0, 84, 0.5 * accuracy}};
}

paper::AuditBlock audit_block() {
  const paper::AuditChange change{.base = {90.0, 92.0},
                                  .switched = {80.0, 82.0},
                                  .base_mean = 91.0,
                                  .mean = 81.0,
                                  .change = {.estimate = -10.0, .low = -14.0, .high = -6.0},
                                  .test = {.p = 0.03125, .smallest_p = 0.03125},
                                  .holm = 0.03125};
  return {.encoding = "rope",
          .base = "clean",
          .base_accuracy = 91.0,
          .base_max_share = 0.5,
          .rows = {{.name = "padding", .what = "pads", .ceiling = 100.0, .accuracy = change, .max_share = change}},
          .finding = "Accuracy is moved by padding."};
}

// A study with everything that a report can have.
class Figures : public testing::Test {
 protected:
  Figures() {
    results_ = {.name = "all", .preset = "demo"};
    const auto cell = [](const char* encoding) {
      return CellName{.task = "distance", .protocol = "clean", .encoding = encoding};
    };
    results_.cells = {cell_runs(kRope, {0.875, 0.9375, 0.96875}),
                      cell_runs(kAlibi, {0.5, 0.5625, 0.53125}),
                      cell_runs(cell("nope"), {0.1, 0.2}),
                      cell_runs(cell("rope[heads=0]"), {0.8, 0.75}),
                      {.cell = cell("t5"), .planned = 2}};
    for (CellRuns& runs : results_.cells) {
      for (RunRecord& run : runs.runs) measure(run);
    }
    results_.cells[1].runs[0].converged = false;
    const RunRecord& shown = results_.cells[0].runs[0];
    fs::create_directories(temporary_ / shown.id);
    std::vector<HeadCurves> heads;
    for (int64_t layer = 0; layer < 2; ++layer) {
      heads.push_back({.layer = layer,
                       .head = 1,
                       .singular = {3.0, 1.0},
                       .plain = {4.0, 1.0},
                       .eigenvalues = {{0.5, -0.25}},
                       .kernel = {-1.0, 0.0, 1.0},
                       .shares = {.content_content = 0.75, .bias = 0.25},
                       .contraction = 0.875});
    }
    write_head_curves({.tokens = 2, .heads = heads}, temporary_ / shown.id / kHeadCurvesFile, shown.id);
  }

  FigureStudy study() {
    report_ = make_report(results_);
    FigureStudy study = figure_study(
        {.kind = "study", .folder = "all", .run_folder = [this](const RunRecord& run) { return temporary_ / run.id; }},
        report_, results_);
    study.audit = {audit_block()};
    study.published = paper::published();
    return study;
  }

  fs::path out() const { return temporary_ / "figures"; }
  std::string file(const std::string& name) const { return read_file(out() / name); }

  TemporaryFolder temporary_;
  StudyResults results_;
  StudyReport report_;
};

std::set<std::string> page_ids() {
  std::set<std::string> ids;
  const std::regex spec(R"re(: FigureSpec = \{\s*id: "([^"]+)")re");
  for (const fs::directory_entry& section : fs::directory_iterator(kRoot / "web/src/sections")) {
    const std::string text = read_file(section.path());
    for (std::sregex_iterator it(text.begin(), text.end(), spec), end; it != end; ++it) ids.insert((*it)[1]);
  }
  return ids;
}

TEST_F(Figures, AreThoseOfThePage) {
  std::set<std::string> ids;
  for (const FigureBuilder& builder : figure_builders()) ids.emplace(builder.id);
  EXPECT_EQ(ids.erase("comparisons"), 1U);  // a table on the page
  EXPECT_EQ(ids, page_ids());
}

TEST_F(Figures, EveryKindIsDrawnOfAFullStudy) {
  std::vector<std::string> told;
  const FigureExport exported =
      export_figures(study(), out(), {}, [&](const ExportedFigure& figure) { told.push_back(figure.name); });
  for (const LackingFigure& figure : exported.lacking) ADD_FAILURE() << figure.id << ": " << figure.why;
  EXPECT_EQ(told.size(), exported.figures.size());
  const std::string index = file("figures.md");
  for (const ExportedFigure& figure : exported.figures) {
    EXPECT_TRUE(file(figure.name + ".svg").ends_with("</svg>\n")) << figure.name;
    EXPECT_TRUE(file(figure.name + ".pdf").starts_with("%PDF-1.4")) << figure.name;
    EXPECT_NE(file(figure.name + ".csv").find('\n'), std::string::npos);
    EXPECT_FALSE(figure.caption.empty()) << figure.name;
    EXPECT_NE(index.find("(" + figure.name + ".svg)"), std::string::npos);
  }
}

TEST_F(Figures, NumbersHaveAllTheirDigits) {
  results_.cells[0].runs[0].test_accuracy = 0.1 + 0.2;
  export_figures(study(), out(), {"accuracy-by-encoding"});
  const std::string csv = file("accuracy-by-encoding_distance_clean.csv");
  EXPECT_NE(csv.find("rope,rope,,distance,clean,run,0,yes,0.30000000000000004,,,rope-0\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("alibi,alibi,,distance,clean,run,0,no,0.5,,,alibi-0\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",,,distance,clean,chance,,,0.05,,,\n"), std::string::npos) << csv;
}

TEST_F(Figures, AreTheSameBytesEveryTime) {
  std::map<std::string, std::string> first;
  export_figures(study(), out(), {});
  for (const fs::directory_entry& it : fs::directory_iterator(out()))
    first[it.path().filename()] = read_file(it.path());
  export_figures(study(), out(), {});
  for (const auto& [name, bytes] : first) EXPECT_TRUE(file(name) == bytes) << name;
}

TEST_F(Figures, ComparisonsSayWhichAreExtensions) {
  const std::string name = "comparisons_distance_clean_test-accuracy";
  const auto caption = [&] { return export_figures(study(), out(), {"comparisons"}).figures.at(0).caption; };
  EXPECT_EQ(caption().find("xtension"), std::string::npos);
  EXPECT_NE(file(name + ".csv").find(",no\n"), std::string::npos);
  EXPECT_EQ(file(name + ".csv").find(",yes\n"), std::string::npos);
  results_.cells[1].added_seeds = {2};
  EXPECT_NE(caption().find(" Extension, with runs that were added to the study later: rope \u2013 alibi."),
            std::string::npos)
      << caption();
  EXPECT_NE(file(name + ".csv").find(",yes\n"), std::string::npos);
  EXPECT_NE(file(name + ".csv").find(",no\n"), std::string::npos);
  results_.cells[0].added_seeds = {2};
  EXPECT_NE(caption().find("later: all of them."), std::string::npos) << caption();
}

// A run that never reached 90 % counts as one update more than the longest, which is no number of steps to draw.
TEST_F(Figures, RunsThatNeverReachedItHaveNoDifference) {
  const auto drawn = [&] {
    const FigureExport made = export_figures(study(), out(), {"comparisons"});
    return std::count_if(made.figures.begin(), made.figures.end(), [](const ExportedFigure& figure) {
      return figure.name.find("steps-to-90") != std::string::npos;
    });
  };
  for (CellRuns& cell : results_.cells) {
    for (RunRecord& run : cell.runs) run.steps_to_90 = 400;
  }
  EXPECT_EQ(drawn(), 1);
  for (CellRuns& cell : results_.cells) {
    if (!cell.runs.empty()) cell.runs.front().steps_to_90.reset();
  }
  EXPECT_EQ(drawn(), 0);
}

// As on the page: by what an encoding is, whatever it is called, and one place for each.
TEST_F(Figures, NamedEncodingsLookAsUsual) {
  results_.cells[0].cell.label = "mine";
  results_.cells[2].cell.label = "alibi of mine";
  const FigureStudy made = study();
  const std::map<std::string, EncodingStyle> usual = encoding_styles({"rope", "alibi", "nope", "t5", "rope[heads=0]"});
  size_t seen = 0;
  for (const std::vector<FigurePlace>* places : {&made.places, &made.rotary}) {
    for (const FigurePlace& place : *places) {
      for (const FigureCell& cell : place.cells) {
        const EncodingStyle& expected = usual.at(cell.cell->cell.encoding);
        EXPECT_EQ(cell.style.colour, expected.colour) << cell.label;
        EXPECT_EQ(cell.style.marker, expected.marker) << cell.label;
        EXPECT_EQ(cell.style.dash, expected.dash) << cell.label;
        ++seen;
      }
    }
  }
  EXPECT_EQ(seen, 9U);
}

// All of the first names alike and longer than a row: the second name and both ends of the first are there.
TEST_F(Figures, RowsOfComparisonsTellLongNamesApart) {
  const std::string same(150, 'w');
  results_.cells[0].cell.label = same + "ZERO";
  results_.cells[1].cell.label = same + "ONE";
  results_.cells[2].cell.label = "short";
  export_figures(study(), out(), {"comparisons"});
  const std::string svg =
      std::regex_replace(file("comparisons_distance_clean_test-accuracy.svg"), std::regex("<[^>]*>|\\s"), "");
  for (const char* end : {"wwwZERO\u2013www", "wwwONE", "wwwZERO\u2013short"}) {
    EXPECT_NE(svg.find(end), std::string::npos) << end << " in " << svg;
  }
}

TEST_F(Figures, NamesMayHaveAnySigns) {
  std::vector<std::string> notices;
  set_notice([&](std::string_view line) { notices.emplace_back(line); });
  results_.cells[0].cell.label = "mine, \"<b>\" & \u03b1 \u05e9\u05dc\u05d5\u05dd";
  export_figures(study(), out(), {"accuracy-by-encoding", "learning-curves"});
  set_notice({});
  EXPECT_NE(file("accuracy-by-encoding_distance_clean.csv")
                .find("\"mine, \"\"<b>\"\" & \u03b1 \u05e9\u05dc\u05d5\u05dd\",rope,"),
            std::string::npos);
  EXPECT_EQ(file("accuracy-by-encoding_distance_clean.svg").find("<b>"), std::string::npos);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("'?' stands there in 4 figures"), std::string::npos) << notices[0];
}

TEST_F(Figures, WhatIsLackingIsNamed) {
  results_.cells = {{.cell = kRope, .planned = 3}};
  FigureStudy bare = study();
  bare.audit.clear();
  const FigureExport exported = export_figures(bare, out(), {});
  EXPECT_TRUE(exported.figures.empty());
  EXPECT_EQ(exported.lacking.size(), figure_builders().size());
}

TEST_F(Figures, OneOfAMissingMeasureIsDrawnOfTheRest) {
  for (RunRecord& run : results_.cells[1].runs) run.curve.clear();
  const FigureExport exported = export_figures(study(), out(), {"accuracy-by-encoding", "learning-curves"});
  EXPECT_EQ(exported.figures.size(), 4U);
  EXPECT_EQ(file("accuracy-by-encoding_distance_clean.csv").find("nan"), std::string::npos);
}

TEST_F(Figures, UnknownOnesAreRefused) {
  try {
    export_figures(study(), out(), {"accuracy"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("accuracy-by-encoding, learning-curves"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(Figures, AFileIsNoFolder) {
  std::ofstream(out()) << "x";
  EXPECT_THROW(export_figures(study(), out(), {}), Error);
}

std::string columns_table(const FigureBuilder& builder) {
  std::string table = "| column | what |\n|---|---|\n";
  for (const FigureColumn& column : builder.columns) table += fmt::format("| `{}` | {} |\n", column.name, column.what);
  return table;
}

TEST_F(Figures, ColumnsAreInTheDocument) {
  std::string expected = read_file(kFormats);
  const std::string document = expected;
  for (const FigureBuilder& builder : figure_builders()) {
    const std::string start = fmt::format("<!-- columns: {} -->\n", builder.id);
    const size_t from = expected.find(start);
    ASSERT_NE(from, std::string::npos) << builder.id;
    const size_t to = expected.find("<!-- columns: end -->", from);
    expected.replace(from + start.size(), to - from - start.size(), "\n" + columns_table(builder) + "\n");
  }
  if (const char* update = std::getenv("PHASOR_UPDATE_DOCS"); update != nullptr && *update == '1') {
    std::ofstream(kFormats) << expected;
    return;
  }
  EXPECT_TRUE(document == expected) << "PHASOR_UPDATE_DOCS=1 build/release/report_tests --gtest_filter='Figures.*'";
}

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

// What the document says how to draw, drawn from files that were just written.
TEST_F(Figures, SnippetsOfTheDocumentRun) {
  const std::string document = read_file(kFormats);
  std::string shared;
  std::string script = "import matplotlib\nmatplotlib.use('Agg')\n";
  int snippets = 0;
  const size_t first = document.find("### Figures");
  ASSERT_NE(first, std::string::npos);
  const std::string fence = "```python\n";
  for (size_t at = document.find(fence, first); at != std::string::npos; at = document.find(fence, at + 1)) {
    const std::string code = document.substr(at + fence.size(), document.find("```", at + 3) - at - fence.size());
    script += code + (snippets++ == 0 ? "" : "\nplt.close('all')\n");
  }
  EXPECT_EQ(snippets, std::ssize(figure_builders()) + 1);
  export_figures(study(), out(), {});
  std::ofstream(out() / "snippets.py") << script;
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    if (runs(std::string(candidate) + " -c 'import matplotlib'")) python = candidate;
  }
  if (python.empty()) GTEST_SKIP() << "no python3 with matplotlib (Debian: python3-matplotlib)";
  const std::string command =
      fmt::format("cd '{}' && MPLCONFIGDIR=. {} snippets.py 2>&1 > snippets.txt", out().string(), python);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(Figures, OtherProgramsReadTheFiles) {
  export_figures(study(), out(), {});
  if (runs("python3 -c pass")) {
    std::ofstream(out() / "read.py")
        << "import glob, xml.dom.minidom as m\nfiles = glob.glob('*.svg')\nassert files\nfor f in files: m.parse(f)\n";
    EXPECT_EQ(std::system(fmt::format("cd '{}' && python3 read.py", out().string()).c_str()), 0);
  }
  if (!runs("qpdf --version")) GTEST_SKIP() << "no qpdf";
  for (const fs::directory_entry& it : fs::directory_iterator(out())) {
    if (it.path().extension() != ".pdf") continue;
    EXPECT_TRUE(runs("qpdf --check '" + it.path().string() + "'")) << it.path();
  }
}

}  // namespace figures_test
}  // namespace phasor
