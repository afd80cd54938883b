// phasor report, as a person meets it.
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/tiny_run.h"

namespace phasor {
namespace report_test {

namespace fs = std::filesystem;

class ReportCommand : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (temporary_ / name).string(); }
  Outcome study(const std::string& out) const {
    return phasor_command(Arguments{"study", "quick", "--encodings", "rope", "nope", "--seeds", "2", "--measure",
                                    "ablation", "spectrum", "--out", path(out)} +
                          tiny_settings());
  }
  // Whether this binary has the page; where it has none, it says how to get it.
  static bool has_page(const Outcome& outcome) {
    return outcome.err.find("without the report's page") == std::string::npos;
  }

  TemporaryFolder temporary_;
};

TEST_F(ReportCommand, ShowsAStudy) {
  const Outcome made = study("one");
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome text = phasor_command({"report", path("one"), "--text"});
  ASSERT_EQ(text.code, 0) << text.err;
  expect_words(text.out, {"test accuracy: distance, clean", "accuracy over steps", "position in heads", "rope", "○"});
  EXPECT_EQ(text.out.find("not finished"), std::string::npos);
  const Outcome page = phasor_command({"report", path("one")});
  if (!has_page(page)) {
    EXPECT_EQ(page.code, 1);
    expect_words(page.err, {"npm", "--text"});
    expect_words(made.out, {"summary.json"});
    return;
  }
  ASSERT_EQ(page.code, 0) << page.err;
  expect_words(made.out, {"report.html"});
  const std::string html = read_file(temporary_ / "one/report.html");
  EXPECT_EQ(html.find("<!--phasor-data-->"), std::string::npos);
  EXPECT_NE(html.find("phasor-data"), std::string::npos);
  const Outcome elsewhere = phasor_command({"report", path("one"), "--out", path("page.html")});
  ASSERT_EQ(elsewhere.code, 0) << elsewhere.err;
  EXPECT_GT(read_file(temporary_ / "page.html").size(), 100000u);
  expect_no_partial_files(temporary_ / "one");
}

TEST_F(ReportCommand, WritesTablesForAPaper) {
  ASSERT_EQ(study("one").code, 0);
  const Outcome printed = phasor_command({"report", path("one"), "--latex"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  expect_words(printed.out, {"\\usepackage{booktabs}", "\\toprule", "  \\texttt{rope} & ", "\\label{tab:"});
  EXPECT_EQ(phasor_command({"report", "--latex", path("one")}).out, printed.out) << "a folder is no file to write";
  const Outcome written = phasor_command({"report", path("one"), "--latex", path("tables.tex")});
  EXPECT_EQ(written.out, "written: " + path("tables.tex") + "\n");
  EXPECT_EQ(read_file(temporary_ / "tables.tex"), printed.out);
  EXPECT_EQ(written.err.find("xelatex"), std::string::npos) << written.err;
  expect_error(phasor_command({"report", path("one"), "--latex", "--text"}), 2, {"--text, --latex and --figures"});
  expect_error(phasor_command({"report", path("one"), "--latex", "--out", "x"}), 2, {"--latex FILE"});
  expect_error(phasor_command({"report"}), 2, {"report of what?"});
  const Arguments hebrew = {"study",   "quick", "--encodings", "\u05e9\u05dc\u05d5\u05dd=rope",
                            "--seeds", "1",     "--out",       path("hebrew")};
  ASSERT_EQ(phasor_command(hebrew + tiny_settings()).code, 0);
  const Outcome told = phasor_command({"report", path("hebrew"), "--latex", path("hebrew.tex")});
  expect_words(told.err, {"letters beyond Latin", "xelatex or lualatex"});
  const fs::path run = train_tiny(temporary_ / "run");
  const Outcome alone = phasor_command({"report", run.string(), "--latex"});
  ASSERT_EQ(alone.code, 0) << alone.err;
  expect_words(alone.out, {"one seed each, so without intervals"});
}

TEST_F(ReportCommand, ShowsAStudyThatIsNotFinished) {
  ASSERT_EQ(study("part").code, 0);
  const fs::path run = fs::directory_iterator(temporary_ / "part/runs")->path();
  fs::remove(run / "result.json");
  const Outcome text = phasor_command({"report", path("part"), "--text"});
  ASSERT_EQ(text.code, 0) << text.err;
  expect_words(text.out, {"not finished: 1 of its runs is missing", "rope"});
}

TEST_F(ReportCommand, ShowsARun) {
  ASSERT_EQ(phasor_command(Arguments{"train", "--task", "distance", "--encoding", "rope", "--out", path("run")} +
                           tiny_settings())
                .code,
            0);
  const Outcome text = phasor_command({"report", path("run"), "--text"});
  ASSERT_EQ(text.code, 0) << text.err;
  expect_words(text.out, {"rope on distance", "test accuracy"});
  EXPECT_TRUE(fs::exists(temporary_ / "run/head_curves.json"));
  const Outcome page = phasor_command({"report", path("run")});
  if (has_page(page)) {
    EXPECT_EQ(page.code, 0) << page.err;
    EXPECT_TRUE(fs::exists(temporary_ / "run/report.html"));
  }
}

TEST_F(ReportCommand, WritesFigures) {
  ASSERT_EQ(study("one").code, 0);
  const fs::path run = fs::directory_iterator(temporary_ / "one/runs")->path();
  fs::remove(run / "result.json");
  const Outcome made = phasor_command({"report", path("one"), "--figures", path("out")});
  ASSERT_EQ(made.code, 0) << made.err;
  expect_words(made.out, {"not finished: 1 of its runs is missing", "accuracy-by-encoding_distance_clean",
                          "not drawn: rotary-heads: ", "written: "});
  for (const char* ending : {"svg", "pdf", "csv"}) {
    EXPECT_TRUE(fs::exists(temporary_ / "out" / (std::string("head-drops_distance_clean_position.") + ending)));
  }
  EXPECT_TRUE(fs::exists(temporary_ / "out/figures.md"));
  expect_no_partial_files(temporary_ / "out");
  const Outcome one = phasor_command({"report", path("one"), "--figures", path("two"), "--only", "head-drops"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_FALSE(fs::exists(temporary_ / "two/accuracy-by-encoding_distance_clean.svg"));
  const Outcome unknown = phasor_command({"report", path("one"), "--figures", path("two"), "--only", "heads"});
  EXPECT_EQ(unknown.code, 2);
  expect_words(unknown.err, {"no figure 'heads'", "head-drops"});
  EXPECT_EQ(phasor_command({"report", path("one"), "--figures", path("two"), "--text"}).code, 2);
  EXPECT_EQ(phasor_command({"report", path("one"), "--only", "head-drops"}).code, 2);
  std::ofstream(temporary_ / "file") << "x";
  const Outcome bad = phasor_command({"report", path("one"), "--figures", path("file")});
  EXPECT_EQ(bad.code, 1);
  expect_words(bad.err, {"file"});
}

TEST_F(ReportCommand, SaysWhatIsWrong) {
  const Outcome nothing = phasor_command({"report", path("nothing"), "--text"});
  EXPECT_EQ(nothing.code, 2);
  expect_words(nothing.err, {"no folder"});
  fs::create_directory(temporary_ / "empty");
  const Outcome empty = phasor_command({"report", path("empty"), "--text"});
  EXPECT_EQ(empty.code, 2);
  expect_words(empty.err, {"neither a study nor a run"});
  std::ofstream(temporary_ / "empty/study.json") << "{";
  const Outcome damaged = phasor_command({"report", path("empty"), "--text"});
  EXPECT_EQ(damaged.code, 1);
  expect_words(damaged.err, {"study.json"});
  EXPECT_EQ(phasor_command({"report", path("empty"), "--text", "--out", path("x")}).code, 2);
}

}  // namespace report_test
}  // namespace phasor
