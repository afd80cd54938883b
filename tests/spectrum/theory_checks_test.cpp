#include "phasor/spectrum/theory_checks.h"

#include "phasor/spectrum/head_summary.h"
#include "spectrum/heads.h"

namespace phasor {
namespace theory_checks_test {

using namespace testing_support;

const BoundCheck& find(const std::vector<BoundCheck>& checks, const std::string& name) {
  for (const BoundCheck& check : checks) {
    if (check.name == name) return check;
  }
  throw std::runtime_error("no check " + name);
}

const std::vector<std::string> kProducts = {"Schur, largest eigenvalue", "Schur, smallest eigenvalue",
                                            "Bapat and Sunder", "Ando, Horn and Johnson"};

TEST(TheoryChecks, ApplyToOneFrequencyWithRealContentAndHold) {
  const Dense q = real_pairs(24, 4, 430);
  const HeadLogits head = turned_head(q, q, {0.4, 0.4, 0.4, 0.4});
  const std::vector<BoundCheck> checks = theory_checks(head);
  for (const std::string& name : kProducts) {
    EXPECT_STREQ(find(checks, name).verdict(), "holds") << name << ": " << find(checks, name).why;
  }
  EXPECT_STREQ(find(checks, "one frequency, complex Gram").verdict(), "holds");
  const HeadReport report = HeadReporter(24, false).report(head);
  EXPECT_LT(report.contraction->spectral_norm, 1.0);
  EXPECT_TRUE(report.contraction->singular.full);  // majorised, with the trace kept
}

TEST(TheoryChecks, ApplyToOneContentWhoseKeysAreItsQueries) {
  const Dense q = one_direction(24, 8, 432);
  const std::vector<BoundCheck> checks = theory_checks(turned_head(q, q, frequencies(8)));
  for (const std::string& name : kProducts) {
    EXPECT_STREQ(find(checks, name).verdict(), "holds") << name << ": " << find(checks, name).why;
  }
}

TEST(TheoryChecks, DoNotApplyToRealRotaryEncodingsAndSayTheSumBound) {
  const std::vector<BoundCheck> checks =
      theory_checks(turned_head(random_matrix(40, 8, 434), random_matrix(40, 8, 435), frequencies(8)));
  for (const std::string& name : kProducts) {
    EXPECT_STREQ(find(checks, name).verdict(), "does not apply") << name;
    EXPECT_GT(find(checks, name).bound, 0.0);
  }
  const BoundCheck& total = find(checks, "sum over frequencies");
  EXPECT_STREQ(total.verdict(), "holds");
  EXPECT_GT(total.bound, total.measured);
  EXPECT_STREQ(find(checks, "Szego, rotations").verdict(), "does not apply");
  EXPECT_EQ(find(checks, "Szego, rotations").measured, 8.0);
}

// Content A and -0.9 A in two frequencies: nearly nothing without angles, much with them.
TEST(TheoryChecks, ShowThatTheConclusionFailsWhereTheTheoremDoesNotApply) {
  const Dense x = random_matrix(20, 2, 436);
  const std::vector<BoundCheck> checks =
      theory_checks(turned_head(side_by_side(x, x), side_by_side(x, scaled(x, -0.9)), {1.0, 0.05}));
  const BoundCheck& schur = find(checks, "Schur, largest eigenvalue");
  EXPECT_FALSE(schur.applies);
  EXPECT_FALSE(schur.holds);
  EXPECT_GT(schur.measured, 2.0 * schur.bound);
  EXPECT_FALSE(find(checks, "Ando, Horn and Johnson").holds);
  EXPECT_STREQ(find(checks, "sum over frequencies").verdict(), "holds");
}

HeadLogits biased(const std::function<double(int64_t, int64_t)>& entry, bool causal = false) {
  HeadLogits head = turned_head(random_matrix(32, 4, 437), random_matrix(32, 4, 438), {});
  head.bias = made(32, 32, entry);
  head.causal = causal;
  return head;
}

double distance(int64_t i, int64_t j) { return std::abs(static_cast<double>(i - j)); }

TEST(TheoryChecks, OfABias) {
  const auto decaying = [](int64_t i, int64_t j) { return std::exp(-0.5 * distance(i, j)); };
  std::vector<BoundCheck> checks = theory_checks(biased(decaying));
  EXPECT_STREQ(find(checks, "Weyl, singular values").verdict(), "holds");
  EXPECT_STREQ(find(checks, "Weyl, symmetric parts").verdict(), "holds");
  EXPECT_STREQ(find(checks, "Szego, bias").verdict(), "holds");
  for (const std::string& name : kProducts) EXPECT_STREQ(find(checks, name).verdict(), "does not apply");

  checks = theory_checks(biased([](int64_t i, int64_t j) { return -0.25 * distance(i, j); }));
  EXPECT_STREQ(find(checks, "Szego, bias").verdict(), "does not apply");
  EXPECT_NE(find(checks, "Szego, bias").why.find("summable"), std::string::npos);
  EXPECT_STREQ(find(checks, "Weyl, singular values").verdict(), "holds");

  const Dense noise = random_matrix(32, 32, 439);
  checks = theory_checks(biased([&](int64_t i, int64_t j) { return noise(i, j); }));
  EXPECT_STREQ(find(checks, "Szego, bias").verdict(), "does not apply");
  EXPECT_LT(find(checks, "Szego, bias").measured, 0.3);

  checks = theory_checks(biased(decaying, true));
  EXPECT_STREQ(find(checks, "Szego, bias").verdict(), "does not apply");
}

TEST(CheckTally, IsViolatedByOneSequenceWhereItApplied) {
  CheckTally tally;
  EXPECT_STREQ(tally.verdict(), "does not apply");
  tally.applied = 3;
  EXPECT_STREQ(tally.verdict(), "holds");
  tally.violated = true;
  EXPECT_STREQ(tally.verdict(), "violated");
}

TEST(HeadSummary, SpreadsOverSequencesOfSeveralLengths) {
  std::vector<HeadLogits> sequences;
  for (const int64_t n : {20, 12, 20}) {
    const auto site = static_cast<uint32_t>(440 + sequences.size() * 2);
    sequences.push_back(turned_head(random_matrix(n, 4, site), random_matrix(n, 4, site + 1), frequencies(4)));
  }
  const HeadSummary summary = summarize_heads(2, {{sequences[0]}, {sequences[1]}, {sequences[2]}}).front();
  EXPECT_EQ(summary.layer, 2);
  EXPECT_EQ(summary.sequences, 3);
  EXPECT_EQ(summary.first.size, 20);
  double least = 1e9, mean = 0.0;
  for (const HeadLogits& head : sequences) {
    const double value = spectrum(head.logits()).singular.largest;
    least = std::min(least, value);
    mean += value / 3.0;
  }
  EXPECT_NEAR(summary.spectral_norm.mean, mean, 1e-12 * mean);
  EXPECT_NEAR(summary.spectral_norm.least, least, 1e-12 * mean);
  for (const CheckTally& tally : summary.checks) EXPECT_EQ(tally.sequences, 3) << tally.first.name;
}

}  // namespace theory_checks_test
}  // namespace phasor
