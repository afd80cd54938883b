#include "phasor/study/carry_out/head_curves.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "phasor/base/error.h"
#include "phasor/run/run_folder.h"
#include "phasor/spectrum/layer_logits.h"
#include "phasor/study/records/run_facts.h"
#include "study/trained_run.h"

namespace phasor {
namespace head_curves_test {

using namespace testing_support;

// Frobenius norm and trace of the logits, summed here entry by entry, against sums over spectra.
TEST(HeadCurves, AreThoseOfTheLogitsOfTheLongestSequence) {
  TrainedRun run;
  run.plan.measures = {.spectrum = true};
  ASSERT_TRUE(run.measure());
  const CurvesRecord record = read_head_curves(run.folder / kHeadCurvesFile);
  ASSERT_EQ(record.heads.size(), 4u);
  Session session(test_backend(), run.plan.config, {.training = false});
  const RunFolder folder(run.folder);
  session.model().load_parameters(folder.load_model(session.model().layout(), "model.safetensors"));
  const Batch batch = first_test_sequences(session, kSpectralSequences);
  session.model().forward(batch);
  int64_t longest = 0;
  const LayerLogits first(session.model(), batch, 0);
  for (int64_t s = 0; s < first.sequences(); ++s) {
    if (first.length(s) > first.length(longest)) longest = s;
  }
  EXPECT_EQ(record.tokens, first.length(longest));
  for (const HeadCurves& head : record.heads) {
    const LayerLogits layer(session.model(), batch, head.layer);
    const Dense logits = layer.sequence(longest)[static_cast<size_t>(head.head)].logits();
    double squares = 0.0, trace = 0.0;
    for (int64_t i = 0; i < record.tokens; ++i) {
      trace += logits(i, i);
      for (int64_t j = 0; j < record.tokens; ++j) squares += logits(i, j) * logits(i, j);
    }
    double singular = 0.0, plain = 0.0, eigenvalues = 0.0;
    for (const double value : head.singular) singular += value * value;
    for (const double value : head.plain) plain += value * value;
    for (const std::complex<double>& value : head.eigenvalues) eigenvalues += value.real();
    // Six digits each.
    const double scale = std::sqrt(squares);
    EXPECT_NEAR(std::sqrt(singular), scale, 1e-5 * scale);
    EXPECT_NEAR(eigenvalues, trace, 1e-5 * scale * static_cast<double>(head.eigenvalues.size()));
    EXPECT_GT(plain, 0.0) << "rope turns";
    EXPECT_EQ(std::ssize(head.kernel), 2 * record.tokens - 1);
    EXPECT_NEAR(head.shares.content_content + head.shares.mixed() + head.shares.positional(), 1.0, 1e-4);
    EXPECT_GT(head.contraction, 0.0);
  }
  EXPECT_EQ(record.heads[3].layer, 1);
  EXPECT_EQ(record.heads[3].head, 1);
}

TEST(HeadCurves, WhatDoesNotTurnHasNoPlainSpectrum) {
  for (const char* encoding : {"nope", "relative", "alibi"}) {
    TrainedRun run({fmt::format("model.encoding={}", encoding)});
    run.plan.measures = {.spectrum = true};
    ASSERT_TRUE(run.measure());
    for (const HeadCurves& head : read_head_curves(run.folder / kHeadCurvesFile).heads) {
      EXPECT_TRUE(head.plain.empty()) << encoding;
      EXPECT_FALSE(head.singular.empty());
    }
  }
}

TEST(HeadCurves, AHeadThatIsNotFiniteIsLeftOut) {
  TrainedRun run;
  Session session(test_backend(), run.plan.config, {.training = false});
  std::vector<HeadMeasures> measures =
      measure_heads(session.model(), first_test_sequences(session, kSpectralSequences));
  measures[1].spectral_norm = std::nan("");
  const CurvesRecord record = measure_head_curves(session, measures);
  ASSERT_EQ(record.heads.size(), 3u);
  EXPECT_EQ(record.heads[1].layer, 1);
}

TEST(HeadCurves, ADamagedFileIsNamed) {
  TemporaryFolder temporary;
  const auto path = temporary / kHeadCurvesFile;
  std::ofstream(path) << R"({"format": "phasor head curves 1", "tokens": 3, "heads": [{}]})";
  EXPECT_THROW(read_head_curves(path), FormatError);
}

}  // namespace head_curves_test
}  // namespace phasor
