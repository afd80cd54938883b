#include "phasor/spectrum/head_report.h"

#include "spectrum/heads.h"

namespace phasor {
namespace head_report_test {

using namespace testing_support;

HeadReport report_of(const HeadLogits& head) { return HeadReporter(head.size(), head.causal).report(head); }

TEST(HeadReport, AgreesWithTheDenseMatrixInEveryPart) {
  HeadLogits head = turned_head(random_matrix(40, 6, 450), random_matrix(40, 6, 451), frequencies(6));
  for (const bool with_bias : {false, true}) {
    if (with_bias) head.bias = random_matrix(40, 40, 452);
    const HeadReport report = report_of(head);
    const Dense logits = head.logits();
    const Spectrum dense = spectrum(logits);
    EXPECT_LT(largest_difference(report.logits.singular.values, dense.singular.values), 1e-12);
    EXPECT_NEAR(report.logits.symmetric->abscissa, dense.symmetric->abscissa, 1e-12);
    EXPECT_NEAR(report.logits.eigen->radius, dense.eigen->radius, 1e-9);
    EXPECT_NEAR(report.range->radius, numerical_range(logits).radius, 1e-10);
    const double plain = spectrum(head.plain_products()).singular.largest;
    const double products = spectrum(head.products()).singular.largest;
    EXPECT_NEAR(report.contraction->spectral_norm, products / plain, 1e-12);
    EXPECT_NEAR(report.bias_expansion, dense.singular.largest / products, 1e-12);
    EXPECT_EQ(report.biased, with_bias);
  }
}

// ALiBi as slope * (j - i) and as slope * j is the same attention.
TEST(HeadReport, OfTwoGaugesHasOneFitOfDistance) {
  HeadLogits head = turned_head(random_matrix(24, 4, 453), random_matrix(24, 4, 454), {});
  head.causal = true;
  head.bias = made(24, 24, [](int64_t i, int64_t j) { return 0.5 * static_cast<double>(j - i); });
  const HeadReport first = report_of(head);
  head.bias = made(24, 24, [](int64_t, int64_t j) { return 0.5 * static_cast<double>(j); });
  const HeadReport second = report_of(head);
  EXPECT_NEAR(first.relative.adjusted, second.relative.adjusted, 1e-12);
  EXPECT_LT(largest_difference(first.relative.kernel.values, second.relative.kernel.values), 1e-11);
  EXPECT_GT(std::abs(first.logits.singular.largest - second.logits.singular.largest), 1.0);
}

TEST(HeadReport, OfCausalLogitsReadsTheLowerTriangleOnly) {
  HeadLogits head = turned_head(random_matrix(16, 4, 455), random_matrix(16, 4, 456), frequencies(4));
  head.causal = true;
  head.bias = made(16, 16, [](int64_t i, int64_t j) { return j > i ? 0.0 : -0.1 * static_cast<double>(i - j); });
  const HeadReport report = report_of(head);
  EXPECT_FALSE(report.logits.symmetric || report.logits.eigen || report.range);
  EXPECT_LT(largest_difference(report.logits.singular.values, spectrum(lower_triangle(head.logits())).singular.values),
            1e-12);
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t j = i + 1; j < 16; ++j) head.bias(i, j) = 1e6;
  }
  const HeadReport other = report_of(head);
  EXPECT_EQ(report.logits.singular.values, other.logits.singular.values);
  EXPECT_EQ(report.relative.adjusted, other.relative.adjusted);
}

TEST(HeadReport, OfOneToken) {
  const Dense q = random_matrix(1, 4, 457);
  const HeadReport report = report_of(turned_head(q, q, {1.0, 0.1}));
  EXPECT_NEAR(report.logits.singular.largest, 0.5 * std::pow(frobenius_norm(q), 2), 1e-12);
  EXPECT_NEAR(report.contraction->spectral_norm, 1.0, 1e-12);  // position 0 is not turned
  EXPECT_FALSE(report.relative.defined);
}

TEST(HeadReport, OfZeroAndOfConstantLogitsSaysWhatIsNotDefined) {
  const HeadReport zero = report_of(turned_head(Dense(8, 4), Dense(8, 4), frequencies(4)));
  EXPECT_EQ(zero.logits.singular.largest, 0.0);
  EXPECT_FALSE(zero.contraction->defined || zero.relative.defined || zero.toeplitz.defined || zero.split.defined);
  const Dense ones = made(8, 1, [](int64_t, int64_t) { return 1.0; });
  const HeadReport constant = report_of(turned_head(ones, ones, {}));
  EXPECT_NEAR(constant.logits.singular.largest, 4.0, 1e-12);
  EXPECT_FALSE(constant.relative.defined);
  EXPECT_TRUE(constant.toeplitz.defined);
}

TEST(HeadReport, OfHugeNumbersIsTheScaledOne) {
  const Dense q = random_matrix(12, 4, 458), k = random_matrix(12, 4, 459);
  const HeadReport usual = report_of(turned_head(q, k, frequencies(4)));
  const HeadReport huge = report_of(turned_head(scaled(q, 0x1p400), scaled(k, 0x1p300), frequencies(4)));
  EXPECT_NEAR(huge.logits.singular.largest / 0x1p700, usual.logits.singular.largest, 1e-12);
  EXPECT_NEAR(huge.relative.adjusted, usual.relative.adjusted, 1e-12);
  EXPECT_NEAR(huge.contraction->spectral_norm, usual.contraction->spectral_norm, 1e-12);
}

TEST(HeadReport, RefusesWhatIsNoHead) {
  const Dense q = random_matrix(6, 4, 460);
  const HeadReporter reporter(6, false);
  const auto error = [&](const std::function<void(HeadLogits&)>& damage) {
    HeadLogits head = turned_head(q, q, frequencies(4));
    damage(head);
    return error_of([&] { reporter.report(head); });
  };
  EXPECT_NE(error([](HeadLogits& h) { h.query(2, 1) = std::nan(""); }).find("queries"), std::string::npos);
  EXPECT_NE(error([](HeadLogits& h) { h.key(2, 1) = INFINITY; }).find("keys"), std::string::npos);
  EXPECT_NE(error([](HeadLogits& h) { h.key = Dense(6, 3); }).find("queries and keys"), std::string::npos);
  EXPECT_NE(error([](HeadLogits& h) { h.bias = Dense(6, 5); }).find("6 x 5"), std::string::npos);
  EXPECT_NE(error([](HeadLogits& h) { h.scale = NAN; }).find("scale"), std::string::npos);
  EXPECT_NE(error([](HeadLogits& h) { h.causal = true; }).find("causal"), std::string::npos);
  EXPECT_NE(error([](HeadLogits& h) { h.query = scaled(h.query, 1e200), h.key = scaled(h.key, 1e200); }).find("range"),
            std::string::npos);
  EXPECT_NE(error([](HeadLogits& h) { h.query = h.key = Dense(); }).find("was given 0"), std::string::npos);
}

}  // namespace head_report_test
}  // namespace phasor
