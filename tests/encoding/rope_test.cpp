#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "encoding/rotation_probe.h"
#include "phasor/base/phase.h"
#include "phasor/encoding/entries/frequencies.h"

namespace phasor {
namespace rope_test {

using namespace phasor::testing_support;

const std::vector<std::string> kVariants = {"rope",
                                            "rope(layout=half)",
                                            "rope(fraction=0.5)",
                                            "rope(base=500000)",
                                            "rope(base=100,layout=half,fraction=0.25)",
                                            "rope(frequencies=\"1/(1+c)\")",
                                            "rope(frequencies=\"a*base^(-2*c/C)+h/100\",a=2)",
                                            "rope(scaling=linear,factor=4)",
                                            "rope(scaling=ntk,factor=4)",
                                            "rope(scaling=llama3,factor=8,original=512)"};

TEST(Rope, HasTheFrequenciesOfThePaper) {
  const auto r = rotation("rope", 8, 4);
  ASSERT_EQ(r->pairs, 4);
  EXPECT_EQ(r->first, 0);
  EXPECT_FALSE(r->halves);
  EXPECT_EQ(r->classes, 1);
  EXPECT_TRUE(r->class_of_length.empty());
  const Vector expected = {1.0, 0.1, 0.01, 0.001};  // 10000^(-2c/8)
  for (int64_t c = 0; c < 4; ++c) EXPECT_NEAR(r->frequencies(0, c), expected[static_cast<size_t>(c)], 1e-15) << c;
}

TEST(Rope, TurnsPairsByPositionTimesFrequency) {
  const Vector x = random_vector(8, 1);
  const auto r = rotation("rope(base=16)", 8, 20);
  for (const int64_t p : {0, 1, 17, 19}) {
    const Vector y = turned(*r, r->query, {p}, x);
    for (size_t c = 0; c < 4; ++c) {
      const double angle = static_cast<double>(p) * std::exp2(-static_cast<double>(c));  // 16^(-2c/8) = 2^-c
      EXPECT_NEAR(y[2 * c], std::cos(angle) * x[2 * c] - std::sin(angle) * x[2 * c + 1], 1e-14) << p << ", " << c;
      EXPECT_NEAR(y[2 * c + 1], std::sin(angle) * x[2 * c] + std::cos(angle) * x[2 * c + 1], 1e-14) << p << ", " << c;
    }
  }
}

TEST(Rope, LogitsAreUnchangedWhenBothPositionsShift) {
  const Vector q = random_vector(16, 2);
  const Vector k = random_vector(16, 3);
  const double size = std::sqrt(dot(q, q) * dot(k, k));
  for (const std::string& text : kVariants) {
    const auto r = rotation(text, 16, 1100);
    for (const auto& [i, j] : {std::pair<int64_t, int64_t>{3, 17}, {17, 3}, {0, 40}, {9, 9}}) {
      const double expected = logit(*r, q, k, {i}, {j});
      for (const int64_t base : {0, 1, 17, 1000}) {
        EXPECT_NEAR(logit(*r, q, k, {base + i}, {base + j}), expected, 1e-12 * size) << text << " at " << base;
      }
    }
  }
}

TEST(Rope, LogitsSeeTheDistanceAndItsSign) {
  const Vector q = random_vector(16, 2);
  const Vector k = random_vector(16, 3);
  const auto r = rotation("rope", 16, 64);
  std::set<double> values;
  for (int64_t j = 0; j < 64; ++j) values.insert(logit(*r, q, k, {32}, {j}));
  EXPECT_EQ(values.size(), 64u);
}

// Sixteen products, each exact to a few ulps.
TEST(Rope, KeepsNorms) {
  const Vector q = random_vector(16, 4);
  for (const std::string& text : kVariants) {
    const auto r = rotation(text, 16, 1001);
    for (const int64_t p : {0, 1, 17, 1000}) {
      const Vector y = turned(*r, r->query, {p}, q);
      EXPECT_NEAR(dot(y, y), dot(q, q), 1e-14 * dot(q, q)) << text << " at " << p;
    }
  }
}

TEST(Rope, DoesNothingAtPositionZero) {
  const Vector q = random_vector(16, 5);
  for (const std::string& text : kVariants) {
    const auto r = rotation(text, 16, 2);
    EXPECT_EQ(turned(*r, r->query, {0}, q), q) << text;
    EXPECT_NE(turned(*r, r->query, {1}, q), q) << text;
  }
}

// Channel 2c of the interleaved layout is channel c of the other, 2c + 1 is pairs + c.
TEST(Rope, LayoutsAreEqualUpToAFixedPermutation) {
  const Vector x = random_vector(16, 6);
  const auto interleaved = rotation("rope", 16, 50);
  const auto half = rotation("rope(layout=half)", 16, 50);
  ASSERT_TRUE(half->halves);
  const auto permuted = [](const Vector& v) {
    Vector result(v.size());
    for (size_t c = 0; c < v.size() / 2; ++c) {
      result[c] = v[2 * c];
      result[v.size() / 2 + c] = v[2 * c + 1];
    }
    return result;
  };
  for (const int64_t p : {1, 17, 49}) {
    EXPECT_EQ(permuted(turned(*interleaved, interleaved->query, {p}, x)), turned(*half, half->query, {p}, permuted(x)));
  }
}

TEST(Rope, AFractionTurnsTheFirstChannelsOnTheirOwnGrid) {
  const auto quarter = rotation("rope(fraction=0.25)", 64, 3);
  const auto small = rotation("rope", 16, 3);
  EXPECT_EQ(quarter->first, 0);
  EXPECT_EQ(quarter->pairs, 8);
  EXPECT_EQ(quarter->frequencies, small->frequencies);
  EXPECT_EQ(rotation("rope(fraction=0.3)", 16, 3)->pairs, 2);  // 4.8 channels
  EXPECT_EQ(rotation("rope(fraction=0.2)", 16, 3)->pairs, 1);  // 3.2 channels
  EXPECT_EQ(rotation("rope(fraction=0.58)", 100, 3)->pairs, 29);
}

TEST(Rope, PhasesAreRightAtAnyLength) {
  for (const int64_t position : {int64_t{1}, int64_t{4095}, int64_t{1} << 20, (int64_t{1} << 20) + 1}) {
    for (const double frequency : geometric_frequencies(10000.0, 64)) {
      // The 64-bit mantissa loses 1e6 * 2^-64 = 6e-14 radians at most.
      const long double angle = static_cast<long double>(position) * static_cast<long double>(frequency);
      const std::complex<double> turn = phase(position, frequency);
      EXPECT_NEAR(turn.real(), static_cast<double>(std::cos(angle)), 2e-13) << position << ", " << frequency;
      EXPECT_NEAR(turn.imag(), static_cast<double>(std::sin(angle)), 2e-13) << position << ", " << frequency;
    }
  }
}

// Shift invariance a million tokens out, where position * frequency alone has lost 1e-10 radians.
TEST(Rope, DistantPhasesDifferAsNearOnesDo) {
  const int64_t far = int64_t{1} << 20;
  for (const double frequency : geometric_frequencies(10000.0, 64)) {
    const std::complex<double> near_step = phase(17, frequency) * std::conj(phase(3, frequency));
    const std::complex<double> far_step = phase(far + 17, frequency) * std::conj(phase(far + 3, frequency));
    EXPECT_LT(std::abs(near_step - far_step), 1e-12) << frequency;
  }
}

// As a device holds them: no two of a million positions have the same row of floats.
TEST(Rope, PositionsStayDistinctInFloatTables) {
  const int64_t positions = int64_t{1} << 20;
  const auto r = rotation("rope", 4, positions);
  std::vector<std::array<float, 4>> rows(static_cast<size_t>(positions));
  for (size_t p = 0; p < rows.size(); ++p) {
    for (size_t c = 0; c < 2; ++c) {
      const std::complex<double> turn = r->query[2 * p + c];
      rows[p][2 * c] = static_cast<float>(turn.real());
      rows[p][2 * c + 1] = static_cast<float>(turn.imag());
    }
  }
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
}

// --- Formulas and learned frequencies ------------------------------------------------------------

void expect_same_frequencies(const Rotation& a, const Rotation& b, double roundings) {
  ASSERT_EQ(a.frequencies.values.size(), b.frequencies.values.size());
  for (size_t c = 0; c < a.frequencies.values.size(); ++c) {
    const double expected = b.frequencies.values[c];
    EXPECT_NEAR(a.frequencies.values[c], expected, roundings * 0x1p-53 * expected) << c;
  }
}

// The exponent is rounded once more or less: |log w| <= 11.5 times as much in w.
TEST(Rope, AFormulaGivesTheSameFrequencies) {
  for (const std::string& base : {std::string("10000"), std::string("100000")}) {
    const auto formula = rotation("rope(frequencies=\"base^(-2*c/C)\",base=" + base + ")", 32, 9);
    const auto built_in = rotation("rope(base=" + base + ")", 32, 9);
    expect_same_frequencies(*formula, *built_in, 32);
    for (size_t e = 0; e < built_in->query.size(); ++e)
      EXPECT_LT(std::abs(formula->query[e] - built_in->query[e]), 1e-13);
  }
}

TEST(Rope, AFormulaSeesHeadsAndLayers) {
  const ResolvedEncoding encoding =
      resolve(parse_encoding("rope(frequencies=\"(1+h+10*l)*s^c/(H*L)\",s=0.5)"), rotation_shape(4, 3));
  for (int64_t l = 0; l < 2; ++l) {
    for (int64_t h = 0; h < 3; ++h) {
      const Table& w = encoding.layers[static_cast<size_t>(l)].rotation[static_cast<size_t>(h)]->frequencies;
      const double expected = static_cast<double>(1 + h + 10 * l) / 6.0;
      EXPECT_NEAR(w(0, 0), expected, 1e-15 * expected);
      EXPECT_NEAR(w(0, 1), 0.5 * expected, 1e-15 * expected);
    }
  }
}

TEST(Rope, TheBaseCanBeTrainedInAFormula) {
  const ResolvedEncoding encoding =
      resolve(parse_encoding("rope(frequencies=\"base^(-2*c/C)\",base=learned(100,min=2))"), rotation_shape(16, 5));
  ASSERT_EQ(encoding.parameters.size(), 2u);
  EXPECT_EQ(encoding.parameters[1].name, "layers.1.encoding.rope.base");
  EXPECT_EQ(encoding.parameters[1].shape, std::vector<int64_t>{1});
  EXPECT_EQ(encoding.parameters[1].least, 2.0);
  EXPECT_FALSE(encoding.layers[1].rotation[2]->learned.empty());
  EXPECT_TRUE(encoding.layers[1].rotation[2]->query.empty());
  expect_same_frequencies(*with_values(encoding, {{100.0}, {100.0}}).layers[0].rotation[0],
                          *rotation("rope(base=100)", 16, 5), 32);
  expect_same_frequencies(*with_values(encoding, {{100.0}, {50.0}}).layers[1].rotation[0],
                          *rotation("rope(base=50)", 16, 5), 32);
  EXPECT_TRUE(traits_of("rope(frequencies=\"base^(-2*c/C)\",base=learned(100))").learnable);
  EXPECT_FALSE(traits_of("rope(frequencies=\"base^(-2*c/C)\",base=100)").learnable);
}

TEST(Rope, LearnedFrequenciesStartFromTheFixedOnes) {
  const EncodingShape shape = rotation_shape(16, 7);
  const ResolvedEncoding encoding = resolve(parse_encoding("rope(base=500,fraction=0.5,frequencies=learned)"), shape);
  ASSERT_EQ(encoding.parameters.size(), 2u);
  EXPECT_EQ(encoding.parameters[0].name, "layers.0.encoding.rope.frequencies");
  EXPECT_EQ(encoding.parameters[1].name, "layers.1.encoding.rope.frequencies");
  EXPECT_EQ(encoding.parameters[1].shape, std::vector<int64_t>{4});
  const auto fixed = rotation("rope(base=500,fraction=0.5)", shape);
  const auto start = started("rope(base=500,fraction=0.5,frequencies=learned)", shape);
  EXPECT_EQ(start->frequencies, fixed->frequencies);
  EXPECT_EQ(start->query, fixed->query);
  EXPECT_EQ(start->key, fixed->key);
  // Layers are trained apart.
  const Vector other = {0.5, 0.25, 0.125, 0.0625};
  const ResolvedEncoding trained = with_values(encoding, {fixed->frequencies.values, other});
  EXPECT_EQ(trained.layers[0].rotation[1]->query, fixed->query);
  EXPECT_EQ(trained.layers[1].rotation[1]->frequencies.values, other);
  EXPECT_TRUE(traits_of("rope(frequencies=learned)").learnable);
}

// A rule's attention factor is no part of what is trained.
TEST(Rope, LearnedFrequenciesKeepTheAttentionFactor) {
  const EncodingShape shape = rotation_shape(16, 7);
  const std::string yarn = "rope(scaling=yarn,factor=4,original=64";
  const auto start = started(yarn + ",frequencies=learned)", shape);
  EXPECT_EQ(start->query, rotation(yarn + ")", shape)->query);
  EXPECT_NEAR(std::abs(start->query[11]), 1.1386294361119891, 1e-15);
}

// --- Errors --------------------------------------------------------------------------------------

TEST(Rope, RefusesHeadsThatHaveNoPairs) {
  const auto error = [](const std::string& text, int64_t head_width) {
    return error_of([&] { rotation(text, head_width, 4); });
  };
  EXPECT_EQ(error("alibi+rope", 7),
            "encoding 'alibi+rope': column 7: rope turns pairs of channels, so the head width must be even, not 7");
  EXPECT_EQ(error("rope(fraction=0.1)", 16),
            "encoding 'rope(fraction=0.1)': column 1: fraction 0.1 of 16 channels is less than one pair; the least is "
            "0.125");
  EXPECT_EQ(error("rope(fraction=0)", 16),
            "encoding 'rope(fraction=0)': column 1: fraction 0 of 16 channels is less than one pair; the least is "
            "0.125");
  EXPECT_EQ(error("rope", 2), "no error");
}

TEST(Rope, OtherNamesAreForFormulasOnly) {
  EXPECT_EQ(parse_error("alibi+rope(bse=100)"),
            "encoding 'alibi+rope(bse=100)': column 12: rope has no argument 'bse'; did you mean 'base'?");
  EXPECT_EQ(
      parse_error("rope(base=10,frequencies=learned,a=2)"),
      "encoding 'rope(base=10,frequencies=learned,a=2)': column 34: rope has no argument 'a'; known: base, layout, "
      "fraction, frequencies, scaling, factor, original, beta_fast, beta_slow, truncate, low, high, attention, "
      "attention_on, "
      "mscale, mscale_all_dim, short, long, axes, map, sections");
  EXPECT_EQ(parse_error("rope(frequencies=\"a^(-c)\",a=2)"), "no error");
}

TEST(Rope, TheBaseIsLearnedInAFormulaOnly) {
  EXPECT_EQ(parse_error("rope(base=learned(100))"),
            "encoding 'rope(base=learned(100))': column 11: rope: base can be learned only in a formula, such as "
            "frequencies=\"base^(-2*c/C)\"; frequencies=learned trains each of them");
  EXPECT_EQ(parse_error("rope(base=5,frequencies=\"1/(1+c)\")"),
            "encoding 'rope(base=5,frequencies=\"1/(1+c)\")': column 25: the formula does not use 'base'");
}

TEST(Rope, FormulasAreRefusedWhereTheyWouldMeanNothing) {
  EXPECT_EQ(parse_error("rope(frequencies=\"1/c\",scaling=linear)"),
            "encoding 'rope(frequencies=\"1/c\",scaling=linear)': column 32: rope: scaling stretches rope's own "
            "frequencies; write it into the formula instead");
  EXPECT_EQ(parse_error("rope(frequencies=\"1/c\",axes=2)"),
            "encoding 'rope(frequencies=\"1/c\",axes=2)': column 29: rope: a formula gives the frequencies of one axis "
            "only");
  const std::string unknown = "encoding 'rope(frequencies=\"1/x\")': column 21: unknown name 'x'";
  EXPECT_EQ(parse_error("rope(frequencies=\"1/x\")").substr(0, unknown.size()), unknown);
  EXPECT_NE(error_of([] { rotation("rope(frequencies=\"1/c\")", 4, 2); }).find("the formula gives inf at c=0"),
            std::string::npos);
  EXPECT_EQ(parse_error("rope(frequencies=fast)"),
            "encoding 'rope(frequencies=fast)': column 18: rope: unknown frequencies 'fast'; known: fixed, learned");
}

}  // namespace rope_test
}  // namespace phasor
