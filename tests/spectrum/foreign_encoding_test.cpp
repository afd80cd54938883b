#include "phasor/spectrum/foreign_encoding.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "spectrum/foreign_file.h"

namespace phasor {
namespace foreign_encoding_test {

using testing_support::ForeignFile;

constexpr int64_t kHeads = 2, kTokens = 6, kWidth = 4;

ForeignQueries plain_queries(const ForeignOptions& options = {}) {
  ForeignFile file;
  file.add<double>("queries", {kHeads, kTokens, kWidth}).add<double>("keys", {kHeads, kTokens, kWidth}, 1.0, 1);
  return read_foreign_queries(file.path(), options);
}

ForeignQueries with(const std::string& expression, const ForeignPositions& positions = {},
                    const ForeignOptions& options = {}) {
  ForeignQueries queries = plain_queries(options);
  apply_encoding(queries, parse_encoding(expression), positions, 0);
  return queries;
}

// By hand: neighbouring channels 2 c and 2 c + 1 by the angle p base^(-2 c / C).
TEST(ForeignEncoding, TurnsPlainQueriesAndKeys) {
  const ForeignQueries plain = plain_queries();
  for (const ForeignPositions positions : {ForeignPositions{}, ForeignPositions{.first = 3, .step = 5}}) {
    const ForeignQueries turned = with("rope(base=100)", positions);
    EXPECT_TRUE(turned.plain);
    EXPECT_FALSE(turned.bias);
    for (size_t h = 0; h < kHeads; ++h) {
      const HeadLogits& head = turned.samples[0][h];
      EXPECT_EQ(head.rotary_pairs, (std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {2, 3}}));
      for (int64_t t = 0; t < kTokens; ++t) {
        for (int64_t c = 0; c < 2; ++c) {
          const double angle = static_cast<double>(positions.first + positions.step * t) * std::pow(100.0, -0.5 * c);
          const double a = plain.samples[0][h].key(t, 2 * c), b = plain.samples[0][h].key(t, 2 * c + 1);
          EXPECT_NEAR(head.key(t, 2 * c), std::cos(angle) * a - std::sin(angle) * b, 1e-12);
          EXPECT_NEAR(head.key(t, 2 * c + 1), std::sin(angle) * a + std::cos(angle) * b, 1e-12);
          EXPECT_EQ(head.plain_key(t, 2 * c), a);
        }
      }
    }
  }
  const ForeignQueries halves = with("rope(layout=half)");
  EXPECT_EQ(halves.samples[0][0].rotary_pairs, (std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {1, 3}}));
}

TEST(ForeignEncoding, TheAttentionFactorIsSaid) {
  ForeignQueries queries = plain_queries();
  const std::string yarn = "rope(scaling=yarn,factor=4,original=8)";
  const AppliedEncoding applied = apply_encoding(queries, parse_encoding(yarn), {}, 0);
  const std::string sentence =
      "products of turned channels are times 1.296, the square of the attention factor, which contraction includes";
  EXPECT_EQ(std::count(applied.done.begin(), applied.done.end(), sentence), 1);
  const double plain_norm =
      std::hypot(queries.samples[0][0].plain_query(0, 0), queries.samples[0][0].plain_query(0, 1));
  const double norm = std::hypot(queries.samples[0][0].query(0, 0), queries.samples[0][0].query(0, 1));
  EXPECT_NEAR(norm * norm / (plain_norm * plain_norm), 1.2965, 0.0005);
  const ResolvedEncoding rope = resolve(parse_encoding("rope"), {.layers = 1, .heads = 2, .head_width = 4});
  EXPECT_EQ(product_factor_text(rope, 0), "");
}

// Factors by the query's position are part of the scale: of queries with and without angles.
TEST(ForeignEncoding, ScalesRows) {
  const ForeignQueries plain = plain_queries();
  ForeignQueries queries = plain_queries();
  const AppliedEncoding applied =
      apply_encoding(queries, parse_encoding("rope+scale(\"1+i/n\")[heads=1]"), {.first = 1, .step = 2}, 0);
  EXPECT_EQ(std::count(applied.done.begin(), applied.done.end(),
                       "queries have factors by their position or length in 1 of 2 heads, in logits with and without "
                       "angles"),
            1);
  const ForeignQueries turned = with("rope", {.first = 1, .step = 2});
  EXPECT_TRUE(queries.samples[0][0].row_scale.empty());
  EXPECT_EQ(queries.samples[0][0].logits().values(), turned.samples[0][0].logits().values());
  const HeadLogits& head = queries.samples[0][1];
  for (int64_t t = 0; t < kTokens; ++t) {
    const double factor = 1.0 + static_cast<double>(1 + 2 * t) / static_cast<double>(2 * kTokens);
    EXPECT_NEAR(head.row_scale[static_cast<size_t>(t)], factor, 1e-15);
    for (int64_t c = 0; c < kWidth; ++c) {
      EXPECT_NEAR(head.plain_query(t, c), factor * plain.samples[0][1].query(t, c), 1e-14);
      EXPECT_NEAR(head.query(t, c), factor * turned.samples[0][1].query(t, c), 1e-14);
    }
  }
  EXPECT_THROW(apply_encoding(queries, parse_encoding("rope"), {}, 0), UsageError);
}

TEST(ForeignEncoding, QueriesFromBeforeRotationAreEnough) {
  ForeignFile file;
  file.add<double>("queries_plain", {kHeads, kTokens, kWidth})
      .add<double>("keys_plain", {kHeads, kTokens, kWidth}, 1.0, 1);
  EXPECT_THROW(read_foreign_queries(file.path(), {}), FormatError);
  ForeignQueries queries = read_foreign_queries(file.path(), {.plain_enough = true});
  const AppliedEncoding applied = apply_encoding(queries, parse_encoding("rope"), {}, 0);
  EXPECT_EQ(applied.done.front(), "on the file's queries_plain and keys_plain, which have no rotated ones beside them");
  const ForeignQueries same = with("rope");
  EXPECT_EQ(queries.samples[0][1].query.values(), same.samples[0][1].query.values());
  EXPECT_EQ(queries.samples[0][1].key.values(), same.samples[0][1].key.values());
}

// Rotated queries of the file stand for the plain ones where it has both.
TEST(ForeignEncoding, TakesWhatStandsBeforeRotation) {
  ForeignFile file;
  for (const char* name : {"queries", "keys"}) file.add<double>(name, {kHeads, kTokens, kWidth}, 1.0, 7);
  for (const char* name : {"queries_plain", "keys_plain"}) file.add<double>(name, {kHeads, kTokens, kWidth}, 1.0, 8);
  file.add<double>("bias", {kTokens, kTokens});
  ForeignQueries queries = read_foreign_queries(file.path(), {});
  const AppliedEncoding applied = apply_encoding(queries, parse_encoding("nope"), {}, 0);
  const HeadLogits& head = queries.samples[0][1];
  EXPECT_EQ(head.query(2, 1), head.plain_query(2, 1));
  EXPECT_EQ(head.bias.rows(), 0);
  std::string done;
  for (const std::string& sentence : applied.done) done += sentence + "\n";
  expect_words(done, {"queries_plain and keys_plain", "changes nothing here", "the file's own bias is left out"});
}

// Two heads have the slopes 2^-4 and 2^-8.
TEST(ForeignEncoding, AddsBiases) {
  const ForeignQueries causal = with("alibi", {.first = 0, .step = 3}, {.causal = true});
  EXPECT_TRUE(causal.bias);
  for (size_t h = 0; h < kHeads; ++h) {
    const double slope = h == 0 ? 0x1p-4 : 0x1p-8;
    const HeadLogits& head = causal.samples[0][h];
    EXPECT_TRUE(head.rotary_pairs.empty());
    EXPECT_NEAR(head.bias(5, 1), -slope * 12.0, 1e-12);
    EXPECT_EQ(head.bias(1, 5), 0.0) << "not seen";
  }
  const ForeignQueries one_head = with("alibi[heads=0]");
  EXPECT_EQ(one_head.samples[0][1].bias.rows(), 0);
  EXPECT_NEAR(one_head.samples[0][0].bias(1, 5), one_head.samples[0][0].bias(5, 1), 1e-12);
}

// Up to the original length dynamic scaling is rope; what makes a sequence longer is where its last token stands.
TEST(ForeignEncoding, LengthIsThatOfThePositions) {
  const std::string dynamic = "rope(scaling=dynamic,factor=4,original=8)";
  EXPECT_EQ(with(dynamic).samples[0][0].key(5, 3), with("rope").samples[0][0].key(5, 3));
  const ForeignPositions far{.first = 0, .step = 4};
  EXPECT_GT(std::abs(with(dynamic, far).samples[0][0].key(5, 3) - with("rope", far).samples[0][0].key(5, 3)), 1e-3);
  const ForeignQueries shorter = with("rope", {}, {.length = 4});
  EXPECT_EQ(shorter.samples[0][0].size(), 4);
  EXPECT_EQ(shorter.samples[0][0].key(3, 1), with("rope").samples[0][0].key(3, 1));
}

TEST(ForeignEncoding, SaysWhatItDid) {
  ForeignQueries queries = plain_queries();
  const AppliedEncoding applied =
      apply_encoding(queries, parse_encoding("rope[heads=1]+relative"), {.first = 1, .step = 2}, 0);
  EXPECT_EQ(applied.expression, "relative+rope[heads=1]");
  std::string done;
  for (const std::string& sentence : applied.done) done += sentence + "\n";
  expect_words(done, {"queries and keys, taken as they stand", "2 pairs of channels are turned, in 1 of 2 heads",
                      "what it learns stands as it starts", "positions 1, 3, ... 11, of a sequence of 12"});
}

TEST(ForeignEncoding, RefusesWhatQueriesAndKeysCannotTake) {
  const auto refused = [](const std::string& expression) { return message_of<UsageError>([&] { with(expression); }); };
  expect_words(refused("sinusoidal"), {"--encoding sinusoidal", "adds to the embeddings"});
  expect_words(refused("mla(kv=8,q=8,rope=2)"), {"queries and keys of its own"});
  expect_words(refused("randomized(rope,max=64)"), {"other positions than the index"});
  expect_words(refused("rope[heads=5]"), {"heads"});
  expect_words(message_of<UsageError>([] { with("rope", {.first = 0, .step = kMostForeignPosition}); }),
               {"--positions 0:", "too far"});
}

}  // namespace foreign_encoding_test
}  // namespace phasor
