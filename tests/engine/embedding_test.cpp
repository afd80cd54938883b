#include "reference/embedding.h"

#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/sequences.h"

namespace phasor {
namespace embedding_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

struct EmbeddingCase {
  const char* name;
  std::vector<int32_t> lengths;
  int64_t vocabulary, width;
  int64_t table_width;  // the token table's channels; the others are the input's alone
  int64_t tables;       // of the input; 0: none
  int64_t axes, axis;
  int64_t spare;  // tokens and sequences of capacity that the batch does not use
};

void PrintTo(const EmbeddingCase& c, std::ostream* out) { *out << c.name; }

class EmbeddingTest : public testing::TestWithParam<EmbeddingCase> {
 protected:
  EmbeddingTest()
      : batch(make_batch(data, GetParam().lengths, GetParam().axes)),
        ids(data.integers(batch.tokens(), 0, static_cast<int32_t>(GetParam().vocabulary) - 1)),
        table(data.normal(GetParam().vocabulary, GetParam().table_width)),
        input(data.normal(GetParam().tables * batch.position_count, GetParam().width)) {
    if (GetParam().tables > 1) {
      sequence_table = data.integers(batch.sequences(), 0, static_cast<int32_t>(GetParam().tables) - 1);
    }
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      const auto at = static_cast<size_t>(s);
      const int32_t first = sequence_table.empty() ? 0 : sequence_table[at] * batch.position_count;
      for (int32_t t = batch.offsets[at]; t < batch.offsets[at + 1]; ++t) {
        input_rows.push_back(first + batch.positions(t, GetParam().axis));
      }
    }
    device_choice = DeviceArray<int32_t>(backend, sequence_table, spare());
  }

  Where where(const char* family) const { return {family, GetParam().name, data.seed()}; }
  int64_t spare() const { return GetParam().spare; }

  // The record without its table.
  InputTable input_record() const {
    InputTable record;
    if (!sequence_table.empty()) record.sequence_table = device_choice.view();
    record.positions = batch.position_count;
    record.axis = static_cast<int32_t>(GetParam().axis);
    return record;
  }

  RandomData data{11};
  Backend& backend = test_backend();
  Batch batch;
  std::vector<int32_t> ids;
  Grid<double> table, input;
  std::vector<int32_t> sequence_table, input_rows;
  DeviceArray<int32_t> device_choice;
};

TEST_P(EmbeddingTest, ForwardIsTheSumOfItsTables) {
  const DeviceSequences sequences(backend, batch, spare(), spare());
  const DeviceArray<int32_t> device_ids(backend, ids, spare());
  const DeviceMatrix y(backend, Dtype::f32, batch.tokens() + spare(), GetParam().width);
  const DeviceMatrix device_table(backend, Dtype::f32, table);
  const DeviceMatrix device_input(backend, Dtype::f32, input);
  EmbeddingForward op{.y = y.view(), .ids = device_ids.view(), .table = device_table.view()};
  op.input = input_record();
  if (!input.empty()) op.input.table = device_input.view();
  op.sequences = sequences.get();
  backend.run(op);

  const auto expected =
      reference::embedding(GetParam().width, ids, lift<Rounded32>(table), input_rows, lift<Rounded32>(input));
  EXPECT_TRUE(agrees(where("EmbeddingForward.y"), y.read(batch.tokens()), expected, Dtype::f32));
  EXPECT_EQ(y.spoiled_beyond(batch.tokens()), 0);
}

TEST_P(EmbeddingTest, BackwardIsTheComplexStep) {
  const Grid<double> dy = data.normal(batch.tokens(), GetParam().width);
  const Grid<double> before = data.normal(table.rows, table.columns);
  const Grid<double> before_input = data.normal(input.rows, input.columns);
  const DeviceSequences sequences(backend, batch, spare(), spare());
  const DeviceArray<int32_t> device_ids(backend, ids, spare());
  const DeviceMatrix device_dy(backend, Dtype::f32, dy, spare());
  const DeviceMatrix dtable(backend, Dtype::f32, before);
  const DeviceMatrix dinput(backend, Dtype::f32, before_input);
  EmbeddingBackward op{.dtable = dtable.view()};
  if (!input.empty()) op.dinput = dinput.view();
  op.dy = device_dy.view();
  op.ids = device_ids.view();
  op.input = input_record();
  op.sequences = sequences.get();
  backend.run(op);

  const auto loss = [&](const Grid<Complex>& tokens, const Grid<Complex>& terms) {
    return dot(dy, reference::embedding(GetParam().width, ids, tokens, input_rows, terms));
  };
  const auto by_table =
      reference::complex_step_gradient([&](const Grid<Complex>& z) { return loss(z, lift<Complex>(input)); }, table);
  const auto bound = reference::scatter_rows(lift<Rounded32>(before), ids, lift<Rounded32>(dy));
  EXPECT_TRUE(agrees(where("EmbeddingBackward.dtable"), dtable.read(table.rows),
                     with_values(bound, added(before, by_table)), Dtype::f32));
  if (input.empty()) return;
  const auto by_input =
      reference::complex_step_gradient([&](const Grid<Complex>& z) { return loss(lift<Complex>(table), z); }, input);
  const auto input_bound = reference::scatter_rows(lift<Rounded32>(before_input), input_rows, lift<Rounded32>(dy));
  EXPECT_TRUE(agrees(where("EmbeddingBackward.dinput"), dinput.read(input.rows),
                     with_values(input_bound, added(before_input, by_input)), Dtype::f32));
}

// Lengths, vocabulary, width, the table's width, input tables, axes, axis, spare.
INSTANTIATE_TEST_SUITE_P(Cases, EmbeddingTest,
                         testing::Values(EmbeddingCase{"TokensOnly", {1, 2, 3}, 7, 6, 6, 0, 1, 0, 0},
                                         EmbeddingCase{"Input", {5, 1, 17}, 11, 20, 20, 1, 1, 0, 3},
                                         EmbeddingCase{"OneWord", {33, 20}, 1, 8, 8, 1, 1, 0, 1},
                                         EmbeddingCase{"SecondAxis", {3, 9, 2, 1}, 5, 16, 16, 1, 2, 1, 2},
                                         EmbeddingCase{"Narrow", {17, 4}, 30, 40, 21, 1, 1, 0, 40},
                                         EmbeddingCase{"NarrowTokensOnly", {4, 9}, 6, 19, 16, 0, 1, 0, 2},
                                         EmbeddingCase{
                                             "TablesPerSequence", {7, 70, 1, 0, 3, 66}, 9, 18, 18, 3, 1, 0, 5},
                                         EmbeddingCase{"NarrowTables", {2, 0, 5, 1, 8, 90}, 9, 36, 5, 4, 3, 2, 1}),
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

}  // namespace embedding_test
}  // namespace phasor
