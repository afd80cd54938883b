#include "phasor/spectrum/foreign_queries.h"

#include <cmath>
#include <limits>
#include <memory>

#include "linalg/matrices.h"
#include "phasor/base/error.h"
#include "phasor/spectrum/head_summary.h"
#include "spectrum/foreign_file.h"

namespace phasor {
namespace foreign_queries_test {

using namespace testing_support;

ForeignQueries read(ForeignFile& file, const ForeignOptions& options = {}) {
  return read_foreign_queries(file.path(), options);
}

// [heads, n, width] of numbers that say where they stand: 100 * head + 10 * row + column.
std::vector<double> places(int64_t heads, int64_t n, int64_t width) {
  std::vector<double> values;
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t c = 0; c < width; ++c) values.push_back(static_cast<double>(100 * h + 10 * i + c));
    }
  }
  return values;
}

TEST(ForeignQueries, HeadsOfQueriesShareKeysInTheirOrder) {
  ForeignFile file;
  file.put("queries", {4, 3, 2}, places(4, 3, 2)).put("keys", {2, 3, 2}, places(2, 3, 2));
  const ForeignQueries found = read(file);
  EXPECT_EQ(found.samples_stored, 1);
  EXPECT_EQ(found.layers, 1);
  EXPECT_FALSE(found.plain || found.bias || found.causal);
  EXPECT_DOUBLE_EQ(found.scale, 1.0 / std::sqrt(2.0));
  ASSERT_EQ(found.samples.size(), 1u);
  ASSERT_EQ(found.samples[0].size(), 4u);
  for (int64_t h = 0; h < 4; ++h) {
    const HeadLogits& head = found.samples[0][static_cast<size_t>(h)];
    EXPECT_EQ(head.query(2, 1), static_cast<double>(100 * h + 21));
    EXPECT_EQ(head.key(1, 0), static_cast<double>(100 * (h / 2) + 10)) << "heads 0 and 1 read the first keys";
    EXPECT_EQ(head.scale, found.scale);
  }
}

// [n, heads, width], as many libraries keep them, is the same with the axes named.
TEST(ForeignQueries, ComeWithPositionsFirstToo) {
  const std::vector<double> ours = places(4, 3, 2);
  std::vector<double> theirs(ours.size());
  for (size_t h = 0; h < 4; ++h) {
    for (size_t i = 0; i < 3; ++i) {
      for (size_t c = 0; c < 2; ++c) theirs[(i * 4 + h) * 2 + c] = ours[(h * 3 + i) * 2 + c];
    }
  }
  ForeignFile file;
  file.put("queries", {3, 4, 2}, theirs).put("keys", {3, 4, 2}, theirs);
  const ForeignQueries found = read(file, {.positions_first = true});
  ASSERT_EQ(found.samples[0].size(), 4u);
  for (int64_t h = 0; h < 4; ++h) {
    EXPECT_EQ(found.samples[0][static_cast<size_t>(h)].query(2, 1), static_cast<double>(100 * h + 21));
  }
  expect_words(found.note, {"read as [n,heads,width]: 4 heads of 3 positions", "--layout heads,n,width"});
  EXPECT_EQ(read(file).note, "") << "3 heads of 4 positions are nothing odd";
}

TEST(ForeignQueries, SayWhichLayoutWouldFit) {
  ForeignFile file;
  file.add("queries", {20, 4, 6}).add("keys", {20, 2, 6});
  expect_words(
      message_of<FormatError>([&] { read(file); }),
      {"'keys'", "only the number of heads may differ; read as [n,heads,width] they fit: --layout n,heads,width"});
  EXPECT_EQ(read(file, {.positions_first = true}).samples[0].size(), 4u);
  ForeignFile neither;
  neither.add("queries", {20, 4, 6}).add("keys", {19, 2, 6});
  EXPECT_EQ(message_of<FormatError>([&] { read(neither); }).find("--layout"), std::string::npos);
  ForeignFile bias;
  bias.add("queries", {20, 4, 6}).add("keys", {20, 4, 6}).add("bias", {20, 20});
  expect_words(message_of<FormatError>([&] { read(bias); }), {"'bias'", "[4, 4]", "--layout n,heads,width"});
}

TEST(ForeignQueries, NameTheirLayer) {
  ForeignFile file;
  file.add("queries", {2, 3, 4}).add("keys", {2, 3, 4});
  EXPECT_EQ(read(file).layer_is, "one layer, which the file does not name");
  EXPECT_EQ(read(file, {.layer = 5}).layer_is, "layer 5, as --layer calls it");
  file.say("layer", "7");
  EXPECT_EQ(read(file).layer, 7);
  EXPECT_EQ(read(file).layer_is, "layer 7, as the file says");
  file.say("layer", "last");
  expect_words(message_of<FormatError>([&] { read(file); }), {"'layer'", "last", "no layer"});
}

TEST(ForeignQueries, MayBeCutToTheirFirstPositions) {
  ForeignFile file;
  file.put("queries", {2, 5, 2}, places(2, 5, 2)).put("keys", {2, 5, 2}, places(2, 5, 2)).add("bias", {5, 5});
  const ForeignQueries whole = read(file), cut = read(file, {.length = 3});
  const HeadLogits& head = cut.samples[0][1];
  EXPECT_EQ(head.size(), 3);
  EXPECT_EQ(head.query(2, 1), 121.0);
  EXPECT_EQ(head.bias.rows(), 3);
  EXPECT_EQ(head.bias(2, 1), whole.samples[0][1].bias(2, 1));
  expect_words(message_of<UsageError>([&] { read(file, {.length = 6}); }), {"--length 6", "has 5 positions"});
}

TEST(ForeignQueries, TakesTheFirstSamplesAndTheScaleThatIsSaid) {
  ForeignFile file;
  file.add("queries", {3, 4, 20, 6}).add("keys", {3, 2, 20, 6}, 1.0, 1).say("scale", "0.5").say("causal", "true");
  const ForeignQueries two = read(file, {.most_samples = 2});
  EXPECT_EQ(two.samples.size(), 2u);
  EXPECT_EQ(two.samples_stored, 3);
  EXPECT_EQ(two.scale, 0.5);
  EXPECT_TRUE(two.causal && two.samples[1][3].causal);
  EXPECT_EQ(read(file, {.scale = 2.0}).scale, 2.0) << "what the caller says comes first";
}

// Turned by hand, in halves: channels 0 and 2, 1 and 3.
TEST(ForeignQueries, BeforeRotationTellsTheTurnedPairs) {
  std::vector<double> plain(2 * 12 * 4), turned(plain.size());
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = normal({.seed = 3, .purpose = Purpose::test}, i);
  for (size_t row = 0; row < 24; ++row) {
    for (size_t m = 0; m < 2; ++m) {
      const double angle = static_cast<double>(row % 12) * (m == 0 ? 1.0 : 0.1);
      const double a = plain[4 * row + m], b = plain[4 * row + 2 + m];
      turned[4 * row + m] = std::cos(angle) * a - std::sin(angle) * b;
      turned[4 * row + 2 + m] = std::sin(angle) * a + std::cos(angle) * b;
    }
  }
  ForeignFile file;
  for (const char* name : {"queries", "keys"}) file.put(name, {2, 12, 4}, turned);
  for (const char* name : {"queries_plain", "keys_plain"}) file.put(name, {2, 12, 4}, plain);
  const ForeignQueries found = read(file);
  EXPECT_TRUE(found.plain);
  const HeadLogits& head = found.samples[0][1];
  EXPECT_EQ(head.rotary_pairs, (std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {1, 3}}));
  EXPECT_EQ(head.plain_query(3, 2), plain[4 * (12 + 3) + 2]);
  // Against the contraction by its definition.
  const HeadSummary summary = summarize_heads(0, found.samples)[1];
  const double without =
      HeadReporter(12, false).report({.query = head.plain_query, .key = head.plain_key}).logits.singular.largest;
  const double with = HeadReporter(12, false).report({.query = head.query, .key = head.key}).logits.singular.largest;
  EXPECT_NEAR(summary.contraction.mean, with / without, 1e-12);
}

TEST(ForeignQueries, CausalBiasMayHaveInfinitiesWhereItIsMasked) {
  std::vector<float> bias;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      bias.push_back(j > i ? -std::numeric_limits<float>::infinity() : -0.5f * static_cast<float>(i - j));
    }
  }
  ForeignFile file;
  file.add("queries", {2, 8, 4}).add("keys", {2, 8, 4}, 1.0, 1).put("bias", {8, 8}, bias);
  const ForeignQueries found = read(file, {.causal = true});
  EXPECT_TRUE(found.bias);
  for (const HeadLogits& head : found.samples[0]) {
    EXPECT_EQ(head.bias(7, 3), -2.0);
    EXPECT_EQ(head.bias(3, 7), 0.0) << "not seen";
  }
  expect_words(message_of<FormatError>([&] { read(file); }), {"mine.safetensors", "'bias'", "number 1", "inf"});
  bias[8 * 3 + 2] = std::numeric_limits<float>::infinity();
  ForeignFile unmasked;
  unmasked.add("queries", {2, 8, 4}).add("keys", {2, 8, 4}, 1.0, 1).put("bias", {8, 8}, bias);
  expect_words(message_of<FormatError>([&] { read(unmasked, {.causal = true}); }), {"(3, 2)", "not masked"});
}

// What 'phasor export' writes: two samples of 3 and 2 tokens in two layers, 4 heads of queries to 2 of keys.
class ForeignExport : public testing::Test {
 protected:
  static constexpr int64_t kTokens[] = {3, 2};

  // 1000 * token + 100 * head + channel, as [tokens, heads, 2].
  static std::vector<double> by_token(int64_t heads) {
    std::vector<double> values;
    for (int64_t t = 0; t < 5; ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t c = 0; c < 2; ++c) values.push_back(static_cast<double>(1000 * t + 100 * h + c));
      }
    }
    return values;
  }

  void SetUp() override {
    file_.say("format", "phasor activations 1").put("offsets", {3}, std::vector<int32_t>{0, 3, 5});
    for (const std::string layer : {"layers.0.", "layers.1."}) {
      for (int64_t s = 0; s < 2; ++s) {
        const TensorShape shape = {4, kTokens[s], 2};
        file_.add(layer + "queries_rotated." + std::to_string(s), shape, 1.0, layer == "layers.1." ? 5 : 4);
        file_.add(layer + "keys_rotated." + std::to_string(s), shape, 1.0, 6);
      }
    }
  }

  // The logits of sample 1 in layer 0: products with a bias of -0.5 a place, masked above the diagonal.
  std::vector<double> logits() {
    const ForeignQueries plain = read(file_);
    std::vector<double> values;
    for (const HeadLogits& head : plain.samples[1]) {
      const Dense products = head.products();
      values.insert(values.end(),
                    {products(0, 0), -std::numeric_limits<double>::infinity(), products(1, 0) - 0.5, products(1, 1)});
    }
    return values;
  }

  ForeignFile file_;
};

TEST_F(ForeignExport, IsReadALayerAtATime) {
  const ForeignQueries found = read(file_);
  EXPECT_EQ(found.layers, 2);
  EXPECT_EQ(found.samples_stored, 2);
  ASSERT_EQ(found.samples.size(), 2u);
  ASSERT_EQ(found.samples[1].size(), 4u);
  EXPECT_EQ(found.samples[0][3].size(), 3);
  EXPECT_EQ(found.samples[1][3].size(), 2);
  EXPECT_DOUBLE_EQ(found.scale, 1.0 / std::sqrt(2.0));
  EXPECT_FALSE(found.plain || found.bias || found.causal);
  EXPECT_NE(read(file_, {.layer = 1}).samples[0][0].query(0, 0), found.samples[0][0].query(0, 0));
  const ForeignQueries one = read(file_, {.most_samples = 1});
  EXPECT_EQ(one.samples.size(), 1u);
  EXPECT_EQ(one.samples_stored, 2);
  expect_words(message_of<UsageError>([&] { read(file_, {.layer = 2}); }), {"--layer 2", "layers 0 to 1"});
  EXPECT_EQ(read(file_, {.layer = 1}).layer_is, "layer 1 of layers 0 to 1");
  expect_words(message_of<UsageError>([&] { read(file_, {.positions_first = true}); }), {"--layout", "export"});
}

TEST_F(ForeignExport, HasEveryHeadsOwnRowsBeforeRotation) {
  file_.put("layers.0.queries", {5, 4, 2}, by_token(4)).put("layers.0.keys", {5, 2, 2}, by_token(2));
  const ForeignQueries found = read(file_);
  EXPECT_TRUE(found.plain);
  for (int64_t h = 0; h < 4; ++h) {
    const HeadLogits& head = found.samples[1][static_cast<size_t>(h)];
    EXPECT_EQ(head.plain_query(1, 1), static_cast<double>(4000 + 100 * h + 1)) << "token 4 is the sample's second";
    EXPECT_EQ(head.plain_key(0, 1), static_cast<double>(3000 + 100 * (h / 2) + 1)) << "heads 0 and 1 share keys";
  }
}

TEST_F(ForeignExport, LogitsBeyondTheProductsAreTheBias) {
  std::vector<double> values = logits();
  file_.put("layers.0.logits.1", {4, 2, 2}, values);
  const ForeignQueries found = read(file_);
  EXPECT_TRUE(found.bias && found.causal);
  for (const HeadLogits& head : found.samples[1]) {
    EXPECT_TRUE(head.causal);
    EXPECT_NEAR(head.bias(1, 0), -0.5, 1e-12);
    EXPECT_EQ(head.bias(0, 1), 0.0) << "not seen";
  }
}

TEST_F(ForeignExport, NoTokenIsMaskedFromItself) {
  std::vector<double> values = logits();
  values[3] = -std::numeric_limits<double>::infinity();
  file_.put("layers.0.logits.1", {4, 2, 2}, values);
  expect_words(message_of<FormatError>([&] { read(file_); }), {"layers.0.logits.1", "(1, 1) of head 0", "not masked"});
}

TEST(ForeignQueries, OneTokenZerosAndHugeNumbersHaveSpectra) {
  const auto first_head = [](ForeignFile& file) { return summarize_heads(0, read(file).samples)[0]; };
  ForeignFile one;
  one.add("queries", {1, 1, 1}).add("keys", {1, 1, 1}, 1.0, 1);
  EXPECT_EQ(first_head(one).numerical_rank.most, 1.0);
  ForeignFile zero;
  zero.add("queries", {1, 6, 4}, 0.0).add("keys", {1, 6, 4}, 0.0);
  EXPECT_EQ(first_head(zero).spectral_norm.mean, 0.0);
  EXPECT_EQ(first_head(zero).relative_r2.count, 0);
  ForeignFile huge;
  huge.add<double>("queries", {1, 6, 4}, 1e150).add<double>("keys", {1, 6, 4}, 1e150, 1);
  EXPECT_GT(first_head(huge).spectral_norm.mean, 1e299);
}

TEST(ForeignQueries, ComeInSixteenBitsToo) {
  struct Case {
    StoredDtype dtype;
    uint16_t bits;
    double value;
  };
  const Case cases[] = {{StoredDtype::f16, 0xC000, -2.0},        {StoredDtype::f16, 0x3800, 0.5},
                        {StoredDtype::f16, 0x0001, 0x1p-24},     {StoredDtype::f16, 0x83FF, -1023.0 * 0x1p-24},
                        {StoredDtype::f16, 0x0400, 0x1p-14},     {StoredDtype::f16, 0x7BFF, 65504.0},
                        {StoredDtype::f16, 0x3C01, 1 + 0x1p-10}, {StoredDtype::bf16, 0xC000, -2.0},
                        {StoredDtype::bf16, 0x3F80, 1.0}};
  for (const Case& tried : cases) {
    ForeignFile file;
    file.put_bits("queries", tried.dtype, tried.bits).put_bits("keys", tried.dtype, 0x3C00);
    EXPECT_EQ(read(file).samples[0][0].query(0, 0), tried.value) << tried.bits;
  }
  for (const uint16_t bits : {0x7C00, 0xFC00, 0x7E00}) {
    ForeignFile file;
    file.put_bits("queries", StoredDtype::f16, bits).put_bits("keys", StoredDtype::f16, 0x3C00);
    expect_words(message_of<FormatError>([&] { read(file); }), {"'queries'", bits == 0x7E00 ? "nan" : "inf"});
  }
}

TEST(ForeignQueries, SayWhichTensorIsWrongAndHow) {
  const auto refused = [](ForeignFile& file, std::initializer_list<std::string_view> words) {
    const std::string message = message_of<FormatError>([&] { read(file); });
    expect_words(message, words);
    expect_words(message, {"mine.safetensors"});
  };
  const auto make = [](const TensorShape& queries, const TensorShape& keys) {
    auto file = std::make_unique<ForeignFile>();
    file->add("queries", queries).add("keys", keys);
    return file;
  };
  ForeignFile lacking;
  lacking.add("q", {2, 8, 4}).add("keys", {2, 8, 4});
  refused(lacking, {"no tensor 'queries'", "keys, q"});
  refused(*make({8, 4}, {2, 8, 4}), {"'queries'", "[8, 4]", "[heads, n, width]"});
  refused(*make({2, 8, 4}, {2, 9, 4}), {"'keys'", "[2, 9, 4]", "[2, 8, 4]"});
  refused(*make({2, 8, 4}, {2, 8, 3}), {"'keys'", "[2, 8, 3]"});
  refused(*make({4, 8, 4}, {3, 8, 4}), {"'keys'", "3 heads", "4 heads"});
  refused(*make({2, 0, 4}, {2, 0, 4}), {"'queries'", "nothing in it"});
  refused(*make({1, 8193, 1}, {1, 8193, 1}), {"'queries'", "8193 positions", "8192"});
  auto half_plain = make({2, 8, 4}, {2, 8, 4});
  half_plain->add("queries_plain", {2, 8, 4});
  refused(*half_plain, {"no tensor 'keys_plain'"});
  auto bias = make({2, 8, 4}, {2, 8, 4});
  bias->add("bias", {3, 8, 8});
  refused(*bias, {"'bias'", "[3, 8, 8]", "[2, 8, 8]"});
  ForeignFile words;
  words.put("queries", {1, 2, 2}, std::vector<int32_t>{1, 2, 3, 4}).add("keys", {1, 2, 2});
  refused(words, {"'queries'", "I32"});
  ForeignFile nan;
  nan.put("queries", {1, 2, 2}, std::vector<float>{1, 2, NAN, 4}).add("keys", {1, 2, 2});
  refused(nan, {"'queries'", "number 2", "nan"});
  auto scale = make({2, 8, 4}, {2, 8, 4});
  scale->say("scale", "big");
  refused(*scale, {"'scale'", "big"});
  auto causal = make({2, 8, 4}, {2, 8, 4});
  causal->say("causal", "yes");
  refused(*causal, {"'causal'", "yes", "true or false"});
}

}  // namespace foreign_queries_test
}  // namespace phasor
