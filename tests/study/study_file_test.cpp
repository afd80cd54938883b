#include "phasor/study/plan/study_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/study/plan/plan_json.h"

namespace phasor {
namespace study_file_test {

std::string refusal(const std::string& text) {
  try {
    read_study(text, "mine.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(StudyFile, AGridIsItsProduct) {
  const StudyPlan plan = read_study(R"({
      // a comment
      "name": "mine", "preset": "demo",
      "encodings": ["rope", "alibi"], "tasks": ["distance", "counting"], "protocols": ["clean", "released"],
      "switches": {"": {}, "wide": {"model.width": 128}}, "seeds": 2, "settings": {"train": {"steps": 7}},
      "tune": [0.001, 0.003], "measure": ["ablation", "lengths"], "ablation_samples": 100})",
                                    "mine.json");
  EXPECT_EQ(plan.name, "mine");
  EXPECT_EQ(plan.preset, "demo");
  ASSERT_EQ(plan.cells.size(), 2u * 2 * 2 * 2);
  EXPECT_EQ(plan.cells[0].cell, (CellName{"distance", "clean", "rope", ""}));
  EXPECT_EQ(plan.cells[1].cell.variant, "wide");
  EXPECT_EQ(plan.cells[1].config.model.width, 128);
  EXPECT_EQ(plan.cells[0].config.model.width, 64);
  EXPECT_EQ(plan.cells[0].config.train.steps, 7);
  EXPECT_EQ(plan.cells[0].seeds, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(plan.cells[0].rates, (std::vector<double>{0.001, 0.003}));
  EXPECT_TRUE(plan.cells[0].measures.ablation);
  EXPECT_EQ(plan.cells[0].measures.ablation_samples, 100);
  EXPECT_EQ(plan.cells[0].measures.lengths, (std::vector<double>{1.0, 1.5, 2.0, 4.0}));
  EXPECT_EQ(plan.cells.back().cell, (CellName{"counting", "released", "alibi", "wide"}));
}

TEST(StudyFile, SeveralGridsShareSettings) {
  const StudyPlan plan = read_study(R"({"settings": {"train.steps": 9}, "grids": [
      {"encodings": "rope", "seeds": [4]},
      {"encodings": ["rope"], "variant": "slow", "settings": {"train.lr": 1e-4}, "seeds": [4]}]})",
                                    "mine.json");
  ASSERT_EQ(plan.cells.size(), 2u);
  EXPECT_EQ(plan.cells[1].cell.variant, "slow");
  EXPECT_EQ(plan.cells[1].config.train.steps, 9);
  EXPECT_EQ(plan.cells[1].config.train.learning_rate, 1e-4);
  EXPECT_EQ(plan.cells[0].seeds, (std::vector<uint64_t>{4}));
}

TEST(StudyFile, RunsHaveTheirOwnDataUnlessASeedIsGiven) {
  const auto cell = [](const std::string& settings) {
    return read_study(R"({"encodings": ["rope"], "settings": {)" + settings + "}}", "mine.json").cells[0];
  };
  EXPECT_TRUE(cell("").own_data);
  EXPECT_TRUE(cell(R"("data.seed": "run")").own_data);
  EXPECT_FALSE(cell(R"("data.seed": 7)").own_data);
  EXPECT_EQ(cell(R"("data.seed": 7)").config.data.seed, 7u);
  const StudyPlan switched =
      read_study(R"({"encodings": ["rope"], "switches": {"": {}, "one set": {"data": {"seed": 77}}}})", "mine.json");
  EXPECT_TRUE(switched.cells[0].own_data);
  EXPECT_FALSE(switched.cells[1].own_data);
  EXPECT_EQ(switched.cells[1].config.data.seed, 77u);
}

TEST(StudyFile, NonsenseIsExplained) {
  const auto says = [](const std::string& text, const char* words) {
    const std::string what = refusal(text);
    EXPECT_EQ(what.rfind("mine.json: ", 0), 0u) << what;
    EXPECT_NE(what.find(words), std::string::npos) << what;
  };
  says("{", "not valid JSON");
  says("[]", "must be an object");
  says("{}", "needs encodings");
  says(R"({"encodings": ["ropee"]})", "did you mean 'rope'");
  says(R"({"encodings": ["rope[heads=0-9]"]})", "heads");
  says(R"({"encodings": [3]})", "an encoding is \"rope\" or {");
  says(R"({"encodings": [{"name": "mine"}]})", "'expression' is missing or no text");
  says(R"({"encodings": [{"name": "mine", "expresion": "rope"}]})", "did you mean 'expression'");
  says(R"({"encodings": [{"name": "", "expression": "rope"}]})", "the name of the encoding 'rope' is empty");
  says(R"({"encodings": [{"name": "a\u0007", "expression": "rope"}]})", "control character");
  says(R"({"encodings": []})", "list of texts");
  says(R"({"encoding": ["rope"]})", "did you mean 'encodings'");
  says(R"({"encodings": ["rope"], "tasks": ["distanc"]})", "distance");
  says(R"({"encodings": ["rope"], "protocols": ["dirty"]})", "dirty");
  says(R"({"encodings": ["rope"], "preset": "huge"})", "huge");
  says(R"({"encodings": ["rope"], "lengths": [1, 1e9]})", "from 1 to 64");
  says(R"({"encodings": ["rope"], "lengths": [0.5]})", "from 1 to 64");
  says(R"({"encodings": ["rope"], "name": "a\u001b[2Jb"})", "control character, \"a\\u001b[2Jb\"");
  says(R"({"encodings": ["rope"], "variant": "a\nb"})", "control character");
  says(R"({"encodings": ["rope"], "switches": {"a\tb": {"model.width": 128}}})", "control character");
  says(R"({"encodings": ["rope"], "seeds": 0})", "'seeds' must be");
  says(R"({"encodings": ["rope"], "seeds": [-1]})", "'seeds' must be");
  says(R"({"encodings": ["rope"], "seeds": [1, 1]})", "given twice");
  says(R"({"encodings": ["rope"], "tune": [0]})", "above 0");
  says(R"({"encodings": ["rope"], "measure": ["ablations"]})", "did you mean 'ablation'");
  says(R"({"encodings": ["rope"], "measure": ["snapshots"]})", "train.snapshots names none");
  says(R"({"encodings": ["rope"], "ablation_samples": 3})", "at least 20");
  says(R"({"encodings": ["rope"], "settings": {"train.stepps": 3}})", "train.steps");
  says(R"({"encodings": ["rope"], "settings": {"seed": 3}})", "has a member for it");
  says(R"({"encodings": ["rope"], "settings": 3})", "object of keys");
  says(R"({"encodings": ["rope"], "seeds": 1, "seeds": 2})", "given twice");
  says(R"({"grids": [{"encodings": ["rope"]}], "tasks": ["distance"]})", "'tasks' is not known here");
  // Two spellings of one encoding, and one run under two names.
  says(R"json({"encodings": ["rope", "rope(base=10000)"]})json", "is in the study twice");
  says(R"({"encodings": ["rope"], "switches": {"a": {}, "b": {"model.width": 64}}})", "ask for the same run");
}

TEST(PlanJson, ReadsBackWhatItWrote) {
  StudyPlan plan = read_study(R"json({"encodings": ["rope", "bias(\"-a*abs(d)\",a=1)"], "seeds": 2,
      "tune": [1e-3, 2e-3], "measure": ["all", "published"]})json",
                              "mine.json");
  plan.cells[1].rates.clear();
  plan.cells[1].rate_of = plan.cells[0].cell;
  const StudyPlan read = plan_from_json(to_json(plan).dump(2), "study.json");
  EXPECT_EQ(to_json(read), to_json(plan));
  ASSERT_EQ(read.cells.size(), 2u);
  EXPECT_EQ(config_id(read.cells[1].config), config_id(plan.cells[1].config));
  EXPECT_EQ(read.cells[1].rate_of, plan.cells[0].cell);
  EXPECT_EQ(read.cells[0].measures, plan.cells[0].measures);
  EXPECT_TRUE(read.cells[0].own_data);
  // Plans of format 1 have one data set for all runs.
  nlohmann::ordered_json earlier = to_json(plan);
  earlier["format"] = "phasor study 1";
  for (auto& cell : earlier["cells"]) cell.erase("own_data");
  EXPECT_FALSE(plan_from_json(earlier.dump(), "study.json").cells[0].own_data);
  for (const char* damaged : {"{", "{}", R"({"format": "phasor study 1", "name": "x", "preset": "q", "cells": [{}]})",
                              R"({"format": "phasor study 3", "name": "x", "preset": "q", "cells": []})"}) {
    EXPECT_THROW(plan_from_json(damaged, "study.json"), FormatError) << damaged;
  }
}

}  // namespace study_file_test
}  // namespace phasor
