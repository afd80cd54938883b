// Parts add up to the logits, for every encoding, and shares are what their definition says.
#include "phasor/spectrum/decomposition.h"

#include "linalg/matrices.h"
#include "spectrum/model_run.h"

namespace phasor::testing_support {
namespace decomposition_test {

Dense absolute(Dense a) {
  for (double& value : a.values()) value = std::abs(value);
  return a;
}

// Bound of the rounding of a sum of products with content = whole - position: the sizes of all that is added, times
// the length of the sum and a few operations on every term.
double rounding(const HeadLogits& head, DenseView position_query, DenseView position_key) {
  const auto sizes = [](const Dense& whole, DenseView part) {
    return sum(absolute(whole), sum(absolute(copy_of(part)), absolute(copy_of(part))));
  };
  const Dense terms =
      scaled_products(sizes(head.query, position_query), sizes(head.key, position_key), std::abs(head.scale));
  const double bias = head.bias.rows() == 0 ? 0.0 : largest_magnitude(head.bias);
  const double rows = head.rows.rows() == 0 ? 0.0 : largest_magnitude(head.rows);
  return (static_cast<double>(head.width()) + 10.0) * kUnit * (largest_magnitude(terms) + bias + rows);
}

double covariance(const Dense& part, const Dense& centred) {
  double total = 0.0;
  for (size_t i = 0; i < part.values().size(); ++i) total += part.values()[i] * centred.values()[i];
  return total;
}

class Parts : public ::testing::TestWithParam<ModelCase> {
 protected:
  // Every head of every layer on two sequences, with its positional parts turned.
  template <class Check>
  void for_each_head(const Check& check) {
    for (int64_t l = 0; l < run_.layers(); ++l) {
      const LayerLogits layer = run_.logits(l);
      const PositionMeans means(layer, PositionEstimator::all);
      for (const int64_t s : {int64_t{0}, int64_t{1}}) {
        const SequenceTables tables = layer.tables(s);
        const Dense queries = tables.turned_queries(means.queries(s));
        const Dense keys = tables.turned_keys(means.keys(s));
        const std::vector<HeadLogits> heads = layer.sequence(s);
        for (int64_t h = 0; h < layer.heads(); ++h) {
          check(heads[static_cast<size_t>(h)], head_columns(queries, h, layer.width()),
                head_columns(keys, h, layer.width()));
        }
      }
    }
  }

  const ThreadGuard one_thread_{1};
  ModelRun run_{GetParam().config, kRaggedLengths};
};

TEST_P(Parts, AddUpToTheLogits) {
  for_each_head([](const HeadLogits& head, DenseView query, DenseView key) {
    const Decomposition parts = decompose(head, query, key);
    EXPECT_EQ(parts.decoupled.empty(), head.decoupled_from < 0);
    ASSERT_LT(largest_difference(parts.sum(), head.logits()), rounding(head, query, key));
  });
}

TEST_P(Parts, HaveTheSharesOfTheDefinition) {
  for_each_head([](const HeadLogits& head, DenseView query, DenseView key) {
    const Decomposition parts = decompose(head, query, key);
    const Dense centred = row_centred(head.logits(), head.causal);
    const double variance = covariance(centred, centred);
    const std::optional<PartShares> shares = part_shares(head, query, key);
    ASSERT_TRUE(shares.has_value());
    const auto share = [&](Dense GramParts::*part) {
      double whole = covariance(parts.own.*part, centred);
      if (!parts.decoupled.empty()) whole += covariance(parts.decoupled.*part, centred);
      return whole / variance;
    };
    // Sums of n^2 products; parts may be larger than what they add up to.
    const double largest = rounding(head, query, key) / kUnit;
    const double bound = kUnit * static_cast<double>(head.size() * head.size()) * largest * largest *
                         static_cast<double>(head.size()) / variance;
    EXPECT_NEAR(shares->content_content, share(&GramParts::content_content), bound);
    EXPECT_NEAR(shares->content_position, share(&GramParts::content_position), bound);
    EXPECT_NEAR(shares->position_content, share(&GramParts::position_content), bound);
    EXPECT_NEAR(shares->position_position, share(&GramParts::position_position), bound);
    EXPECT_NEAR(shares->bias, head.bias.rows() == 0 ? 0.0 : covariance(head.bias, centred) / variance, bound);
    EXPECT_NEAR(shares->rows, head.rows.rows() == 0 ? 0.0 : covariance(head.rows, centred) / variance, bound);
    EXPECT_NEAR(shares->content_content + shares->mixed() + shares->positional(), 1.0, bound);
    if (!parts.decoupled.empty()) {
      EXPECT_NEAR(shares->decoupled, covariance(parts.decoupled.sum(), centred) / variance, bound);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, Parts, ::testing::ValuesIn(logit_cases()),
                         [](const auto& tested) { return tested.param.name; });

HeadLogits random_head(int64_t n, int64_t width) {
  HeadLogits head;
  head.query = head.plain_query = random_matrix(n, width, 210);
  head.key = head.plain_key = random_matrix(n, width, 211);
  head.scale = 0.5;
  return head;
}

TEST(PartShares, WithoutPositionsAreContentAlone) {
  const HeadLogits head = random_head(20, 4);
  const Dense zero(20, 4);
  const PartShares shares = part_shares(head, zero, zero).value();
  EXPECT_NEAR(shares.content_content, 1.0, 1e-13);
  EXPECT_EQ(shares.content_position, 0.0);
  EXPECT_EQ(shares.position_content, 0.0);
  EXPECT_EQ(shares.position_position, 0.0);
}

TEST(PartShares, OfNothingButPositionsArePositional) {
  HeadLogits head = random_head(20, 4);
  const PartShares shares = part_shares(head, head.query, head.key).value();
  EXPECT_NEAR(shares.positional(), 1.0, 1e-13);
  EXPECT_EQ(shares.content_content, 0.0);
  head.query = Dense(20, 4);
  head.bias = random_matrix(20, 20, 212);
  EXPECT_NEAR(part_shares(head, head.query, head.key).value().bias, 1.0, 1e-13);
  head.rows = std::move(head.bias);
  head.bias = Dense();
  EXPECT_NEAR(part_shares(head, head.query, head.key).value().rows, 1.0, 1e-13);
  EXPECT_NEAR(part_shares(head, head.query, head.key).value().positional(), 0.0, 1e-13);
}

TEST(PartShares, OfConstantRowsAreNone) {
  HeadLogits head = random_head(20, 4);
  for (int64_t r = 1; r < 20; ++r) std::copy_n(head.key.row(0), 4, head.key.row(r));
  EXPECT_FALSE(part_shares(head, head.query, head.key).has_value());
  head.causal = true;
  EXPECT_FALSE(part_shares(head, head.query, head.key).has_value());
}

// L_ij = s sum_m Re{ q_im conj(k_jm) e^{i theta_m (i - j)} }: the form of docs/theory.md, section 3.
TEST(RotaryLogits, AreASumOverFrequencies) {
  const ThreadGuard one_thread(1);
  ModelRun run(small_model("rope"), {10, 8});
  const HeadLogits head = run.logits(0).sequence(0)[1];
  ASSERT_EQ(head.rotary_pairs.size(), 2u);
  const auto number = [](const Dense& rows, int64_t row, const std::pair<int64_t, int64_t>& pair) {
    return std::complex<double>(rows(row, pair.first), rows(row, pair.second));
  };
  const Dense expected = made(10, 10, [&](int64_t i, int64_t j) {
    double total = 0.0;
    for (size_t m = 0; m < 2; ++m) {
      const double theta = std::pow(10000.0, -static_cast<double>(m) / 2.0);
      const auto& pair = head.rotary_pairs[m];
      total += (number(head.plain_query, i, pair) * std::conj(number(head.plain_key, j, pair)) *
                std::polar(1.0, theta * static_cast<double>(i - j)))
                   .real();
    }
    return head.scale * total;
  });
  // Angles are tables of floats: every factor is off by 2^-24 at most, on both sides, in terms of this size.
  const double sizes =
      largest_magnitude(scaled_products(absolute(head.plain_query), absolute(head.plain_key), std::abs(head.scale)));
  EXPECT_LT(largest_difference(head.products(), expected), 16.0 * 0x1p-24 * sizes);
  EXPECT_GT(sizes, 1e-3);
}

}  // namespace decomposition_test
}  // namespace phasor::testing_support
