#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "encoding/rotation_probe.h"

namespace phasor {
namespace rope_scaling_test {

using namespace phasor::testing_support;

constexpr double kRounding = 0x1p-53;

void expect_frequencies(const Rotation& r, int64_t row, const Vector& expected) {
  ASSERT_EQ(r.pairs, static_cast<int64_t>(expected.size()));
  for (int64_t c = 0; c < r.pairs; ++c) {
    const double w = expected[static_cast<size_t>(c)];
    EXPECT_NEAR(r.frequencies(row, c), w, 32 * kRounding * w) << c;  // a power, whose exponent is rounded
  }
}

TEST(RopeScaling, AFactorOfOneChangesNothing) {
  const auto plain = rotation("rope", 16, 40);
  for (const char* text : {"rope(scaling=linear)", "rope(scaling=ntk)", "rope(scaling=yarn,original=64)",
                           "rope(scaling=yarn,original=64,truncate=no)", "rope(scaling=llama3,original=1000)",
                           "rope(scaling=dynamic,original=64,factor=3)"}) {
    const auto r = rotation(text, 16, 40);
    EXPECT_EQ(r->frequencies, plain->frequencies) << text;
    EXPECT_EQ(r->query, plain->query) << text;
    EXPECT_EQ(r->key, plain->key) << text;
  }
}

TEST(RopeScaling, LinearIsRopeOfSmallerPositions) {
  const auto scaled = rotation("rope(scaling=linear,factor=4)", 16, 41);
  const auto plain = rotation("rope", 16, 11);
  for (int64_t p = 0; p < 11; ++p) {
    for (int64_t c = 0; c < 8; ++c) {
      EXPECT_LT(std::abs(factor(*scaled, scaled->query, {4 * p}, c) - factor(*plain, plain->query, {p}, c)), 1e-15);
    }
  }
}

// What NTK-aware scaling is made for: the fastest pair stays, the slowest is stretched by the factor.
TEST(RopeScaling, NtkStretchesTheSlowestPairByTheFactor) {
  const auto plain = rotation("rope", 16, 2);
  const auto scaled = rotation("rope(scaling=ntk,factor=5)", 16, 2);
  EXPECT_EQ(scaled->frequencies(0, 0), 1.0);
  EXPECT_NEAR(scaled->frequencies(0, 7), plain->frequencies(0, 7) / 5, 64 * kRounding * plain->frequencies(0, 7));
  for (int64_t c = 2; c < 8; ++c) {  // and the frequencies are geometric still
    EXPECT_NEAR(scaled->frequencies(0, c) / scaled->frequencies(0, c - 1), scaled->frequencies(0, 1), 1e-14);
  }
  EXPECT_EQ(rotation("rope(scaling=ntk,factor=5)", 2, 2)->frequencies(0, 0), 1.0);
}

// Numbers of an independent computation with 40 digits.
TEST(RopeScaling, YarnRampsFromFastToSlowPairs) {
  expect_frequencies(*rotation("rope(scaling=yarn,factor=4,original=4096)", 16, 2), 0,
                     {1.0, 0.31622776601683793, 0.1, 0.025693505988868082, 0.00625, 0.001383496476323666, 0.00025,
                      7.9056941504209483e-5});
  expect_frequencies(*rotation("rope(scaling=yarn,factor=4,original=4096,truncate=no)", 16, 2), 0,
                     {1.0, 0.31622776601683793, 0.1, 0.028613608811988896, 0.0065569715211294348, 0.001285632030726688,
                      0.00025, 7.9056941504209483e-5});
  expect_frequencies(*rotation("rope(scaling=yarn,factor=16,original=64,beta_fast=16,beta_slow=2)", 16, 2), 0,
                     {1.0, 0.16799600069644515, 0.00625, 0.0019764235376052371, 0.000625, 0.00019764235376052371,
                      6.25e-5, 1.9764235376052371e-5});
}

// All pairs of base 2 turn more than 32 times within 4096 positions, none but the first of base 10000 turns at all
// within 1.
TEST(RopeScaling, YarnStretchesNothingFastAndEverythingSlow) {
  EXPECT_EQ(rotation("rope(base=2,scaling=yarn,factor=4,original=4096)", 16, 2)->frequencies,
            rotation("rope(base=2)", 16, 2)->frequencies);
  const auto slow = rotation("rope(scaling=yarn,factor=4,original=1)", 16, 2);
  const auto plain = rotation("rope", 16, 2);
  for (int64_t c = 1; c < 8; ++c) EXPECT_EQ(slow->frequencies(0, c), plain->frequencies(0, c) / 4) << c;
}

TEST(RopeScaling, Llama3StretchesWhatTurnsLessThanOnce) {
  expect_frequencies(*rotation("rope(base=500000,scaling=llama3,factor=8,original=8192)", 16, 2), 0,
                     {1.0, 0.19392274474868577, 0.037606030930863936, 0.007292664737217109, 0.00052484616099295467,
                      3.4281021959525915e-5, 6.6478698711812358e-6, 1.2891731721515574e-6});
}

// --- Rules that go by length ---------------------------------------------------------------------

TEST(RopeScaling, DynamicHasAClassForEachLengthBeyondTheOriginal) {
  const auto r = rotation("rope(scaling=dynamic,factor=2,original=64)", 16, 100);
  ASSERT_EQ(r->classes, 37);
  ASSERT_EQ(r->class_of_length.size(), 101u);
  for (size_t n = 0; n <= 64; ++n) EXPECT_EQ(r->class_of_length[n], 0) << n;
  for (size_t n = 65; n <= 100; ++n) EXPECT_EQ(r->class_of_length[n], static_cast<int32_t>(n) - 64) << n;
  ASSERT_EQ(r->frequencies.rows, 37);
  ASSERT_EQ(r->query.size(), 37u * 100u * 8u);

  const auto plain = rotation("rope", 16, 100);
  expect_frequencies(*r, 0, plain->frequencies.values);
  expect_frequencies(*r, 36,
                     {1.0, 0.28394513884825068, 0.080624841875552355, 0.022893031920971969, 0.0065003651274578206,
                      0.0018457470786803376, 0.00052409091053464152, 0.00014881306636086491});
  for (int64_t k = 1; k < 37; ++k) {  // the slowest pair is stretched by factor * n / original - (factor - 1)
    const double stretch = 2.0 * static_cast<double>(64 + k) / 64.0 - 1.0;
    EXPECT_NEAR(r->frequencies(k, 7) * stretch, plain->frequencies(0, 7), 1e-14 * plain->frequencies(0, 7)) << k;
  }
  EXPECT_TRUE(traits_of("rope(scaling=dynamic,original=64)").depends_on_length);
  EXPECT_FALSE(traits_of("rope(scaling=yarn,original=64)").depends_on_length);
}

TEST(RopeScaling, LengthsThatStayWithinTheOriginalAreOneClass) {
  for (const char* text : {"rope(scaling=dynamic,factor=2,original=100)",
                           "rope(scaling=longrope,original=100,short=\"1,1\",long=\"2,2\")"}) {
    const auto r = rotation(text, 4, 100);
    EXPECT_EQ(r->classes, 1) << text;
    EXPECT_TRUE(r->class_of_length.empty()) << text;
    EXPECT_EQ(r->query, rotation("rope", 4, 100)->query) << text;
  }
}

TEST(RopeScaling, LongropeSwitchesListsBehindTheOriginalLength) {
  const auto r =
      rotation("rope(base=16,scaling=longrope,factor=4,original=64,short=\"1,2,4,8\",long=\"2,1,8,16\")", 8, 66);
  ASSERT_EQ(r->classes, 2);
  ASSERT_EQ(r->class_of_length.size(), 67u);
  EXPECT_EQ(r->class_of_length[1], 0);
  EXPECT_EQ(r->class_of_length[64], 0);
  EXPECT_EQ(r->class_of_length[65], 1);
  EXPECT_EQ(r->class_of_length[66], 1);
  expect_frequencies(*r, 0, {1.0, 1.0 / 4, 1.0 / 16, 1.0 / 64});  // 16^(-2c/8) = 2^-c
  expect_frequencies(*r, 1, {1.0 / 2, 1.0 / 2, 1.0 / 32, 1.0 / 128});
  EXPECT_NEAR(std::abs(factor(*r, r->query, {65}, 3, 1)), std::sqrt(4.0 / 3.0), 1e-15);  // sqrt(1 + log 4 / log 64)
}

TEST(RopeScaling, LogitsOfOneLengthAreUnchangedByShifts) {
  const Vector q = random_vector(16, 2);
  const Vector k = random_vector(16, 3);
  const double size = std::sqrt(dot(q, q) * dot(k, k));
  const std::string ones = "\"1,1,1,1,1,1,1,1\"";
  for (const std::string& text :
       {std::string("rope(scaling=dynamic,factor=2,original=1020)"),
        "rope(scaling=longrope,original=64,factor=2,short=" + ones + ",long=\"1,2,3,4,5,6,7,8\")"}) {
    const auto r = rotation(text, 16, 1041);
    for (const int64_t length_class : {int64_t{0}, r->classes - 1}) {
      const double expected = logit(*r, q, k, {3}, {17}, length_class);
      for (const int64_t base : {1, 17, 1000}) {
        EXPECT_NEAR(logit(*r, q, k, {base + 3}, {base + 17}, length_class), expected, 2e-12 * size)
            << text << " " << base;
      }
    }
  }
}

// --- Attention factors ---------------------------------------------------------------------------

TEST(RopeScaling, AttentionFactorsAreOnTurnedChannelsAlone) {
  const auto magnitude = [](const std::string& more) {
    return rotation("rope(scaling=yarn,original=64" + more + ")", 16, 4)->magnitude;
  };
  EXPECT_NEAR(magnitude(",factor=4"), 1.1386294361119891, 1e-15);  // 0.1 log 4 + 1
  EXPECT_EQ(magnitude(",factor=4,attention=0.875"), 0.875);
  EXPECT_EQ(magnitude(",factor=4,mscale=1,mscale_all_dim=1"), 1.0);
  EXPECT_NEAR(magnitude(",factor=4,mscale=1,mscale_all_dim=0.75"), 1.1386294361119891 / 1.1039720770839918, 1e-15);
  EXPECT_EQ(rotation("rope(scaling=ntk,factor=4)", 16, 4)->magnitude, 1.0);

  const auto r = rotation("rope(scaling=yarn,original=64,factor=4,fraction=0.5)", 16, 30);
  for (size_t e = 0; e < r->query.size(); ++e) {
    EXPECT_NEAR(std::abs(r->query[e]), 1.1386294361119891, 1e-15);
    EXPECT_EQ(r->query[e], r->key[e]);
  }
  const Vector x = random_vector(16, 4);
  const Vector y = turned(*r, r->query, {29}, x);
  for (size_t c = 8; c < 16; ++c) EXPECT_EQ(y[c], x[c]);
}

// --- Errors --------------------------------------------------------------------------------------

TEST(RopeScaling, RefusesArgumentsThatItsRuleDoesNotUse) {
  EXPECT_EQ(parse_error("rope(factor=4)"),
            "encoding 'rope(factor=4)': column 13: rope: factor belongs to "
            "scaling=linear|ntk|dynamic|yarn|llama3|longrope, not to scaling=none");
  EXPECT_EQ(parse_error("rope(scaling=linear,original=64)"),
            "encoding 'rope(scaling=linear,original=64)': column 30: rope: original belongs to "
            "scaling=dynamic|yarn|llama3|longrope, not to scaling=linear");
  EXPECT_EQ(parse_error("rope(scaling=llama3,original=64,beta_fast=8)"),
            "encoding 'rope(scaling=llama3,original=64,beta_fast=8)': column 43: rope: beta_fast belongs to "
            "scaling=yarn, not to scaling=llama3");
  EXPECT_EQ(parse_error("rope(scaling=ntk,attention=2)"),
            "encoding 'rope(scaling=ntk,attention=2)': column 28: rope: attention belongs to scaling=yarn|longrope, "
            "not to scaling=ntk");
  for (const char* argument :
       {"beta_slow=2", "truncate=no", "mscale=1", "mscale_all_dim=1", "low=2", "high=5", "short=\"1\"", "long=\"1\""}) {
    const std::string error = parse_error(fmt::format("rope(scaling=linear,{})", argument));
    EXPECT_NE(error.find(" belongs to scaling="), std::string::npos) << error;
  }
  EXPECT_EQ(print(parse_encoding("rope(factor=1,original=0,beta_fast=32)")), "rope");  // defaults say nothing
}

TEST(RopeScaling, SaysWhatARuleNeeds) {
  for (const char* rule : {"dynamic", "yarn", "llama3", "longrope"}) {
    EXPECT_EQ(parse_error(fmt::format("rope(scaling={})", rule)),
              fmt::format("encoding 'rope(scaling={0})': column 14: rope: scaling={0} needs original: the length that "
                          "the frequencies were meant for",
                          rule));
  }
  EXPECT_EQ(
      parse_error("rope(scaling=longrope,original=8)"),
      "encoding 'rope(scaling=longrope,original=8)': column 14: rope: scaling=longrope needs short: one divisor per "
      "turning pair, for sequences up to the original length");
  EXPECT_EQ(error_of([] { rotation("rope(scaling=longrope,original=8,short=\"1,1\",long=\"1,2,3\")", 4, 9); }),
            "encoding 'rope(scaling=longrope,original=8,short=\"1,1\",long=\"1,2,3\")': column 1: long must have one "
            "number per turning pair, 2, not 3");
  EXPECT_EQ(parse_error("rope(scaling=yarn,original=8,beta_fast=1,beta_slow=2)"),
            "encoding 'rope(scaling=yarn,original=8,beta_fast=1,beta_slow=2)': column 40: rope: beta_fast must be at "
            "least beta_slow");
  EXPECT_EQ(parse_error("rope(base=1,scaling=yarn,original=8)"),
            "encoding 'rope(base=1,scaling=yarn,original=8)': column 11: rope: scaling=yarn needs a base above 1");
  EXPECT_EQ(parse_error("rope(scaling=yarn,original=8,mscale=1)"),
            "encoding 'rope(scaling=yarn,original=8,mscale=1)': column 37: rope: mscale and mscale_all_dim need each "
            "other");
  EXPECT_EQ(
      parse_error("rope(scaling=yarn,original=8,attention=2,mscale=1,mscale_all_dim=1)"),
      "encoding 'rope(scaling=yarn,original=8,attention=2,mscale=1,mscale_all_dim=1)': column 40: rope: attention "
      "takes the place of mscale and mscale_all_dim; leave out either");
  EXPECT_EQ(parse_error("rope(scaling=llama3,original=8,low=5)"),
            "encoding 'rope(scaling=llama3,original=8,low=5)': column 36: rope: high must be above low");
  EXPECT_EQ(
      parse_error("rope(scaling=longrope,original=1,short=\"1\",long=\"1\")"),
      "encoding 'rope(scaling=longrope,original=1,short=\"1\",long=\"1\")': column 32: rope: scaling=longrope needs "
      "an original length of 2 or more");
  EXPECT_EQ(parse_error("rope(frequencies=learned,scaling=dynamic,original=8)"),
            "encoding 'rope(frequencies=learned,scaling=dynamic,original=8)': column 34: rope: scaling=dynamic goes by "
            "length, which learned frequencies cannot");
  EXPECT_EQ(
      parse_error("rope(scaling=dynamic,original=8,axes=2)"),
      "encoding 'rope(scaling=dynamic,original=8,axes=2)': column 14: rope: scaling=dynamic goes by length, which "
      "coordinates do not have");
}

TEST(RopeScaling, RefusesTablesThatNoMachineHolds) {
  EXPECT_EQ(error_of([] { rotation("rope(scaling=dynamic,factor=2,original=1)", 64, 8192); }),
            "encoding 'rope(scaling=dynamic,factor=2,original=1)': column 1: rope(scaling=dynamic,factor=2,original=1) "
            "needs a table of 16.0 GiB: 8192 positions in each of 8192 classes of lengths; the most is 1 GiB");
}

}  // namespace rope_scaling_test
}  // namespace phasor
