#include "phasor/paper/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "paper/hand_made.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "support/paths.h"

namespace phasor::paper {
namespace claim_test {

TEST(Claims, EveryClaimHasAJudgeAndEveryJudgeAClaim) {
  std::vector<std::string> listed;
  for (const Claim& claim : claims()) listed.push_back(claim.id);
  EXPECT_EQ(listed, judged_ids());
  for (const char* id : {"rope_best_on_distance",
                         "rope_best_on_indirect",
                         "rope_best_on_joint",
                         "rope_best_on_index_from_start",
                         "rope_best_on_index_from_end",
                         "principle_on_distance",
                         "principle_on_indirect",
                         "rope_converges_faster",
                         "no_gain_position_agnostic",
                         "no_gain_absolute_indexing",
                         "coupling_contracts_spectra",
                         "eigenvalue_bounds_hold",
                         "contraction_goes_with_stability",
                         "spectra_go_with_gradients",
                         "rope_solution_space_larger",
                         "assumption_3_1",
                         "assumption_3_2",
                         "deposit_rope_distance",
                         "no_deposit_additive",
                         "rope_concentrates_more",
                         "no_deposit_counting",
                         "deposit_in_early_layers",
                         "deposit_forms_early",
                         "concentration_goes_with_speed",
                         "mla_removes_deposit",
                         "one_or_two_heads_suffice",
                         "rope_suppresses_activation_position",
                         "random_overfits_low_toeplitz",
                         "deposit_hurts_length_generalisation",
                         "deposit_hurts_when_heads_are_lost"}) {
    EXPECT_EQ(std::count(listed.begin(), listed.end(), id), 1) << id;
  }
}

// With every run of blanks and line ends as one blank.
std::string flowing(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != '\n' && c != ' ') {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

TEST(Claims, ThePageSaysWhatTheFileSays) {
  const std::string page = read_file(std::string(fixtures_folder()) + "/../../docs/claims.md");
  for (const Claim& claim : claims()) {
    const size_t at = page.find("### " + claim.id + "\n");
    ASSERT_NE(at, std::string::npos) << claim.id;
    const std::string section = page.substr(at, page.find("\n##", at + 1) - at);
    for (const std::string& said : {claim.claim, claim.made, claim.holds, claim.fails, claim.evidence}) {
      EXPECT_TRUE(contains(flowing(section), said)) << claim.id << ": " << said;
    }
    for (const auto& [name, number] : claim.numbers) {
      EXPECT_TRUE(contains(section, fmt::format("`{}` {:g}", name, number))) << claim.id << " " << name;
    }
  }
}

TEST(Claims, DocumentsCountThem) {
  const std::string root = std::string(fixtures_folder()) + "/../../";
  const std::string readme = flowing(read_file(root + "README.md")), page = flowing(read_file(root + "docs/claims.md"));
  const size_t all = claims().size();
  const auto both = std::count_if(claims().begin(), claims().end(), [](const Claim& claim) {
    return claim.is_judged_under(kClean) && claim.is_judged_under(kReleased);
  });
  for (const char* said : {"of {} claims", "the whole paper, {} claims", "judges {} claims"}) {
    EXPECT_TRUE(contains(readme, fmt::format(fmt::runtime(said), all))) << "README.md: " << said << ": " << all;
  }
  EXPECT_TRUE(contains(page, fmt::format("with {} claims, of which {} are asked under both protocols", all, both)))
      << "docs/claims.md: " << all << ", " << both;
}

TEST(Claims, ParsesStrictly) {
  const std::string good =
      R"({"paper": "x", "claims": [{"id": "a", "claim": "c", "made": "m", "protocols": ["clean"], "holds": "h",
          "fails": "f", "evidence": "e", "thresholds": {"t": 1.5}}]})";
  const std::vector<Claim> parsed = parse_claims(good, "f");
  ASSERT_EQ(parsed.size(), 1u);
  EXPECT_EQ(parsed[0].threshold("t"), 1.5);
  EXPECT_THROW(parsed[0].threshold("u"), Error);
  EXPECT_TRUE(parsed[0].is_judged_under("clean"));
  EXPECT_FALSE(parsed[0].is_judged_under("released"));
  for (const auto& [from, to] : {std::pair("\"made\"", "\"maid\""), std::pair("\"clean\"", "\"cleanly\""),
                                 std::pair("1.5", "\"1.5\""), std::pair("\"h\"", "\"\"")}) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string(from).size(), to);
    EXPECT_THROW(parse_claims(bad, "f"), FormatError) << to;
  }
  EXPECT_THROW(claim("none"), Error);
}

TEST(JudgeClaims, AStudyWithoutCellsDecidesNothingThatNeedsRuns) {
  const std::vector<JudgedClaim> judged = judge_claims({}, separation_of(Numbers(5, 0.3), Numbers(5, 0.0)));
  ASSERT_EQ(judged.size(), 1u) << "no protocol, so only what needs no training";
  EXPECT_EQ(judged[0].id, "rope_solution_space_larger");
  EXPECT_EQ(judged[0].protocol, kAnyProtocol);
}

TEST(JudgeClaims, EveryClaimUnderEveryProtocolThatTheStudyHas) {
  HandMade study;
  study.add("NoPE", kDistance, kClean, about(0.5));
  const auto count = [&](const char* protocol) {
    const std::vector<JudgedClaim> judged =
        judge_claims(study.results, separation_of(Numbers(5, 0.3), Numbers(5, 0.0)));
    return std::count_if(judged.begin(), judged.end(),
                         [&](const JudgedClaim& claim) { return claim.protocol == protocol; });
  };
  EXPECT_EQ(count(kClean), 29);
  EXPECT_EQ(count(kReleased), 0);
  study.add("MLA", kDistance, kReleased, about(0.5));
  EXPECT_EQ(study.results.cells.back().cell.protocol, kReleasedMla);
  EXPECT_EQ(count(kReleased), 19) << "other tasks, controls, telemetry and longer sequences are those of clean models";
  EXPECT_EQ(count(kAnyProtocol), 1);
}

TEST(JudgeClaims, WhatTheStudyLacksIsUndeterminedAndSaysSo) {
  HandMade study;
  study.add({"copy", kClean, "rope", ""}, about(0.5));
  study.add({"copy", kReleased, "rope", ""}, about(0.5));
  for (const JudgedClaim& judged : judge_claims(study.results, separation_of(Numbers(5, 0.3), Numbers(5, 0.0)))) {
    if (judged.protocol == kAnyProtocol) continue;
    EXPECT_EQ(judged.verdict, kUndetermined) << judged.id;
    EXPECT_TRUE(contains(judged.reason, "Not part of this study") || contains(judged.reason, "No encoding on distance"))
        << judged.id << ": " << judged.reason;
    EXPECT_FALSE(judged.needs.empty()) << judged.id;
  }
}

// Two runs of each cell decide nothing, however clear they look.
TEST(JudgeClaims, TwoRunsDecideNothing) {
  HandMade study;
  for (const PaperEncoding& encoding : paper_encodings()) {
    for (const char* task : {kDistance, kCounting, kIndex, kIndirect, kJoint}) {
      const double accuracy = encoding.name == "RoPE" ? 0.9 : 0.3;
      CellRuns& cell = study.add(encoding.name, task, kClean, {accuracy, accuracy + 0.001});
      for (RunRecord& run : cell.runs) {
        run.ablation = ablation_record(Deposit::deposit);
        spectrum_of(run).start.contraction = 0.5;
        spectrum_of(run).gram_toeplitz = 0.5;
      }
    }
  }
  for (const JudgedClaim& judged : judge_claims(study.results, separation_of(Numbers(5, 0.3), Numbers(5, 0.0)))) {
    if (judged.protocol == kAnyProtocol) continue;
    EXPECT_EQ(judged.verdict, kUndetermined) << judged.id << ": " << judged.reason;
    EXPECT_TRUE(contains(judged.reason, "finished runs") || contains(judged.reason, "ot part of this study"))
        << judged.id << ": " << judged.reason;
  }
}

// What the demo has: three runs of each cell, some of which were still improving.
TEST(JudgeClaims, ThreeRunsDecideSeveralClaims) {
  HandMade study;
  const auto fill = [&](const char* name, const char* task, double accuracy, double composition) {
    CellRuns& cell = study.add(name, task, kClean, {accuracy, accuracy + 0.004, accuracy - 0.003});
    double nudge = 0.001;
    for (RunRecord& run : cell.runs) {
      SpectrumRecord& spectrum = spectrum_of(run);
      spectrum.start_composition = spectrum.end_composition = composition + nudge;
      spectrum.gram_toeplitz = 0.3 + nudge;
      spectrum.gram_share = 0.01;
      spectrum.inner_position = 0.1;
      spectrum.inner_interaction = 0.1 + nudge;
      nudge += 0.001;
    }
    cell.runs[0].converged = false;
  };
  fill("NoPE", kDistance, 0.15, 1.0);
  fill("Absolute", kDistance, 0.70, 1.3);
  fill("ALiBi", kDistance, 0.50, 1.5);
  fill("RoPE", kDistance, 0.95, 0.9);
  fill("NoPE", kCounting, 0.80, 1.0);
  fill("RoPE", kCounting, 0.70, 0.9);
  EXPECT_EQ(judge(study.results, "no_gain_position_agnostic").verdict, kHolds);
  EXPECT_EQ(judge(study.results, "coupling_contracts_spectra").verdict, kHolds);
  EXPECT_EQ(judge(study.results, "assumption_3_1").verdict, kFails);
  EXPECT_EQ(judge(study.results, "assumption_3_2").verdict, kFails);
  EXPECT_EQ(judge(study.results, "rope_solution_space_larger", kAnyProtocol).verdict, kHolds);
}

}  // namespace claim_test
}  // namespace phasor::paper
