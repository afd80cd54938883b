// Same bits at any thread count, and for a sequence in whatever company.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "model/thread_guard.h"
#include "phasor/run/config_builder.h"
#include "phasor/run/session.h"
#include "phasor/train/optimizer.h"
#include "phasor/train/schedule.h"
#include "support/backend.h"

namespace phasor {
namespace determinism_test {

using namespace testing_support;

struct SizeCase {
  std::string preset;
  Dtype precision;
  std::string encoding = "learned+rope+alibi";
};

void PrintTo(const SizeCase& size, std::ostream* out) { *out << size.preset << " " << name(size.precision); }

// A preset's model on few samples, with dropout and with something in every place an encoding can fill.
RunConfig small_run(const SizeCase& size) {
  ConfigBuilder builder;
  builder.add_option("--preset", "preset", size.preset);
  builder.add_option("--encoding", "model.encoding", size.encoding);
  builder.add_option("--precision", "train.precision", name(size.precision));
  for (const char* value : {"model.dropout=0.1", "train.batch=20", "train.steps=8", "data.train=60", "data.test=20",
                            "train.evaluation_samples=60"}) {
    builder.add_set(value);
  }
  return builder.build();
}

std::vector<uint32_t> bits(const std::vector<float>& values) {
  std::vector<uint32_t> result(values.size());
  std::memcpy(result.data(), values.data(), values.size() * sizeof(float));
  return result;
}

std::vector<float> download(Backend& backend, const View<float, 1>& view, size_t count) {
  std::vector<float> values(count);
  backend.copy_out(values.data(), view.data(), count * sizeof(float));
  return values;
}

Batch test_batch(const Session& session) {
  Batch batch;
  for (int64_t i = 0; i < session.config().train.batch; ++i) session.data().test.append_to(batch, i);
  batch.finish();
  return batch;
}

struct RunBits {
  std::vector<uint32_t> parameters, gradients, moments, losses;
  std::vector<double> numbers;  // losses and gradient norms of the steps, loss of the evaluation
};

RunBits train_and_evaluate(const RunConfig& config, int threads) {
  const ThreadGuard guard(threads);
  const std::unique_ptr<Backend> backend = make_test_backend();
  Session session(*backend, config, {});
  Transformer& model = session.model();
  Optimizer optimizer(*backend, model, config.train);
  RunBits result;
  for (int64_t step = 1; step <= 3; ++step) {
    const BatchResult trained = model.forward_backward(session.training_batch(step), static_cast<uint32_t>(step));
    result.numbers.push_back(trained.loss);
    result.numbers.push_back(optimizer.update(model, step, learning_rate(config.train, step)));
  }
  const auto count = static_cast<size_t>(model.layout().size());
  result.parameters = bits(model.save_parameters());
  result.gradients = bits(download(*backend, model.gradients(), count));
  result.moments = bits(download(*backend, optimizer.second_moment(), count));
  const Batch batch = test_batch(session);
  result.numbers.push_back(model.evaluate(batch).loss);
  result.losses = bits(download(*backend, model.activations().loss, batch.targets.size()));
  return result;
}

size_t differing(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), size_t{0}, std::plus<>(), std::not_equal_to<>());
}

class Determinism : public testing::TestWithParam<SizeCase> {
 protected:
  void SetUp() override { PHASOR_SKIP_WITHOUT(GetParam().precision); }
};

TEST_P(Determinism, ThreadsDoNotChangeTraining) {
  const RunConfig config = small_run(GetParam());
  const RunBits expected = train_and_evaluate(config, 1);
  for (const int threads : {2, 4}) {
    const RunBits got = train_and_evaluate(config, threads);
    EXPECT_EQ(differing(got.parameters, expected.parameters), 0u) << threads << " threads";
    EXPECT_EQ(differing(got.gradients, expected.gradients), 0u) << threads << " threads";
    EXPECT_EQ(differing(got.moments, expected.moments), 0u) << threads << " threads";
    EXPECT_EQ(differing(got.losses, expected.losses), 0u) << threads << " threads";
    EXPECT_EQ(got.numbers, expected.numbers) << threads << " threads";
  }
}

TEST_P(Determinism, ASequenceAloneHasTheBitsItHasInABatch) {
  PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE();
  const ThreadGuard one_thread(1);
  const RunConfig config = small_run(GetParam());
  const std::unique_ptr<Backend> backend = make_test_backend();
  Session session(*backend, config, {.training = false});
  Transformer& model = session.model();
  const Batch batch = test_batch(session);
  model.evaluate(batch);
  const std::vector<uint32_t> together = bits(download(*backend, model.activations().loss, batch.targets.size()));
  std::vector<uint32_t> alone;
  for (int64_t i = 0; i < batch.sequence_count(); ++i) {
    Batch single;
    session.data().test.append_to(single, i);
    single.finish();
    model.evaluate(single);
    alone.push_back(bits(download(*backend, model.activations().loss, 1)).front());
  }
  EXPECT_EQ(alone, together);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Determinism,
                         testing::Values(SizeCase{"quick", Dtype::f32}, SizeCase{"quick", Dtype::bf16},
                                         SizeCase{"paper", Dtype::f32}, SizeCase{"paper", Dtype::bf16}),
                         [](const auto& tested) { return tested.param.preset + "_" + name(tested.param.precision); });

// Tables that are learned, drawn, or depend on length; gradients that several heads or sequences add to.
INSTANTIATE_TEST_SUITE_P(
    Encodings, Determinism,
    testing::Values(SizeCase{"quick", Dtype::f32, "mla+alibi(slopes=learned)"},
                    SizeCase{"quick", Dtype::f32, "t5+kerple+rope(frequencies=learned)+sinusoidal(scale=learned(1))"},
                    SizeCase{"quick", Dtype::f32, "randomized(rope+relative,max=64)"},
                    SizeCase{"quick", Dtype::f32, "rope(scaling=dynamic,factor=2,original=20)+integer(normalised)"},
                    SizeCase{"quick", Dtype::f32, "fire"}, SizeCase{"quick", Dtype::f32, "fox"},
                    SizeCase{"quick", Dtype::bf16, "cable[heads=0-2]+rope"},
                    SizeCase{"quick", Dtype::f32, "selective_rope(gate=sigmoid)[layers=0-1]+repo[layers=2]"},
                    SizeCase{"quick", Dtype::f32, "bias(\"a*d/(n+i)\",a=learned(0.1,per=head))"}),
    [](const auto& tested) { return fmt::format("number_{}", tested.index); });

// The cuda backend refuses factors by the query's position, and distance rows.
std::vector<SizeCase> row_scale_cases() {
  if (tested_device() != kDefaultDevice) return {};
  return {{"quick", Dtype::f32, "ssmax+rope"}, {"quick", Dtype::f32, "scale(\"1+a*i/n\",a=learned(0.1,per=head))+t5"}};
}
INSTANTIATE_TEST_SUITE_P(RowScales, Determinism, testing::ValuesIn(row_scale_cases()),
                         [](const auto& tested) { return fmt::format("number_{}", tested.index); });

std::vector<SizeCase> distance_row_cases() {
  if (tested_device() != kDefaultDevice) return {};
  return {{"quick", Dtype::f32, "shaw[layers=0]+transformer_xl[layers=1]+deberta[layers=2]"},
          {"quick", Dtype::bf16, "deberta+ssmax"}};
}
INSTANTIATE_TEST_SUITE_P(DistanceRows, Determinism, testing::ValuesIn(distance_row_cases()),
                         [](const auto& tested) { return fmt::format("number_{}", tested.index); });

// The comparison can fail: another seed moves every weight and every mask.
TEST(DeterminismOfSeeds, RunsWithOtherSeedsDiffer) {
  RunConfig config = small_run({"quick", Dtype::f32});
  const RunBits one = train_and_evaluate(config, 1);
  config.seed = 1;
  const RunBits other = train_and_evaluate(config, 1);
  EXPECT_GT(differing(one.parameters, other.parameters), one.parameters.size() / 2);
  EXPECT_NE(one.numbers, other.numbers);
}

TEST(DeterminismOfSeeds, MasksDependOnTheStep) {
  const ThreadGuard one_thread(1);
  const RunConfig config = small_run({"quick", Dtype::f32});
  Session session(test_backend(), config, {});
  Transformer& model = session.model();
  const Batch batch = session.training_batch(1);
  const double first = model.forward_backward(batch, 1).loss;
  const double second = model.forward_backward(batch, 2).loss;
  EXPECT_NE(first, second);
  EXPECT_EQ(model.forward_backward(batch, 1).loss, first);
}

}  // namespace determinism_test
}  // namespace phasor
