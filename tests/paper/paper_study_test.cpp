#include "phasor/paper/paper_study.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/run/config_json.h"

namespace phasor::paper {
namespace paper_study_test {

TEST(PaperStudy, HasEveryCellThatClaimsAskFor) {
  const StudyPlan plan = paper_study({.preset = "quick"});
  for (const PaperEncoding& encoding : paper_encodings()) {
    for (const char* protocol : {kClean, kReleased}) {
      EXPECT_NE(plan.find(cell_of(encoding, kDistance, protocol)), nullptr) << encoding.name << protocol;
    }
  }
  for (int64_t k = 0; k <= 4; ++k) {
    for (const char* protocol : {kClean, kReleased}) {
      EXPECT_NE(plan.find(rotary_heads_cell(k, 4, kDistance, protocol)), nullptr) << k;
    }
    EXPECT_NE(plan.find(rotary_heads_cell(k, 4, kCounting, kClean)), nullptr) << k;
  }
  EXPECT_NE(plan.find(matched_cell()), nullptr);
  for (const char* name : {"NoPE", "Absolute", "Random", "Relative", "ALiBi", "RoPE"}) {
    for (const char* task : {kIndirect, kJoint, kIndex}) {
      EXPECT_NE(plan.find(cell_of(paper_encoding(name), task, kClean)), nullptr) << name << task;
    }
    const PlannedCell* from_end = plan.find(cell_of(paper_encoding(name), kIndex, kClean, kFromTheEnd));
    ASSERT_NE(from_end, nullptr) << name;
    EXPECT_TRUE(canonical_text(from_end->config).find("task.from=end") != std::string::npos);
  }
  for (const PrincipleEncoding& entry : principle_encodings().all()) {
    for (const char* task : {kDistance, kIndirect}) {
      EXPECT_NE(plan.find({task, kClean, entry.encoding, ""}), nullptr) << entry.label << task;
    }
  }
  EXPECT_FALSE(plan.find(rotary_heads_cell(1, 4, kDistance, kClean))->measures.lengths.empty());
  EXPECT_EQ(plan.find(cell_of(paper_encoding("RoPE"), kDistance, kClean))->config.telemetry.spectrum, 50);
  EXPECT_EQ(confounds().size(), 6u);
}

// Ten where encodings are compared most closely, five elsewhere; as many as were asked for where somebody asks.
TEST(PaperStudy, CleanRunsOnDistanceAndIndirectHaveMoreSeeds) {
  const StudyPlan plan = paper_study({.preset = "quick"});
  for (const PlannedCell& cell : plan.cells) {
    const bool audited = !cell.cell.variant.empty() && cell.cell.variant != matched_cell().variant;
    const bool many =
        cell.cell.protocol == kClean && !audited && (cell.cell.task == kDistance || cell.cell.task == kIndirect);
    EXPECT_EQ(cell.seeds.size(), many ? 10u : 5u) << text(cell.cell);
    for (const uint64_t seed : cell.seeds) EXPECT_LT(seed, 1000u) << "pilots have those from 1000 on";
  }
  for (const PlannedCell& cell : paper_study({.preset = "quick", .seeds = 3}).cells) {
    EXPECT_EQ(cell.seeds.size(), 3u) << text(cell.cell);
  }
}

// A model of few samples is compared with no model of many.
TEST(PaperStudy, WhatTheAuditComparesHasTheSamplesOfReleasedRuns) {
  const StudyPlan plan = paper_study({.preset = "quick"});
  const int64_t released = plan.find(audit_base_cell("rope", kReleased))->config.data.train_samples;
  for (const char* base : {kClean, kReleased}) {
    for (const Confound& confound : confounds()) {
      EXPECT_EQ(plan.find(audit_cell("rope", base, confound))->config.data.train_samples, released) << confound.name;
    }
  }
  EXPECT_LT(plan.find(cell_of(paper_encoding("RoPE"), kDistance, kClean))->config.data.train_samples, released);
}

TEST(PaperStudy, AnAuditedCellDiffersFromItsBaseInItsConfoundAlone) {
  const StudyPlan plan = paper_study({.preset = "quick"});
  for (const std::string& encoding : audited_encodings()) {
    for (const std::string base : {kClean, kReleased}) {
      const PlannedCell* from = plan.find(audit_base_cell(encoding, base));
      ASSERT_NE(from, nullptr);
      for (const Confound& confound : confounds()) {
        const PlannedCell* cell = plan.find(audit_cell(encoding, base, confound));
        ASSERT_NE(cell, nullptr) << confound.name;
        std::istringstream before(canonical_text(from->config)), after(canonical_text(cell->config));
        std::set<std::string> changed, expected;
        for (std::string a, b; std::getline(before, a) && std::getline(after, b);) {
          if (a != b && a.rfind("train.snapshots=", 0) != 0) changed.insert(b);
        }
        for (const auto& [key, value] : base == kClean ? confound.released : confound.clean) {
          expected.insert(key + "=" + value);
        }
        EXPECT_EQ(changed, expected) << encoding << " " << base << " " << confound.name;
        EXPECT_TRUE(!cell->rate_of && cell->rates.empty());
      }
    }
  }
}

// Together the confounds are the whole difference between the two bases.
TEST(PaperStudy, TheConfoundsMakeTheDifference) {
  const StudyPlan plan = paper_study({.preset = "quick"});
  std::set<std::string> named;
  for (const Confound& confound : confounds()) {
    ASSERT_EQ(confound.clean.size(), confound.released.size());
    for (const auto& [key, value] : confound.clean) EXPECT_TRUE(named.insert(key).second) << key;
  }
  const auto key_of = [](const std::string& line) { return line.substr(0, line.find('=')); };
  std::istringstream clean(canonical_text(plan.find(audit_base_cell("rope", kClean))->config));
  std::istringstream released(canonical_text(plan.find(audit_base_cell("rope", kReleased))->config));
  const std::set<std::string> apart = {"protocol", "train.snapshots", "protocol.padded_length",
                                       "protocol.ablation_set",  // of the ablation as published
                                       "protocol.head_ablation"};
  for (std::string a, b; std::getline(clean, a) && std::getline(released, b);) {
    if (a == b) continue;
    EXPECT_TRUE(named.contains(key_of(a)) || apart.contains(key_of(a))) << a << " and " << b;
  }
}

TEST(PaperStudy, SizesAreWhatTheyPromise) {
  const StudyPlan demo = paper_study({.preset = "demo", .protocols = Protocols::clean});
  ASSERT_EQ(demo.cells.size(), 10u);
  EXPECT_EQ(result_runs(demo, {}).size(), 30u);
  EXPECT_TRUE(tuning_runs(demo).empty());
  // The first two to run say something: one that can do the task and one that cannot.
  EXPECT_EQ(demo.cells[0].cell, (CellName{kIndirect, kClean, "rope", ""}));
  EXPECT_EQ(demo.cells[1].cell, (CellName{kIndirect, kClean, "nope", ""}));
  for (const PlannedCell& cell : demo.cells) {
    const bool looked_into = cell.cell.task == kDistance;
    EXPECT_EQ(cell.measures.ablation, looked_into) << text(cell.cell);
    EXPECT_EQ(cell.measures.spectrum, looked_into) << text(cell.cell);
    EXPECT_EQ(cell.measures.lengths, (std::vector<double>{1.0, 2.0})) << text(cell.cell);
    for (const uint64_t seed : cell.seeds) EXPECT_LT(seed, 1000u) << "pilots have those from 1000 on";
  }
  const StudyPlan paper = paper_study({.preset = "paper", .protocols = Protocols::clean, .seeds = 2});
  EXPECT_EQ(paper.cells[0].config.model.heads, 16);
  EXPECT_NE(paper.find(rotary_heads_cell(15, 16, kDistance, kClean)), nullptr);
  EXPECT_EQ(paper.cells[0].seeds.size(), 2u);
  const StudyPlan trial = paper_study({.preset = "quick", .protocols = Protocols::clean, .steps = 10, .audit = false});
  for (const PlannedCell& cell : trial.cells) EXPECT_EQ(cell.config.train.steps, 10);
  EXPECT_THROW(paper_study({.preset = "huge"}), UsageError);
}

// Runs of both protocols, audited ones included, answer the same questions.
TEST(PaperStudy, ProtocolsShareTheirTasks) {
  for (const char* preset : {"quick", "paper"}) {
    const StudyPlan plan = paper_study({.preset = preset});
    std::map<std::string, std::set<std::string>> settings;
    for (const PlannedCell& cell : plan.cells) {
      std::istringstream lines(canonical_text(cell.config));
      std::string of_task;
      for (std::string line; std::getline(lines, line);) {
        if (line.rfind("task.", 0) == 0 && line.rfind("task.fillers=", 0) != 0) of_task += line + "\n";
      }
      settings[cell.cell.task + (cell.cell.variant == kFromTheEnd ? cell.cell.variant : "")].insert(of_task);
    }
    EXPECT_EQ(settings.size(), 6u);
    for (const auto& [task, ways] : settings) EXPECT_EQ(ways.size(), 1u) << preset << " " << task;
  }
  const StudyPlan quick = paper_study({.preset = "quick"});
  const PlannedCell* released = quick.find(cell_of(paper_encoding("RoPE"), kDistance, kReleased));
  EXPECT_EQ(released->config.model.max_length, 19);
  EXPECT_EQ(quick.find(cell_of(paper_encoding("RoPE"), kDistance, kClean))->config.model.max_length, 18);
}

TEST(PaperStudy, LearningRatesOfCleanCellsAreChosenOrTakenOver) {
  const StudyPlan plan = paper_study({.preset = "quick", .protocols = Protocols::clean});
  for (const PlannedCell& cell : plan.cells) {
    EXPECT_TRUE(!cell.rates.empty() || cell.rate_of) << text(cell.cell);
  }
  EXPECT_EQ(plan.find(matched_cell())->rate_of, (CellName{kDistance, kClean, "rope", ""}));
}

}  // namespace paper_study_test
}  // namespace phasor::paper
