// Encodings alone, against the formulas of their entries.
#include "phasor/spectrum/encoding_content.h"

#include "linalg/matrices.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/spectrum/head_report.h"
#include "support/backend.h"

namespace phasor {
namespace encoding_content_test {

using namespace testing_support;
using Logits = std::vector<std::vector<HeadLogits>>;

Logits logits_of(const std::string& text, const EncodingContent& content, int64_t positions = 48) {
  const Encoding encoding = parse_encoding(text);
  EncodingShape shape = usual_shape(encoding);
  if (shape.grid.empty()) shape.positions = positions;
  return encoding_logits(test_backend(), encoding, shape, content);
}

TEST(EncodingAlone, RopeIsTheRotationOfItsPlainQueriesAndHasTheRankOfItsWidth) {
  const Logits logits = logits_of("rope", {.draws = 2});
  ASSERT_EQ(logits.size(), 2u);
  ASSERT_EQ(logits[0].size(), 4u);
  for (const HeadLogits& head : logits[1]) {
    // Factors are in fp32; a position of 47 costs the angle's rounding, and that of its cosine.
    EXPECT_LT(largest_difference(head.query, rotated(head.plain_query, frequencies(16))), 1e-5);
    EXPECT_LT(largest_difference(head.key, rotated(head.plain_key, frequencies(16))), 1e-5);
    EXPECT_EQ(head.scale, 0.25);
    EXPECT_LE(spectrum(head.logits()).singular.numerical_rank, 16);
  }
  EXPECT_GT(largest_difference(logits[0][0].query, logits[1][0].query), 0.1);
  EXPECT_GT(largest_difference(logits[0][0].query, logits[0][1].query), 0.1);
  EXPECT_EQ(logits_of("rope", {.draws = 2})[1][3].query.values(), logits[1][3].query.values());
  EXPECT_NE(logits_of("rope", {.draws = 2, .seed = 1})[1][3].query.values(), logits[1][3].query.values());
}

TEST(EncodingAlone, GaussianContentHasUnitVariance) {
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (const std::vector<HeadLogits>& draw : logits_of("nope", {.draws = 4})) {
    for (const HeadLogits& head : draw) {
      for (const Dense* x : {&head.query, &head.key}) {
        for (const double value : x->values()) {
          sum += value;
          squares += value * value;
          count += 1.0;
        }
      }
    }
  }
  EXPECT_NEAR(sum / count, 0.0, 5.0 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1.0, 5.0 * std::sqrt(2.0 / count));
}

TEST(EncodingAlone, AlibiIsItsSlopesAndWithSharedContentNothingElse) {
  const Logits logits = logits_of("alibi", {.kind = ContentKind::shared});
  for (size_t h = 0; h < 4; ++h) {
    const HeadLogits& head = logits[0][h];
    const double slope = std::exp2(-2.0 * static_cast<double>(h + 1));
    const Dense expected =
        made(48, 48, [&](int64_t i, int64_t j) { return -slope * std::abs(static_cast<double>(i - j)); });
    EXPECT_LT(largest_difference(head.bias, expected), 1e-6 * 48.0);
    EXPECT_NEAR(HeadReporter(48, false).report(head).relative.r2, 1.0, 1e-9);
  }
}

TEST(EncodingAlone, ContentKinds) {
  const Logits shared = logits_of("rope", {.kind = ContentKind::shared});
  for (const HeadLogits& head : shared[0]) {
    for (int64_t i = 1; i < 48; ++i) {
      for (int64_t c = 0; c < 16; ++c) {
        ASSERT_EQ(head.plain_query(i, c), head.plain_query(0, c));
        ASSERT_EQ(head.plain_key(i, c), head.plain_key(0, c));
      }
    }
    EXPECT_NE(head.plain_query(0, 0), head.plain_key(0, 0));
    EXPECT_NEAR(toeplitz_share(head.logits()).share, 1.0, 1e-9);
  }
  const Logits psd = logits_of("rope", {.kind = ContentKind::psd});
  for (const HeadLogits& head : psd[0]) {
    EXPECT_EQ(head.plain_query.values(), head.plain_key.values());
    EXPECT_GE(spectrum(head.plain_products()).symmetric->values.front(),
              -1e-12 * frobenius_norm(head.plain_products()));
  }
  EXPECT_NE(error_of([] { read_content_kind("--content", "gausian"); }).find("gaussian"), std::string::npos);
}

// One frequency and content that is its own key: the spectrum is within that of the complex content Gram.
TEST(EncodingAlone, OneFrequencyWithPsdContentContractsAsTheoryHasIt) {
  const Logits logits = logits_of("rope(frequencies=\"0.3\")", {.kind = ContentKind::psd});
  for (const HeadLogits& head : logits[0]) {
    bool found = false;
    for (const BoundCheck& check : HeadReporter(48, false).report(head).checks) {
      if (check.name != "one frequency, complex Gram") continue;
      found = true;
      EXPECT_STREQ(check.verdict(), "holds");
      EXPECT_LE(check.measured, check.bound);
    }
    EXPECT_TRUE(found);
  }
}

TEST(EncodingAlone, DecoupledKeysShareTheirRotaryChannels) {
  const Logits logits = logits_of("mla", {});
  const HeadLogits& first = logits[0][0];
  const HeadLogits& second = logits[0][1];
  ASSERT_EQ(first.query.columns(), 32);
  ASSERT_EQ(first.decoupled_from, 16);
  for (int64_t i = 0; i < 48; ++i) {
    for (int64_t c = 16; c < 32; ++c) {
      ASSERT_EQ(first.key(i, c), second.key(i, c));
      ASSERT_NE(first.query(i, c), second.query(i, c));
    }
    ASSERT_NE(first.key(i, 0), second.key(i, 0));
  }
}

TEST(EncodingAlone, InputTermsActThroughTheModel) {
  const EncodingContent one_word{.kind = ContentKind::shared};
  // One word everywhere: what differs between rows is position.
  const HeadLogits sinusoidal = logits_of("sinusoidal", one_word)[0][0];
  EXPECT_GT(largest_difference(sinusoidal.query, logits_of("nope", one_word)[0][0].query), 0.1);
  double moved = 0.0;
  for (int64_t c = 0; c < 16; ++c) moved = std::max(moved, std::abs(sinusoidal.query(5, c) - sinusoidal.query(0, c)));
  EXPECT_GT(moved, 0.01);
  EXPECT_TRUE(content_is_words(resolve(parse_encoding("sinusoidal+rope"), usual_shape(parse_encoding("rope")))));
  EXPECT_FALSE(content_is_words(resolve(parse_encoding("rope"), usual_shape(parse_encoding("rope")))));
}

TEST(EncodingAlone, ServesEveryEntryOfTheCatalogue) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const std::string text = shown_expression(entry);
    for (const ContentKind kind : {ContentKind::gaussian, ContentKind::shared, ContentKind::psd}) {
      const Logits logits = logits_of(text, {.kind = kind}, 32);
      for (const HeadLogits& head : logits[0]) require_head(head, text);
    }
  }
}

TEST(EncodingAlone, RefusesLayersAndDrawsThatThereAreNot) {
  EXPECT_NE(error_of([] { logits_of("rope", {.layer = 2}); }).find("no layer 2"), std::string::npos);
  EXPECT_NE(error_of([] { logits_of("rope", {.draws = 0}); }).find("0 draws"), std::string::npos);
}

}  // namespace encoding_content_test
}  // namespace phasor
