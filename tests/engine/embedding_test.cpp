#include "reference/embedding.h"

#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/sequences.h"

namespace phasor {
namespace {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

struct EmbeddingCase {
  const char* name;
  std::vector<int32_t> lengths;
  int64_t vocabulary, width;
  bool fixed, learned;
  int64_t spare;  // tokens and sequences of capacity that the batch does not use
};

void PrintTo(const EmbeddingCase& c, std::ostream* out) { *out << c.name; }

class EmbeddingTest : public testing::TestWithParam<EmbeddingCase> {
 protected:
  EmbeddingTest()
      : batch(make_batch(data, GetParam().lengths)),
        ids(data.integers(batch.tokens(), 0, static_cast<int32_t>(GetParam().vocabulary) - 1)),
        table(data.normal(GetParam().vocabulary, GetParam().width)),
        fixed(GetParam().fixed ? data.normal(batch.position_count, GetParam().width) : Grid<double>()),
        learned(GetParam().learned ? data.normal(batch.position_count, GetParam().width) : Grid<double>()) {}

  Where where(const char* family) const { return {family, GetParam().name, data.seed()}; }

  RandomData data{11};
  Backend& backend = test_backend();
  Batch batch;
  std::vector<int32_t> ids;
  Grid<double> table, fixed, learned;
};

TEST_P(EmbeddingTest, ForwardIsTheSumOfItsTables) {
  const int64_t spare = GetParam().spare;
  const DeviceSequences sequences(backend, batch, spare, spare);
  const DeviceArray<int32_t> device_ids(backend, ids, spare);
  const DeviceMatrix y(backend, Dtype::f32, batch.tokens() + spare, table.columns);
  const DeviceMatrix device_table(backend, Dtype::f32, table);
  const DeviceMatrix device_fixed(backend, Dtype::f32, fixed);
  const DeviceMatrix device_learned(backend, Dtype::f32, learned);
  EmbeddingForward op{.y = y.view(), .ids = device_ids.view(), .table = device_table.view()};
  if (GetParam().fixed) op.fixed = device_fixed.view();
  if (GetParam().learned) op.learned = device_learned.view();
  op.sequences = sequences.get();
  backend.run(op);

  const auto expected = reference::embedding(ids, batch.first_axis(), lift<Rounded32>(table), lift<Rounded32>(fixed),
                                             lift<Rounded32>(learned));
  EXPECT_TRUE(agrees(where("EmbeddingForward.y"), y.read(batch.tokens()), expected, Dtype::f32));
  EXPECT_EQ(y.spoiled_beyond(batch.tokens()), 0);
}

TEST_P(EmbeddingTest, BackwardIsTheComplexStep) {
  const int64_t spare = GetParam().spare;
  const Grid<double> dy = data.normal(batch.tokens(), table.columns);
  const Grid<double> before = data.normal(table.rows, table.columns);
  const Grid<double> before_learned = data.normal(batch.position_count, table.columns);
  const DeviceSequences sequences(backend, batch, spare, spare);
  const DeviceArray<int32_t> device_ids(backend, ids, spare);
  const DeviceMatrix device_dy(backend, Dtype::f32, dy, spare);
  const DeviceMatrix dtable(backend, Dtype::f32, before);
  const DeviceMatrix dlearned(backend, Dtype::f32, before_learned);
  EmbeddingBackward op{.dtable = dtable.view()};
  if (GetParam().learned) op.dlearned = dlearned.view();
  op.dy = device_dy.view();
  op.ids = device_ids.view();
  op.sequences = sequences.get();
  backend.run(op);

  const std::vector<int32_t> positions = batch.first_axis();
  const auto zero = [](const Grid<double>& like) { return Grid<Complex>(like.rows, like.columns); };
  const auto by_table = reference::complex_step_gradient(
      [&](const Grid<Complex>& z) { return dot(dy, reference::embedding(ids, positions, z, {}, {})); }, table);
  const auto bound = reference::scatter_rows(lift<Rounded32>(before), ids, lift<Rounded32>(dy));
  Grid<double> sum = before;
  for (size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += by_table.data[i];
  EXPECT_TRUE(agrees(where("EmbeddingBackward.dtable"), dtable.read(table.rows), with_values(bound, sum), Dtype::f32));

  if (!GetParam().learned) {
    EXPECT_EQ(dlearned.read(before_learned.rows).data, before_learned.data);
    return;
  }
  const auto by_learned = reference::complex_step_gradient(
      [&](const Grid<Complex>& z) { return dot(dy, reference::embedding(ids, positions, zero(table), {}, z)); },
      before_learned);
  const auto learned_bound = reference::scatter_rows(lift<Rounded32>(before_learned), positions, lift<Rounded32>(dy));
  Grid<double> learned_sum = before_learned;
  for (size_t i = 0; i < learned_sum.data.size(); ++i) learned_sum.data[i] += by_learned.data[i];
  EXPECT_TRUE(agrees(where("EmbeddingBackward.dlearned"), dlearned.read(before_learned.rows),
                     with_values(learned_bound, learned_sum), Dtype::f32));
}

INSTANTIATE_TEST_SUITE_P(Cases, EmbeddingTest,
                         testing::Values(EmbeddingCase{"TokensOnly", {1, 2, 3}, 7, 6, false, false, 0},
                                         EmbeddingCase{"Fixed", {5, 1, 17}, 11, 20, true, false, 3},
                                         EmbeddingCase{"Learned", {3, 9, 2, 1}, 5, 16, false, true, 2},
                                         EmbeddingCase{"FixedAndLearned", {17, 4}, 30, 12, true, true, 40},
                                         EmbeddingCase{"OneWord", {33, 20}, 1, 8, true, true, 1}),
                         [](const auto& tested) { return tested.param.name; });

TEST(Embedding, AnEmptyBatchTouchesNothing) {
  Backend& backend = test_backend();
  RandomData data(12);
  const Batch batch = make_batch(data, {});
  const DeviceSequences sequences(backend, batch, 4, 2);
  const DeviceArray<int32_t> ids(backend, {}, 4);
  const DeviceMatrix table(backend, Dtype::f32, data.normal(3, 8));
  const DeviceMatrix y(backend, Dtype::f32, 4, 8);
  EmbeddingForward op{.y = y.view(), .ids = ids.view(), .table = table.view()};
  op.sequences = sequences.get();
  backend.run(op);
  EXPECT_EQ(y.spoiled_beyond(0), 0);
}

}  // namespace
}  // namespace phasor
