#include <cmath>

#include "encoding/rows.h"
#include "phasor/base/error.h"

namespace phasor {
namespace transformer_xl_test {

using namespace testing_support;

constexpr int64_t kLength = 10;

struct Values {
  ResolvedEncoding resolved, settled;
  ParameterValues numbers;

  Values(const std::string& text, const EncodingShape& shape) : resolved(resolve_text(text, shape)) {
    numbers = initial_values(resolved, 5);
    for (std::vector<double>& tensor : numbers) {
      for (double& number : tensor) number *= 3.0;
    }
    settled = with_values(resolved, numbers);
  }
  const std::vector<double>& of(const std::string& name) { return values_of(numbers, resolved, name); }
};

// The paper's A^rel, term by term, with projections of token vectors written out:
//   x_i W_q^T W_kE x_j + x_i W_q^T W_kR R_{i-j} + u^T W_kE x_j + v^T W_kR R_{i-j}
void expect_formula(const std::string& text, const EncodingShape& shape, bool shared, double base, int64_t clamp) {
  Values values(text, shape);
  const int64_t width = shape.width, own = shape.head_width;
  const Table x = random_table(kLength, width, 31);
  const Table wq = random_table(own, width, 32), wk = random_table(own, width, 33);
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string at = "layers." + std::to_string(layer) + ".";
    const std::string scope = (shared ? "" : at) + "encoding.transformer_xl.";
    const std::vector<double>& wr = values.of(at + "encoding.transformer_xl.weight");
    const std::vector<double>&u = values.of(scope + "u"), &v = values.of(scope + "v");
    for (int64_t head = 0; head < shape.heads; ++head) {
      const DenseLogits got = dense_logits(values.settled, layer, head, projected(x, wq), projected(x, wk),
                                           counted_positions(values.settled, kLength));
      for (int64_t i = 0; i < kLength; ++i) {
        for (int64_t j = 0; j < (shape.causal ? i + 1 : kLength); ++j) {
          double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
          const double back = static_cast<double>(std::max(-clamp, std::min(clamp, i - j)));
          for (int64_t m = 0; m < own; ++m) {
            double q = 0.0, k = 0.0, r = 0.0;
            for (int64_t n = 0; n < width; ++n) {
              const int64_t half = width / 2;
              const double angle =
                  back * std::pow(base, -2.0 * static_cast<double>(n % half) / static_cast<double>(width));
              q += wq(m, n) * x(i, n);
              k += wk(m, n) * x(j, n);
              r += wr[static_cast<size_t>((head * own + m) * width + n)] *
                   (n < half ? std::sin(angle) : std::cos(angle));
            }
            const auto place = static_cast<size_t>(head * own + m);
            a += q * k;
            b += q * r;
            c += u[place] * k;
            d += v[place] * r;
          }
          // Some 30 roundings of each term and, in angles of up to 10, as many of sines: 1e-14 of the terms' size.
          ASSERT_NEAR(got.logits(i, j), (a + b + c + d) / std::sqrt(static_cast<double>(own)),
                      1e-13 * (1.0 + got.sizes(i, j)))
              << text << ", layer " << layer << " head " << head << " query " << i << " key " << j;
        }
      }
    }
  }
}

TEST(TransformerXl, IsThePapersFourTerms) {
  expect_formula("transformer_xl", rows_shape(kLength, true), true, 10000.0, kLength);
  expect_formula("transformer_xl(sharing=layer,base=50)", rows_shape(kLength), false, 50.0, kLength);
  expect_formula("transformer_xl(max_distance=4)", rows_shape(kLength), true, 10000.0, 4);
  expect_formula("transformer_xl(max_distance=4)", rows_shape(kLength, true), true, 10000.0, 4);
}

TEST(TransformerXl, NamesItsTensors) {
  const ResolvedEncoding encoding = resolve_text("transformer_xl[heads=0,2]", rows_shape());
  EXPECT_EQ(parameter_names(encoding),
            (std::vector<std::string>{"layers.0.encoding.transformer_xl.weight", "encoding.transformer_xl.u",
                                      "encoding.transformer_xl.v", "layers.1.encoding.transformer_xl.weight"}));
  EXPECT_EQ(encoding.parameters[0].shape, (std::vector<int64_t>{2, 5, 8}));
  EXPECT_EQ(encoding.parameters[1].shape, (std::vector<int64_t>{2, 5}));
}

TEST(TransformerXl, HeadsWithoutItGetNothing) {
  const EncodingShape shape = rows_shape(kLength);
  const ResolvedEncoding some = start_of("transformer_xl[heads=0,2]", shape), nope = start_of("nope", shape);
  for (int64_t head = 0; head < shape.heads; ++head) {
    EXPECT_EQ(random_logits(some, 1, head, kLength).logits == random_logits(nope, 1, head, kLength).logits, head == 1);
  }
}

// Causal models never look ahead: their table ends at the query.
// In causal models too: ablation shuffles positions, and then keys stand ahead.
TEST(TransformerXl, HasARowForEveryDistance) {
  EXPECT_EQ(query_rows(resolve_text("transformer_xl", rows_shape(30))).fixed.rows, 59);
  EXPECT_EQ(query_rows(resolve_text("transformer_xl", rows_shape(30, true))).fixed.rows, 59);
  EXPECT_EQ(query_rows(resolve_text("transformer_xl(max_distance=7)", rows_shape(30))).fixed.rows, 15);
}

TEST(TransformerXl, RefusesAnOddWidth) {
  EncodingShape shape = rows_shape();
  shape.width = 9;
  EXPECT_THROW(resolve_text("transformer_xl", shape), UsageError);
}

}  // namespace transformer_xl_test
}  // namespace phasor
