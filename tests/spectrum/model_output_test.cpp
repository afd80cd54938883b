// What is said of heads: tables, assumptions, theorems.
#include "phasor/spectrum/model_output.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/spectrum/check_groups.h"
#include "phasor/spectrum/head_output.h"
#include "phasor/spectrum/model_report.h"
#include "phasor/spectrum/spectrum_files.h"
#include "spectrum/heads.h"
#include "spectrum/model_run.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace model_output_test {

using namespace testing_support;
using Json = nlohmann::ordered_json;

// Every number is another, and `level` moves them all.
HeadMeasures measures(int64_t layer, int64_t head, double level) {
  HeadMeasures m;
  m.layer = layer;
  m.head = head;
  m.spectral_norm = 1 + level;
  m.stable_rank = 2 + level;
  m.effective_rank = 3 + level;
  m.participation_ratio = 4 + level;
  m.contraction = 5 + level;
  m.bias_expansion = 6 + level;
  m.relative_r2 = 7 + level;
  m.position_toeplitz = 8 + level;
  m.interaction = 9 + level;
  m.shares = {.content_content = 10 + level,
              .content_position = 11 + level,
              .position_content = 12 + level,
              .position_position = 13 + level,
              .bias = 14 + level,
              .decoupled = 15 + level};
  return m;
}

const std::vector<HeadMeasures> kHeads = {measures(0, 0, 0.25), measures(0, 1, 0.75), measures(1, 0, 0.5)};

std::vector<std::string> words_of_row(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(fmt::format("{:>6} ", label), 0) != 0) continue;
    std::istringstream words(line.substr(6));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(ModelOutput, RowsHaveAColumnWhereThereAreAnyAndNothingIsANumberThatIsNone) {
  const size_t columns = words_of_row(measures_table(kHeads), "0.1").size();
  std::vector<HeadMeasures> heads = kHeads;
  heads[0].shares.rows = 0.125;
  heads[1].interaction = std::numeric_limits<double>::quiet_NaN();
  const std::string table = measures_table(heads);
  ASSERT_EQ(words_of_row(table, "0.0").size(), columns + 1) << table;
  EXPECT_EQ(words_of_row(table, "0.0")[columns - 1], "0.125") << table;
  EXPECT_EQ(words_of_row(table, "0.1").back(), "-") << table;
  EXPECT_EQ(words_of_row(table, "mean 0").back(), "-") << table;
  EXPECT_EQ(words_of_row(table, "1.0").back(), "9.500") << table;
  EXPECT_NE(assumptions_text(heads, {}).find("content and offset not defined"), std::string::npos);
}

TEST(ModelOutput, LayersHaveTheMeansOfTheirHeads) {
  const Json layers = layer_means_json(kHeads);
  ASSERT_EQ(layers.size(), 2u);
  // 0.25 and 0.75 have the mean 0.5, which is what the only head of layer 1 has.
  for (const size_t l : {size_t{0}, size_t{1}}) {
    Json expected = measures_json(measures(static_cast<int64_t>(l), 0, 0.5));
    expected.erase("head");
    EXPECT_EQ(layers[l], expected);
  }
  const Json first = measures_json(kHeads[1]);
  EXPECT_EQ(first.at("head"), 1);
  EXPECT_EQ(first.at("spectral_norm"), 1.75);
  EXPECT_EQ(first.at("position_toeplitz"), 8.75);
  EXPECT_EQ(first.at("shares").at("position_content"), 12.75);
}

TEST(ModelOutput, TheTableHasARowPerHeadAndOnePerLayer) {
  const std::string table = measures_table(kHeads);
  const std::vector<std::string> columns = {"sigma1", "stable", "eff.",  "contr.", "bias x", "R2_rel",
                                            "T(Gpp)", "cont.",  "mixed", "pos.",   "bias",   "inter."};
  size_t at = 0;
  for (const std::string& column : columns) at = table.find(column, at);
  EXPECT_LT(at, table.find('\n')) << "titles in this order";
  // Mixed is content with position and position with content: 11 + 12 and twice the level.
  EXPECT_EQ(words_of_row(table, "0.1"),
            (std::vector<std::string>{"1.750", "2.750", "3.750", "5.750", "6.750", "7.750", "8.750", "10.75", "24.50",
                                      "13.75", "14.75", "9.750"}));
  EXPECT_EQ(words_of_row(table, "mean 0"), words_of_row(table, "1.0"));
  HeadMeasures large = measures(0, 0, 0.0);
  large.spectral_norm = 123456.0;
  large.stable_rank = 1234.5;
  EXPECT_EQ(words_of_row(measures_table({large}), "0.0").at(0), "1e+05");
  EXPECT_EQ(words_of_row(measures_table({large}), "0.0").at(1), "1234");
}

TEST(ModelOutput, AssumptionsHaveRangesOverAllHeads) {
  StreamStates entering{.layer = 0}, leaving{.layer = 1};
  entering.stream = {.token = 0.5, .position = 0.25, .interaction = 0.125, .context = 0.0625};
  entering.stream.interaction_deviation = 0.03125;
  entering.stream.used_rows = 40;
  entering.stream.cells = 9;
  entering.stream.defined = true;
  const Json json = assumptions_json(kHeads, {entering, leaving});
  EXPECT_EQ(json.at("interaction"), (Json{{"mean", 9.5}, {"least", 9.25}, {"most", 9.75}}));
  EXPECT_EQ(json.at("mixed"), (Json{{"mean", 24.0}, {"least", 23.5}, {"most", 24.5}}));
  EXPECT_EQ(json.at("positional"), (Json{{"mean", 28.0}, {"least", 27.5}, {"most", 28.5}})) << "with the bias";
  EXPECT_EQ(json.at("position_toeplitz").at("most"), 8.75);
  EXPECT_EQ(json.at("states").at(0).at("stream"), (Json{{"token", 0.5},
                                                        {"position", 0.25},
                                                        {"interaction", 0.125},
                                                        {"interaction_deviation", 0.03125},
                                                        {"context", 0.0625},
                                                        {"rows", 40},
                                                        {"cells", 9}}));
  EXPECT_TRUE(json.at("states").at(0).at("normed").is_null());
  expect_words(assumptions_text(kHeads, {entering, leaving}),
               {"layer 0   token 0.500  position 0.250  interaction 0.125 +- 0.031  context 0.062",
                "the end   too few tokens met one place twice",
                "interaction of content and offset 9.500 (9.250 to 9.750)", "adjusted R2 8.500 (8.250 to 8.750)"});
}

CheckTally tally(const char* name, int64_t applied, bool violated, int64_t sequences = 4) {
  CheckTally result;
  result.first = {.name = name, .applies = applied > 0, .bound = 2.0, .measured = 1.0, .holds = true, .why = "because"};
  result.sequences = sequences;
  result.applied = applied;
  result.held = sequences - (violated ? 1 : 0);
  result.violated = violated;
  return result;
}

HeadSummary head_with(std::vector<CheckTally> checks) {
  HeadSummary head;
  head.checks = std::move(checks);
  return head;
}

TEST(CheckGroups, HeadsOfOneVerdictAreToldTogether) {
  const std::vector<HeadSummary> heads = {head_with({tally("Weyl", 4, false), tally("Schur", 0, false)}),
                                          head_with({tally("Weyl", 4, true), tally("Schur", 0, false)}),
                                          head_with({tally("Weyl", 3, false), tally("Schur", 0, false, 2)})};
  const std::vector<CheckGroup> groups = check_groups(heads);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].first.first.name, "Weyl");
  EXPECT_EQ(groups[0].verdict, "holds");
  EXPECT_EQ(groups[0].heads, 2);
  EXPECT_EQ(groups[0].sequences, 8);
  EXPECT_EQ(groups[0].applied, 7);
  EXPECT_EQ(groups[0].held, 8);
  EXPECT_EQ(groups[1].verdict, "violated");
  EXPECT_EQ(groups[1].heads, 1);
  EXPECT_EQ(groups[1].held, 3);
  EXPECT_EQ(groups[2].first.first.name, "Schur");
  EXPECT_EQ(groups[2].heads, 3);
  EXPECT_EQ(groups[2].sequences, 10);
  const std::string table = check_table(heads);
  expect_words(table, {"Weyl", "1.000 <= 2.000", "<= in 8 of 8 (2 of 3 heads)", "<= in 3 of 4 (1 of 3 heads)"});
  EXPECT_EQ(table.find("of 10 ("), std::string::npos) << "all heads need no count: " << table;
  const Json json = checks_json(heads);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[1].at("verdict"), "violated");
  EXPECT_EQ(json[1].at("applied"), 4);
  EXPECT_EQ(json[2].at("heads"), 3);
}

TEST(CheckGroups, TheoremsOfOneVerdictStayApart) {
  const std::vector<CheckGroup> groups =
      check_groups({head_with({tally("Weyl", 4, false), tally("Schur", 4, false), tally("Kato", 4, true)})});
  ASSERT_EQ(groups.size(), 3u);
  for (size_t g = 0; g < 3; ++g) {
    EXPECT_EQ(groups[g].first.first.name, std::vector<std::string>({"Weyl", "Schur", "Kato"})[g]);
    EXPECT_EQ(groups[g].heads, 1) << g;
  }
  EXPECT_EQ(groups[1].verdict, "holds");
}

TEST(HeadOutput, FilesHaveTheNumbersOfTheHeads) {
  const Dense q = random_matrix(12, 4, 470), k = random_matrix(12, 4, 471);
  const std::vector<HeadSummary> heads = summarize_heads(
      0, {{turned_head(q, k, frequencies(4)), turned_head(k, q, frequencies(4))}}, {.numerical_range = false});
  const TemporaryFolder folder;
  write_spectrum(folder.path(), "mine", spectrum_json({{"encoding", "rope"}}, heads), heads, 1);
  const SafetensorsFile arrays = SafetensorsFile::open(folder / "mine.safetensors");
  const auto values = arrays.data<double>("singular_values", {1, 2, 4});
  const auto plain = arrays.data<double>("singular_values_plain", {1, 2, 4});
  for (size_t h = 0; h < 2; ++h) {
    EXPECT_EQ(values[4 * h], heads[h].spectral_norm.mean);
    EXPECT_NEAR(values[4 * h] / plain[4 * h], heads[h].contraction.mean, 1e-12);
  }
  EXPECT_FALSE(arrays.contains("numerical_range")) << "was not asked for";
  EXPECT_EQ(arrays.tensor("kernels").shape, (TensorShape{1, 2, 23}));
  const Json json = head_json(heads[1]);
  EXPECT_EQ(json.at("head"), 1);
  EXPECT_EQ(json.at("spectral_norm"),
            (Json{{"mean", values[4]}, {"least", values[4]}, {"most", values[4]}, {"count", 1}}));
  EXPECT_TRUE(json.at("bias_expansion").is_null()) << "no bias, no expansion";
  EXPECT_EQ(json.at("abscissa").at("mean"), heads[1].first.logits.symmetric->abscissa);
  EXPECT_EQ(json.at("first").at("n"), 12);
  EXPECT_THROW(write_spectrum(folder.path(), "odd", spectrum_json({}, heads), heads, 3), Error);
}

TEST(ModelReport, ShowsTheLongestSampleAndMeasuresAll) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("rope"), {5, 9, 7, 9});
  std::vector<std::string> told;
  const ModelReport report =
      report_model(run.model, run.data.batch, [&](const std::string& line) { told.push_back(line); });
  EXPECT_EQ(report.samples, 4);
  EXPECT_EQ(report.shown, 1) << "the first of the longest";
  EXPECT_EQ(report.length, 9);
  const auto heads = static_cast<size_t>(run.layers() * run.data.config.heads);
  ASSERT_EQ(report.measures.size(), heads);
  ASSERT_EQ(report.heads.size(), heads);
  EXPECT_EQ(report.states.size(), static_cast<size_t>(run.layers()) + 1);
  for (size_t i = 0; i < heads; ++i) {
    EXPECT_EQ(report.heads[i].layer, report.measures[i].layer);
    EXPECT_EQ(report.heads[i].head, report.measures[i].head);
    EXPECT_EQ(report.heads[i].first.size, 9);
    EXPECT_EQ(report.heads[i].sequences, 1);
  }
  EXPECT_EQ(told.size(), 2u);
  const Json json = model_report_json(report, {{"run", "mine"}});
  EXPECT_EQ(json.at("source"), (Json{{"run", "mine"}, {"shown_sample", 1}, {"n", 9}}));
  EXPECT_EQ(json.at("heads").size(), heads);
  EXPECT_EQ(json.at("layer_means").size(), static_cast<size_t>(run.layers()));
  expect_words(model_report_text(report, "a title"), {"a title\n\n", "assumptions", "9 tokens", "Weyl"});
}

}  // namespace model_output_test
}  // namespace phasor
