#include "phasor/ablation/published_ablation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ablation/sweep_case.h"
#include "phasor/base/error.h"

namespace phasor {
namespace published_ablation_test {

using testing_support::small_model;
using testing_support::SweepCase;

constexpr int64_t kSamples = 60;

double accuracy_of(const SweepCase& sweep) {
  const SampleScores scores = sweep.intact();
  double right = 0.0;
  for (const float correct : scores.correct) right += static_cast<double>(correct);
  return right / static_cast<double>(scores.correct.size());
}

// Its scripts set rows of W_V and its bias to zero, which is an output of zero: here the same by W_O's columns.
TEST(PublishedAblation, TheLastHeadOfEveryEarlierLayerIsStillOff) {
  ModelConfig config = small_model("rope");
  config.layers = 3;
  SweepCase sweep(config, kSamples);
  const PublishedAblation result = ablate_as_published(*sweep.model, {&sweep.samples}, 16).value();
  EXPECT_FALSE(result.latent);
  EXPECT_EQ(result.samples, kSamples);
  EXPECT_DOUBLE_EQ(result.baseline, accuracy_of(sweep));
  const std::vector<float> intact = sweep.data.parameters;
  const int64_t last = sweep.data.config.heads - 1;
  for (int64_t l = 0; l < 3; ++l) {
    for (int64_t h = 0; h <= last; ++h) {
      sweep.data.parameters = intact;
      for (int64_t earlier = 0; earlier < l; ++earlier) sweep.set_output_weights(earlier, last, 0.0f);
      sweep.set_output_weights(l, h, 0.0f);
      const double found = result.accuracy[static_cast<size_t>(l)][static_cast<size_t>(h)];
      EXPECT_DOUBLE_EQ(found, accuracy_of(sweep)) << "layer " << l << " head " << h;
    }
  }
}

// Columns of W_UQ, W_UK and W_UV, by hand, in a model whose latents are wide enough for one head and a half.
TEST(PublishedAblation, LatentColumnsOfMla) {
  for (const char* encoding : {"mla(kv=6,q=6,rope=4)", "mla(kv=6,q=6,rope=4,query=shared,norm=none)"}) {
    SweepCase sweep(small_model(encoding), kSamples);
    const PublishedAblation result = ablate_as_published(*sweep.model, {&sweep.samples}, 16).value();
    EXPECT_TRUE(result.latent);
    EXPECT_EQ(result.without_effect, 1);  // three heads of width 4; columns 8 .. 11 do not exist
    const std::vector<float> intact = sweep.data.parameters;
    EXPECT_EQ(sweep.model->save_parameters(), intact);
    const bool shared = sweep.data.encoding.layers[0].decoupled->shared_query;
    for (int64_t l = 0; l < 2; ++l) {
      for (int64_t h = 0; h < 3; ++h) {
        sweep.data.parameters = intact;
        const DecoupledSlots& slots = sweep.data.layout.layers[static_cast<size_t>(l)].decoupled;
        const auto off = [&](const LinearSlot& slot, int64_t rows) {
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 4 * h; c < std::min<int64_t>(4 * h + 4, slot.in); ++c) {
              sweep.data.parameters[static_cast<size_t>(slot.weight + r * slot.in + c)] = 0.0f;
            }
          }
        };
        off(slots.query_up, slots.query_up.out - (shared ? 4 : 0));
        off(slots.key_value_up, slots.key_value_up.out);
        sweep.model->load_parameters(sweep.data.parameters);
        const double found = result.accuracy[static_cast<size_t>(l)][static_cast<size_t>(h)];
        EXPECT_DOUBLE_EQ(found, accuracy_of(sweep)) << encoding << " layer " << l << " slice " << h;
      }
    }
    EXPECT_EQ(result.accuracy[0][2], result.baseline);
  }
}

TEST(PublishedAblation, SetsAreTakenTogether) {
  const SweepCase sweep(small_model("rope"), kSamples);
  const PublishedAblation once = ablate_as_published(*sweep.model, {&sweep.samples}, 16).value();
  const PublishedAblation twice = ablate_as_published(*sweep.model, {&sweep.samples, &sweep.samples}, 7).value();
  EXPECT_EQ(twice.samples, 2 * kSamples);
  EXPECT_EQ(once.accuracy, twice.accuracy);
}

TEST(PublishedAblation, StoppingPutsWeightsBack) {
  const SweepCase sweep(small_model("mla(kv=6,q=6,rope=4)"), kSamples);
  int calls = 0;
  EXPECT_FALSE(ablate_as_published(*sweep.model, {&sweep.samples}, 16, {}, [&](double) { return ++calls < 5; }));
  EXPECT_EQ(sweep.model->save_parameters(), sweep.data.parameters);
}

TEST(PublishedAblation, LatentsAreAskedForOnlyWhereThereAreSome) {
  const SweepCase rope(small_model("rope"), kSamples), mla(small_model("mla(kv=6,q=6,rope=4)"), kSamples);
  EXPECT_THROW(ablate_as_published(*rope.model, {&rope.samples}, 16, true), UsageError);
  EXPECT_FALSE(ablate_as_published(*mla.model, {&mla.samples}, 16, false)->latent);
}

TEST(PublishedAblation, EmptySetsAreAnError) {
  const SweepCase sweep(small_model("rope"), kSamples);
  const Dataset empty;
  EXPECT_THROW(ablate_as_published(*sweep.model, {&empty}, 16), UsageError);
}

TEST(PublishedAblation, ConcentrationIsOfTheDrops) {
  PublishedAblation result;
  result.baseline = 0.9;
  result.accuracy = {{0.9, 0.2, 0.8}};
  const statistics::Concentration found = result.concentration(0);
  EXPECT_EQ(found.top, 1);
  EXPECT_NEAR(found.max_share, 0.7 / 0.8, 1e-12);
}

}  // namespace published_ablation_test
}  // namespace phasor
