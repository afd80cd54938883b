#include "phasor/spectrum/model_spectrum.h"

#include <cstring>

#include "linalg/matrices.h"
#include "phasor/spectrum/relative_fit.h"
#include "phasor/spectrum/spectrum.h"
#include "spectrum/model_run.h"

namespace phasor {
namespace model_spectrum_test {

using namespace testing_support;

std::vector<HeadMeasures> measured(const ModelConfig& config, const std::vector<int32_t>& lengths,
                                   const ModelSpectrumOptions& options = {}) {
  ModelRun run(config, lengths);
  return measure_heads(run.model, run.data.batch, options);
}

const std::vector<int32_t> kLengths = {10, 9, 10, 2, 8, 10, 7, 1, 10, 6};

TEST(MeasureHeads, OfNopeContractNothingAndOfRopeExpandNothing) {
  const ThreadGuard one_thread(1);
  for (const HeadMeasures& head : measured(small_model("nope"), kLengths)) {
    EXPECT_EQ(head.contraction, 1.0);
    EXPECT_EQ(head.bias_expansion, 1.0);
    EXPECT_EQ(head.shares.bias, 0.0);
  }
  for (const HeadMeasures& head : measured(small_model("rope"), kLengths)) {
    EXPECT_EQ(head.bias_expansion, 1.0);
    EXPECT_NE(head.contraction, 1.0);
    EXPECT_GT(head.interaction, 0.0);
  }
  for (const HeadMeasures& head : measured(small_model("alibi[heads=1]"), kLengths)) {
    EXPECT_EQ(head.contraction, 1.0);
    EXPECT_EQ(head.bias_expansion != 1.0, head.head == 1);
  }
}

// Every number again, by the definitions and by dense matrices.
TEST(MeasureHeads, AreMeansOverSequences) {
  const ThreadGuard one_thread(1);
  for (const bool causal : {false, true}) {
    ModelConfig config = small_model("sinusoidal+rope+alibi[heads=0]");
    config.causal = causal;
    ModelRun run(config, kLengths);
    const std::vector<HeadMeasures> heads = measure_heads(run.model, run.data.batch);
    ASSERT_EQ(heads.size(), 6u);
    run.model.forward(run.data.batch);
    for (const HeadMeasures& found : heads) {
      const LayerLogits layer = run.logits(found.layer);
      const PositionMeans means(layer);
      double norm = 0.0, rank = 0.0, contraction = 0.0, expansion = 0.0, relative = 0.0, positional = 0.0;
      double count = 0.0;
      for (int64_t s = 0; s < layer.sequences(); ++s) {
        if (layer.length(s) < 3) continue;
        const HeadLogits head = layer.sequence(s)[static_cast<size_t>(found.head)];
        const HeadLogits position =
            layer.sequence_with(s, means.queries(s), means.keys(s))[static_cast<size_t>(found.head)];
        const auto seen = [&](const Dense& a) { return causal ? lower_triangle(a) : a; };
        const SingularSpectrum whole = spectrum(seen(head.logits())).singular;
        norm += whole.largest;
        rank += whole.stable_rank;
        const double turned = spectrum(seen(head.products())).singular.largest;
        contraction += turned / spectrum(seen(head.plain_products())).singular.largest;
        expansion += whole.largest / turned;
        relative += RelativeFitter(head.size(), causal).fit(head.logits()).adjusted;
        positional += part_shares(head, position.query, position.key).value().positional();
        count += 1.0;
      }
      EXPECT_EQ(count, 8.0);
      EXPECT_NEAR(found.spectral_norm, norm / count, 1e-11 * norm);
      EXPECT_NEAR(found.stable_rank, rank / count, 1e-11 * rank);
      EXPECT_NEAR(found.contraction, contraction / count, 1e-11 * contraction);
      EXPECT_NEAR(found.bias_expansion, expansion / count, 1e-11 * expansion);
      EXPECT_NEAR(found.relative_r2, relative / count, 1e-11);
      EXPECT_NEAR(found.shares.positional(), positional / count, 1e-11);
      EXPECT_NEAR(found.shares.content_content + found.shares.mixed() + found.shares.positional(), 1.0, 1e-11);
    }
  }
}

// The positional Gram of rope on one frequency and equal weights would be Toeplitz; a table of random rows is not, and
// a bias is no part of it.
TEST(MeasureHeads, TellToeplitzPositionsFromOthers) {
  const ThreadGuard one_thread(1);
  const std::vector<int32_t> lengths(60, 10);
  for (const HeadMeasures& head : measured(small_model("learned(init=1)"), lengths)) {
    EXPECT_LT(head.position_toeplitz, 0.9);
    EXPECT_GT(head.shares.mixed() + head.shares.positional(), 0.1);
  }
  for (const HeadMeasures& head : measured(small_model("bias(\"-2*abs(d)\")"), lengths)) {
    EXPECT_GT(head.relative_r2, 0.5);
    EXPECT_GT(head.shares.bias, 0.5);
  }
}

TEST(MeasureHeads, OfMlaHaveAShareOfTheDecoupledPath) {
  const ThreadGuard one_thread(1);
  for (const HeadMeasures& head : measured(small_model("mla"), kLengths)) {
    EXPECT_GT(std::abs(head.shares.decoupled), 1e-3);
    EXPECT_NE(head.contraction, 1.0);
  }
  for (const HeadMeasures& head : measured(small_model("rope"), kLengths)) EXPECT_EQ(head.shares.decoupled, 0.0);
}

TEST(MeasureHeads, HaveTheSameBitsOnAnyThreads) {
  for (const char* encoding : {"learned+rope", "learned+alibi+mla"}) {
    const auto bits = [&](int threads) {
      const ThreadGuard guard(threads);
      const std::vector<HeadMeasures> heads = measured(small_model(encoding), kLengths);
      std::vector<double> numbers;
      for (const HeadMeasures& head : heads) {
        for (const double value : {head.spectral_norm, head.stable_rank, head.effective_rank, head.participation_ratio,
                                   head.contraction, head.bias_expansion, head.relative_r2, head.position_toeplitz,
                                   head.interaction, head.shares.content_content, head.shares.content_position,
                                   head.shares.position_content, head.shares.position_position, head.shares.bias}) {
          numbers.push_back(value);
        }
      }
      return numbers;
    };
    const std::vector<double> one = bits(1);
    for (const int threads : {2, 4}) {
      const std::vector<double> more = bits(threads);
      EXPECT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(double)), 0) << encoding << threads;
    }
  }
}

TEST(MeasureHeads, TakeTheFirstSequencesAndWhatIsAskedFor) {
  const ThreadGuard one_thread(1);
  const ModelConfig config = small_model("sinusoidal+rope");
  ModelRun run(config, kLengths);
  const std::vector<HeadMeasures> some = measure_heads(run.model, run.data.batch, {.most_sequences = 3});
  Batch first;
  const std::vector<int32_t>& tokens = run.data.batch.tokens;
  for (const auto& [begin, length] : {std::pair{0, 10}, {10, 9}, {19, 10}}) {
    const int32_t target = 0;
    first.append(tokens.data() + begin, length, &target, 1, 0);
  }
  first.finish();
  const std::vector<HeadMeasures> same = measure_heads(run.model, first);
  for (size_t h = 0; h < some.size(); ++h) {
    EXPECT_EQ(some[h].spectral_norm, same[h].spectral_norm);
    EXPECT_EQ(some[h].interaction, same[h].interaction);
  }
  for (const HeadMeasures& head : measure_heads(run.model, run.data.batch, {.shares = false, .interaction = false})) {
    EXPECT_GT(head.spectral_norm, 0.0);
    EXPECT_EQ(head.interaction, 0.0);
    EXPECT_EQ(head.shares.content_content, 0.0);
  }
  EXPECT_EQ(error_of([&] { measure_heads(run.model, Batch()); }), "no sequences to measure heads on");
}

// A run that has diverged is measured to its end: only the heads that broke have no numbers.
TEST(MeasureHeads, OfDivergedHeadsAreNoNumbers) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("learned+rope"), kLengths);
  const LinearSlot last = run.data.layout.layers[1].query;
  for (int64_t i = 0; i < 4 * last.in; ++i) {  // the queries of head 0
    run.data.parameters[static_cast<size_t>(last.weight + i)] = std::numeric_limits<float>::infinity();
  }
  run.model.load_parameters(run.data.parameters);
  for (const HeadMeasures& head : measure_heads(run.model, run.data.batch)) {
    const bool broken = head.layer == 1 && head.head == 0;
    for (const double value : {head.spectral_norm, head.contraction, head.relative_r2, head.position_toeplitz,
                               head.interaction, head.shares.content_content}) {
      EXPECT_EQ(std::isnan(value), broken) << head.layer << " " << head.head;
    }
  }
}

TEST(MeasureHeads, OfASingleTokenAreAtTheirStart) {
  const ThreadGuard one_thread(1);
  for (const HeadMeasures& head : measured(small_model("rope"), {1})) {
    EXPECT_EQ(head.spectral_norm, 0.0);
    EXPECT_EQ(head.contraction, 1.0);
  }
}

}  // namespace model_spectrum_test
}  // namespace phasor
