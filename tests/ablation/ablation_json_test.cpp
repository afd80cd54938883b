// Verdicts and ablations that were written come back as they were.
#include "phasor/ablation/ablation_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "ablation/drop_world.h"
#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"

namespace phasor {
namespace ablation_json_test {

using Json = nlohmann::ordered_json;

constexpr VerdictOptions kFew{.resamples = 200, .flips = 199, .seed = 5};

// Layers of every kind: one head, an even spread, heads that help (no shares), and one that was not measured as `only`.
RunVerdict judged() {
  RunEvidence run = draw_run(additive_world({0.05, 0.9, 0.02}), 60, 1);
  run.others.clear();
  run.unmeasured = {"resample"};
  run.layers.push_back(draw_drops(additive_world({0.3, 0.31, 0.29}), 60, 2));
  run.layers.push_back(draw_drops(additive_world({-0.3, -0.2, -0.1}), 60, 3));
  run.layers.push_back(draw_drops(additive_world({0.1, 0.2, 0.0}), 60, 4));
  run.layers.back().only.clear();
  return judge_run(run, kFew);
}

// NaN is equal to NaN here, and infinities to themselves.
void expect_same(double a, double b, const char* what) {
  EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << what << ": " << a << " and " << b;
}

void expect_same(const Estimate& a, const Estimate& b, const char* what) {
  expect_same(a.value, b.value, what);
  expect_same(a.low, b.low, what);
  expect_same(a.high, b.high, what);
}

void expect_same(const LayerEffect::HeldOut& a, const LayerEffect::HeldOut& b) {
  EXPECT_EQ(a.head, b.head);
  expect_same(a.drop, b.drop, "drop");
  expect_same(a.lead, b.lead, "lead");
  expect_same(a.share, b.share, "share");
  expect_same(a.necessity, b.necessity, "held-out necessity");
  expect_same(a.sufficiency, b.sufficiency, "held-out sufficiency");
  expect_same(a.n1, b.n1, "held-out n1");
  expect_same(a.n2, b.n2, "held-out n2");
  EXPECT_EQ(a.p, b.p);
  EXPECT_EQ(a.p_holm, b.p_holm);
  EXPECT_EQ(a.head_p_holm, b.head_p_holm);
}

void expect_same(const statistics::Concentration& a, const statistics::Concentration& b) {
  EXPECT_EQ(a.defined, b.defined);
  EXPECT_EQ(a.shares, b.shares);
  EXPECT_EQ(a.top, b.top);
  expect_same(a.max_share, b.max_share, "max_share");
  expect_same(a.dominance, b.dominance, "dominance");
  expect_same(a.dominance_ratio, b.dominance_ratio, "dominance_ratio");
  expect_same(a.gini, b.gini, "gini");
  expect_same(a.gini_normalised, b.gini_normalised, "gini_normalised");
  expect_same(a.entropy, b.entropy, "entropy");
  expect_same(a.n1, b.n1, "n1");
  expect_same(a.n2, b.n2, "n2");
  expect_same(a.concentration, b.concentration, "concentration");
}

void expect_same(const LayerEffect& a, const LayerEffect& b) {
  EXPECT_EQ(a.top, b.top);
  ASSERT_EQ(a.heads.size(), b.heads.size());
  for (size_t h = 0; h < a.heads.size(); ++h) expect_same(a.heads[h], b.heads[h], "head");
  expect_same(a.layer, b.layer, "layer");
  expect_same(a.shares, b.shares);
  expect_same(a.max_share, b.max_share, "max_share");
  expect_same(a.dominance, b.dominance, "dominance");
  expect_same(a.gini, b.gini, "gini");
  expect_same(a.n1, b.n1, "n1");
  expect_same(a.n2, b.n2, "n2");
  expect_same(a.redundancy, b.redundancy, "redundancy");
  expect_same(a.necessity, b.necessity, "necessity");
  expect_same(a.sufficiency, b.sufficiency, "sufficiency");
  expect_same(a.held_out, b.held_out);
}

TEST(AblationJson, VerdictsComeBackDigitForDigit) {
  const RunVerdict verdict = judged();
  ASSERT_FALSE(verdict.layers[2].effect.shares.defined) << "the third layer should have no shares";
  const Json json = write_json(verdict);
  const RunVerdict read = read_json<RunVerdict>(Json::parse(json.dump(2)));
  EXPECT_EQ(write_json(read), json);
  EXPECT_EQ(read.verdict, verdict.verdict);
  EXPECT_EQ(read.layer, verdict.layer);
  EXPECT_EQ(read.reason, verdict.reason);
  EXPECT_EQ(read.top_share_of_all, verdict.top_share_of_all);
  ASSERT_EQ(read.layers.size(), 4u);
  for (size_t l = 0; l < 4; ++l) {
    SCOPED_TRACE(l);
    EXPECT_EQ(read.layers[l].verdict, verdict.layers[l].verdict);
    EXPECT_EQ(read.layers[l].redundant, verdict.layers[l].redundant);
    EXPECT_EQ(read.layers[l].reason, verdict.layers[l].reason);
    expect_same(read.layers[l].effect, verdict.layers[l].effect);
    const std::vector<Clause>&found = read.layers[l].clauses, &meant = verdict.layers[l].clauses;
    ASSERT_EQ(found.size(), meant.size());
    for (size_t c = 0; c < found.size(); ++c) {
      EXPECT_EQ(found[c].name, meant[c].name);
      EXPECT_EQ(found[c].text, meant[c].text);
      EXPECT_EQ(found[c].holds, meant[c].holds);
    }
  }
}

TEST(AblationJson, EveryVerdictAndFlagHasItsWayBack) {
  RunVerdict verdict = judged();
  for (const Deposit kind :
       {Deposit::deposit, Deposit::partial, Deposit::spread, Deposit::not_used, Deposit::undetermined}) {
    verdict.verdict = verdict.layers[1].verdict = kind;
    verdict.layers[1].redundant = kind == Deposit::spread;
    verdict.top_share_of_all = kind == Deposit::spread ? std::nan("") : 1.0 / 3.0;
    verdict.layers[0].clauses[0].holds =
        kind == Deposit::deposit ? std::optional<bool>() : std::optional(kind == Deposit::spread);
    const RunVerdict read = read_json<RunVerdict>(write_json(verdict));
    EXPECT_EQ(read.verdict, kind);
    EXPECT_EQ(read.layers[1].verdict, kind);
    EXPECT_EQ(read.layers[1].redundant, kind == Deposit::spread);
    EXPECT_EQ(read.layers[0].clauses[0].holds, verdict.layers[0].clauses[0].holds);
    expect_same(read.top_share_of_all, verdict.top_share_of_all, "top_share_of_all");
  }
}

TEST(AblationJson, WhatIsNoVerdictIsRefused) {
  const Json json = write_json(judged());
  Json other = json;
  other["verdict"] = "PERHAPS";
  EXPECT_THROW(read_json<RunVerdict>(other), FormatError);
  other = json;
  other["layers"][1].erase("effect");
  EXPECT_THROW(read_json<RunVerdict>(other), FormatError);
  other = json;
  other["layers"][1]["effect"]["head_drops"][0]["value"] = nullptr;
  EXPECT_THROW(read_json<RunVerdict>(other), Error);
}

TEST(AblationJson, PublishedAblationsComeBackDigitForDigit) {
  const PublishedAblation ablation{.baseline = 1.0 / 3.0,
                                   .accuracy = {{0.1, 2.0 / 7.0}, {0.3, 1e-17}},
                                   .latent = true,
                                   .without_effect = 5,
                                   .samples = 544};
  for (const bool latent : {true, false}) {
    PublishedAblation wanted = ablation;
    wanted.latent = latent;
    const PublishedAblation read = read_json<PublishedAblation>(Json::parse(write_json(wanted).dump()));
    EXPECT_EQ(read.baseline, ablation.baseline);
    EXPECT_EQ(read.accuracy, ablation.accuracy);
    EXPECT_EQ(read.latent, latent);
    EXPECT_EQ(read.without_effect, 5);
    EXPECT_EQ(read.samples, 544);
  }
  Json other = write_json(ablation);
  other["ablated"] = "tails";
  EXPECT_THROW(read_json<PublishedAblation>(other), FormatError);
}

}  // namespace ablation_json_test
}  // namespace phasor
