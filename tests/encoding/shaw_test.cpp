#include <cmath>
#include <cstdlib>

#include "encoding/rows.h"

namespace phasor {
namespace shaw_test {

using namespace testing_support;

TEST(Shaw, ClipsDistances) {
  const ResolvedEncoding encoding = resolve_text("shaw(max_distance=3)", rows_shape(9));
  const RowTerm& rows = query_rows(encoding);
  EXPECT_EQ(rows.index, (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6}));
  EXPECT_EQ(rows.fixed.rows, 7);
  EXPECT_EQ(rows.fixed.columns, 5) << "one table for all heads";
  EXPECT_EQ(query_rows(resolve_text("shaw(max_distance=3,table=per_head)", rows_shape(9))).fixed.columns, 15);
}

TEST(Shaw, HasOneTableForEachLayer) {
  const ResolvedEncoding shared = resolve_text("shaw(max_distance=2)", rows_shape());
  EXPECT_EQ(parameter_names(shared),
            (std::vector<std::string>{"layers.0.encoding.shaw.keys", "layers.1.encoding.shaw.keys"}));
  EXPECT_EQ(shared.parameters[0].shape, (std::vector<int64_t>{5, 5}));
  const ResolvedEncoding own = resolve_text("shaw(max_distance=2,table=per_head)[heads=0,2]", rows_shape());
  EXPECT_EQ(own.parameters[1].shape, (std::vector<int64_t>{2, 5, 5}));
  EXPECT_EQ(own.parameters[1].heads, (std::vector<int64_t>{0, 2}));
}

// e_ij = q_i (k_j + a_ij)^T / sqrt(d), equations 2 and 4 of the paper.
TEST(Shaw, IsThePapersFormula) {
  constexpr int64_t kLength = 11;
  for (const char* text : {"shaw(max_distance=4)", "shaw(max_distance=4,table=per_head)"}) {
    const EncodingShape shape = rows_shape(kLength);
    const ResolvedEncoding resolved = resolve_text(text, shape);
    ParameterValues values = initial_values(resolved, 3);
    for (std::vector<double>& numbers : values) {
      for (double& number : numbers) number *= 50.0;  // N(0, 1)
    }
    const ResolvedEncoding encoding = with_values(resolved, values);
    const Table q = random_table(kLength, shape.head_width, 11), k = random_table(kLength, shape.head_width, 12);
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
      for (int64_t head = 0; head < shape.heads; ++head) {
        const std::vector<double>& a = values[static_cast<size_t>(layer)];
        const int64_t table = resolved.parameters[0].shape.size() == 3 ? head : 0;
        const DenseLogits got = random_logits(encoding, layer, head, kLength);
        for (int64_t i = 0; i < kLength; ++i) {
          for (int64_t j = 0; j < kLength; ++j) {
            const int64_t clipped = std::max<int64_t>(-4, std::min<int64_t>(4, j - i));
            double sum = 0.0;
            for (int64_t c = 0; c < 5; ++c)
              sum += q(i, c) * (k(j, c) + a[static_cast<size_t>((table * 9 + 4 + clipped) * 5 + c)]);
            // A dozen roundings of the terms.
            ASSERT_NEAR(got.logits(i, j), sum / std::sqrt(5.0), 1e-14 * got.sizes(i, j)) << text;
          }
        }
      }
    }
  }
}

TEST(Shaw, OfZeroVectorsIsNope) {
  const EncodingShape shape = rows_shape(12);
  const ResolvedEncoding zero = start_of("shaw(init=0)", shape), nope = start_of("nope", shape);
  for (int64_t head = 0; head < shape.heads; ++head) {
    EXPECT_EQ(random_logits(zero, 1, head, 12).logits, random_logits(nope, 1, head, 12).logits);
  }
  EXPECT_NE(random_logits(start_of("shaw", shape), 1, 0, 12).logits, random_logits(nope, 1, 0, 12).logits);
}

TEST(Shaw, HeadsWithoutItGetNothing) {
  const EncodingShape shape = rows_shape(12);
  for (const char* text : {"shaw[heads=1]", "shaw(table=per_head)[heads=1]"}) {
    const ResolvedEncoding some = start_of(text, shape), nope = start_of("nope", shape);
    for (int64_t head = 0; head < shape.heads; ++head) {
      EXPECT_EQ(random_logits(some, 0, head, 12).logits == random_logits(nope, 0, head, 12).logits, head != 1) << text;
    }
  }
}

// Logits beyond the trained lengths are those of clipped distances, with the tensors of any length.
TEST(Shaw, GoesOnAtAnyLength) {
  const ResolvedEncoding here = start_of("shaw(max_distance=4)", rows_shape(10));
  const ResolvedEncoding there = start_of("shaw(max_distance=4)", rows_shape(300));
  EXPECT_EQ(query_rows(here).fixed, query_rows(there).fixed);
  EXPECT_EQ(row_at(query_rows(there), -299), 0);
  EXPECT_EQ(row_at(query_rows(there), 299), 8);
  const Table small = random_logits(here, 0, 0, 10).logits, large = random_logits(there, 0, 0, 10).logits;
  EXPECT_EQ(small, large);
}

}  // namespace shaw_test
}  // namespace phasor
