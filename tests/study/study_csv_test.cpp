#include "phasor/study/summary/study_csv.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "study/records.h"

namespace phasor {
namespace study_csv_test {

using namespace testing_support;

// RFC 4180, by another way than the writer: fields in quotes may hold commas, line ends and doubled quotes.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      lines.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      lines.back().emplace_back();
    } else if (!quoted && c == '\n') {
      lines.emplace_back(1);
    } else {
      lines.back().back() += c;
    }
  }
  EXPECT_EQ(lines.back(), std::vector<std::string>(1)) << "the last line ends";
  lines.pop_back();
  return lines;
}

// Lines by column name.
std::vector<std::map<std::string, std::string>> table_of(const StudyResults& results) {
  const std::vector<std::vector<std::string>> lines = parse_csv(study_csv(results));
  std::vector<std::map<std::string, std::string>> table;
  for (size_t l = 1; l < lines.size(); ++l) {
    EXPECT_EQ(lines[l].size(), lines[0].size()) << "line " << l;
    table.emplace_back();
    for (size_t c = 0; c < lines[l].size(); ++c) table.back()[lines[0][c]] = lines[l][c];
  }
  return table;
}

TEST(StudyCsv, OneLinePerRunWithEverything) {
  CellRuns cell = cell_runs(kRope, {1.0 / 3.0, 0.95});
  RunRecord& run = cell.runs[0];
  run.train_accuracy = 0.5;
  run.test_loss = 0.25;
  run.validation_accuracy = 0.75;
  run.steps_to_90 = 150;
  run.loss_area = 0.125;
  run.converged = false;
  run.lengths = {{4.0, 160, 0.0625}, {1.5, 60, 0.5}};
  run.ablation = ablation_record(2000, 0.3, concentrated());
  run.ablation->importance = even();
  run.spectrum = SpectrumRecord{.start = {.contraction = 0.75},
                                .end = {.contraction = 0.5},
                                .position_toeplitz = 0.25,
                                .logit_interaction = 0.375,
                                .positional_share = 0.125,
                                .content_share = 0.625,
                                .stream_interaction = 0.5,
                                .inner_interaction = 0.0625};
  run.data_seed = 7;
  run.test_samples = 2048;
  run.floors.ceiling = 0.96875;
  run.loss_spikes = 2.0;
  run.gradient_variation = 1.5;
  run.curve = {{.step = 50}, {.step = 100}, {.step = 150}, {.step = 200}};
  const LayerEffect effect = run.ablation->position->judged.run.layers[1].effect;
  const std::string text = study_csv({.cells = {cell}});
  EXPECT_EQ(
      text.substr(0, text.find('\n')),
      "id,task,protocol,encoding,variant,seed,data_seed,learning_rate,steps,parameters,converged,train_accuracy,"
      "test_accuracy,test_samples,blind_accuracy,ceiling,test_loss,validation_accuracy,steps_before_90,"
      "steps_to_90,loss_area,loss_spikes,gradient_variation,position_verdict,position_max_share,position_n2,"
      "position_layer,position_head,position_drops,importance_verdict,importance_max_share,importance_n2,"
      "importance_layer,importance_head,importance_drops,contraction_start,contraction_end,position_toeplitz,"
      "logit_interaction,content_share,product_share,positional_share,stream_interaction,inner_interaction,extension,"
      "accuracy_at_1.5,accuracy_at_4");
  const auto table = table_of({.cells = {cell}});
  ASSERT_EQ(table.size(), 2u);
  auto line = table[0];
  EXPECT_EQ(line["id"], "rope-0");
  EXPECT_EQ(line["task"], "distance");
  EXPECT_EQ(line["protocol"], "clean");
  EXPECT_EQ(line["encoding"], "rope");
  EXPECT_EQ(line["variant"], "");
  EXPECT_EQ(line["seed"], "0");
  EXPECT_EQ(line["learning_rate"], "0.001");
  EXPECT_EQ(line["steps"], "2000");
  EXPECT_EQ(line["parameters"], "1000");
  EXPECT_EQ(line["converged"], "false");
  EXPECT_EQ(line["train_accuracy"], "0.5");
  EXPECT_EQ(std::stod(line["test_accuracy"]), 1.0 / 3.0) << "to the last digit";
  EXPECT_EQ(line["test_loss"], "0.25");
  EXPECT_EQ(line["validation_accuracy"], "0.75");
  EXPECT_EQ(line["steps_to_90"], "150");
  EXPECT_EQ(line["loss_area"], "0.125");
  EXPECT_EQ(line["position_verdict"], "DEPOSIT");
  EXPECT_EQ(std::stod(line["position_max_share"]), effect.max_share.value);
  EXPECT_EQ(std::stod(line["position_n2"]), effect.n2.value);
  EXPECT_EQ(line["position_layer"], "1");
  EXPECT_EQ(line["position_head"], "2");
  EXPECT_EQ(line["position_drops"], "0 0 0 0 / 0.02 0.02 1 0.02");
  EXPECT_EQ(line["importance_verdict"], "SPREAD");
  EXPECT_EQ(std::stod(line["importance_max_share"]),
            run.ablation->importance->judged.run.layers[1].effect.max_share.value);
  EXPECT_EQ(line["importance_layer"], "1");
  EXPECT_EQ(line["importance_drops"], "0 0 0 0 / 0.3 0.3 0.3 0.3");
  EXPECT_EQ(line["data_seed"], "7");
  EXPECT_EQ(line["test_samples"], "2048");
  EXPECT_EQ(line["blind_accuracy"], "0.04");
  EXPECT_EQ(line["ceiling"], "0.96875");
  EXPECT_EQ(line["steps_before_90"], "100");
  EXPECT_EQ(line["loss_spikes"], "2");
  EXPECT_EQ(line["gradient_variation"], "1.5");
  EXPECT_EQ(line["logit_interaction"], "0.375");
  EXPECT_EQ(line["content_share"], "0.625");
  EXPECT_EQ(line["product_share"], "0.25");
  EXPECT_EQ(line["positional_share"], "0.125");
  EXPECT_EQ(line["stream_interaction"], "0.5");
  EXPECT_EQ(line["inner_interaction"], "0.0625");
  EXPECT_EQ(line["contraction_start"], "0.75");
  EXPECT_EQ(line["contraction_end"], "0.5");
  EXPECT_EQ(line["position_toeplitz"], "0.25");
  EXPECT_EQ(line["accuracy_at_1.5"], "0.5");
  EXPECT_EQ(line["accuracy_at_4"], "0.0625");
}

TEST(StudyCsv, WhatIsMissingIsEmpty) {
  CellRuns cell = cell_runs(kRope, {0.95});
  cell.runs[0].test_loss = std::numeric_limits<double>::quiet_NaN();
  cell.runs[0].loss_area = std::numeric_limits<double>::infinity();
  CellRuns other = cell_runs(kAlibi, {0.95});
  other.runs[0].lengths = {{2.0, 80, 0.5}};
  auto line = table_of({.cells = {cell, other}})[0];
  for (const char* column : {"test_loss",          "loss_area",         "validation_accuracy",
                             "steps_to_90",        "position_verdict",  "position_max_share",
                             "position_layer",     "position_head",     "position_drops",
                             "importance_verdict", "contraction_start", "position_toeplitz",
                             "content_share",      "product_share",     "positional_share",
                             "logit_interaction",  "test_samples",      "ceiling",
                             "steps_before_90",    "accuracy_at_2"}) {
    EXPECT_EQ(line.at(column), "") << column;
  }
  EXPECT_EQ(line["converged"], "true");
}

TEST(StudyCsv, LayersThatAreNotUsedHaveAVerdictAndNoShares) {
  CellRuns cell = cell_runs(kRope, {0.95});
  cell.runs[0].ablation = ablation_record(2000, 0.95, head_record({{0, 0, 0, 0}, {0, 0, 0, 0}}));
  auto line = table_of({.cells = {cell}})[0];
  EXPECT_EQ(line["position_verdict"], "NOT USED");
  EXPECT_EQ(line["position_max_share"], "");
  EXPECT_EQ(line["position_n2"], "");
  EXPECT_EQ(line["position_head"], "");
  EXPECT_EQ(line["position_drops"], "0 0 0 0 / 0 0 0 0");
}

// A spectrum of an older version has no share of content.
TEST(StudyCsv, SharesThatAFileLacksAreEmpty) {
  CellRuns cell = cell_runs(kRope, {0.95});
  cell.runs[0].spectrum = SpectrumRecord{.positional_share = 0.25};
  auto line = table_of({.cells = {cell}})[0];
  EXPECT_EQ(line["positional_share"], "0.25");
  EXPECT_EQ(line["content_share"], "");
  EXPECT_EQ(line["product_share"], "");
  EXPECT_EQ(line["inner_interaction"], "");
}

TEST(StudyCsv, SaysWhichRunsAnExtensionAdded) {
  CellRuns cell = cell_runs(kRope, {0.95, 0.96});
  cell.failures.push_back({.id = "rope-2", .cell = kRope, .seed = 2, .what = "loss is not finite"});
  cell.added_seeds = {1, 2};
  const auto table = table_of({.cells = {cell}});
  EXPECT_EQ(table[0].at("extension"), "false");
  EXPECT_EQ(table[1].at("extension"), "true");
  EXPECT_EQ(table[2].at("extension"), "true");
}

TEST(StudyCsv, FailedRunsHaveTheirNameAlone) {
  CellRuns cell = cell_runs(kRope, {0.95});
  cell.failures.push_back({.id = "rope-1", .cell = kRope, .seed = 1, .what = "loss is not finite"});
  const auto table = table_of({.cells = {cell}});
  ASSERT_EQ(table.size(), 2u);
  for (const auto& [column, value] : table[1]) {
    const bool named = column == "id" || column == "task" || column == "protocol" || column == "encoding" ||
                       column == "seed" || column == "extension";
    EXPECT_EQ(value.empty(), !named) << column;
  }
  EXPECT_EQ(table[1].at("id"), "rope-1");
  EXPECT_EQ(table[1].at("seed"), "1");
}

TEST(StudyCsv, HostileNamesStayInTheirFields) {
  CellName hostile{
      .task = "a,b", .protocol = "\"quoted\"", .encoding = "bias(\"-a*d\",a=1)", .variant = "two\nlines\r|"};
  CellRuns cell = cell_runs(hostile, {0.95});
  cell.failures.push_back({.id = "f,", .cell = hostile, .seed = 9});
  const auto table = table_of({.cells = {cell}});
  ASSERT_EQ(table.size(), 2u);
  for (const auto& line : table) {
    EXPECT_EQ(line.at("task"), hostile.task);
    EXPECT_EQ(line.at("protocol"), hostile.protocol);
    EXPECT_EQ(line.at("encoding"), hostile.encoding);
    EXPECT_EQ(line.at("variant"), hostile.variant);
  }
  EXPECT_EQ(table[1].at("id"), "f,");
}

// A run that two cells ask for is a line of both.
TEST(StudyCsv, LinesHaveTheNameOfTheirCell) {
  CellRuns cell = cell_runs(kRope, {0.95});
  cell.cell.variant = "keys_values";
  EXPECT_EQ(table_of({.cells = {cell}})[0].at("variant"), "keys_values");
}

TEST(StudyCsv, NoRunsLeaveTheTitles) { EXPECT_EQ(parse_csv(study_csv({})).size(), 1u); }

}  // namespace study_csv_test
}  // namespace phasor
