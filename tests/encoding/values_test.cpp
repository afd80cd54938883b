#include "phasor/encoding/resolve/values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "encoding/input_terms.h"
#include "encoding/rotation_probe.h"
#include "phasor/formula/formula.h"

namespace phasor {
namespace values_test {

using testing_support::resolve_text;
using testing_support::rotation_shape;
using testing_support::values_of;

TEST(Values, AGatherReadsEntriesByIndex) {
  Table table(2, 3);
  table.values = {1, 2, 3, 4, 5, 6};
  GatherSource source;
  source.parameter = 1;
  source.index = {2, -1, 0, 0, 1, -1};
  add_source(table, source, {{99.0}, {10.0, 20.0, 30.0}});
  EXPECT_EQ(table.values, (std::vector<double>{31, 2, 13, 14, 25, 6}));
}

// Rows of group g read number g * stride; a row of group -1 and columns outside its range are left alone.
FormulaSource small_source() {
  FormulaSource source;
  source.program = Formula::parse("a*r+b*c").compile(
      {.row_variables = {"r"}, .column_variables = {"c"}, .parameters = {"a", "b"}, .constants = {}});
  source.row_values = Table(1, 3);
  source.row_values.values = {1, 2, 3};
  source.column_values = Table(1, 4);
  source.column_values.values = {10, 20, 30, 40};
  source.row_group = {1, -1, 0};
  source.columns = {{0, 4}, {0, 4}, {1, 3}};
  source.arguments = {{.parameter = 0, .stride = 1}, {.parameter = 1, .stride = 0}};
  return source;
}

TEST(Values, AFormulaHasRowsColumnsAndGroups) {
  Table table(3, 4);
  std::fill(table.values.begin(), table.values.end(), 0.5);
  add_source(table, small_source(), {{100.0, 1000.0}, {2.0}});
  EXPECT_EQ(table.values, (std::vector<double>{1020.5, 1040.5, 1060.5, 1080.5,  // 1000 * 1 + 2 c
                                               0.5, 0.5, 0.5, 0.5,              // not touched
                                               0.5, 340.5, 360.5, 0.5}));       // 100 * 3 + 2 c, two columns
}

// output_o = bias2_o + sum_k weight2_ok relu(weight1_k x + bias1_k), for the heads named.
TEST(Values, ANetworkMakesARowPerHead) {
  MlpSource source;
  source.x = small_source();
  source.x.row_group = {1, 1, 1};
  source.x.columns = {};
  source.heads = {2, 0};
  source.weight1 = 2;
  source.bias1 = 3;
  source.weight2 = 4;
  source.bias2 = 5;
  const ParameterValues values = {{0, 1}, {2}, {1, -1}, {-40, 30}, {3, 5, 7, 11}, {0.25, 0.75}};
  Table table(3 * 3, 4);  // three heads of three rows
  add_source(table, source, values);
  const auto relu = [](double z) { return z > 0.0 ? z : 0.0; };
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t c = 0; c < 4; ++c) {
      const double x = static_cast<double>(r + 1) + 20.0 * static_cast<double>(c + 1);
      EXPECT_EQ(table(2 * 3 + r, c), 0.25 + 3.0 * relu(x - 40.0) + 5.0 * relu(30.0 - x));
      EXPECT_EQ(table(0 * 3 + r, c), 0.75 + 7.0 * relu(x - 40.0) + 11.0 * relu(30.0 - x));
      EXPECT_EQ(table(1 * 3 + r, c), 0.0);
    }
  }
}

TEST(Values, NothingIsLeftToLearn) {
  const ResolvedEncoding encoding = resolve_text(
      "learned+t5+kerple[layers=0]+rope(frequencies=learned)[heads=0]+rope(frequencies=\"f*c\",f=learned(1))[heads=1]",
      rotation_shape(8, 6));
  const ParameterValues values = initial_values(encoding, 1);
  const ResolvedEncoding settled = with_values(encoding, values);
  EXPECT_TRUE(settled.input->learned.empty());
  for (const LayerEncoding& layer : settled.layers) {
    EXPECT_TRUE(layer.bias->learned.empty());
    for (size_t head = 0; head < 2; ++head) {
      EXPECT_TRUE(layer.rotation[head]->learned.empty());
      EXPECT_EQ(layer.rotation[head]->query.size(), 6u * 4u);
    }
  }
  EXPECT_EQ(settled.parameters, encoding.parameters) << "the list of tensors stays";
  // Once settled, other values change nothing.
  ParameterValues others = values;
  for (std::vector<double>& list : others) std::fill(list.begin(), list.end(), 7.0);
  EXPECT_EQ(with_values(settled, others).input->fixed, settled.input->fixed);
  EXPECT_EQ(with_values(settled, others).layers[0].bias->fixed, settled.layers[0].bias->fixed);
  // The encoding itself still says what is learned.
  EXPECT_FALSE(encoding.input->learned.empty());
}

TEST(Values, WhatIsSharedStaysShared) {
  const ResolvedEncoding encoding = resolve_text("t5+rope(frequencies=learned)", rotation_shape(8, 6));
  const ResolvedEncoding settled = with_values(encoding, initial_values(encoding, 1));
  EXPECT_EQ(settled.layers[0].bias, settled.layers[1].bias);
  EXPECT_EQ(settled.layers[0].rotation[0], settled.layers[0].rotation[2]);
  EXPECT_NE(settled.layers[0].rotation[0], settled.layers[1].rotation[0]) << "each layer trains its own";
}

TEST(Values, LearnedFrequenciesMakeFactors) {
  const ResolvedEncoding encoding = resolve_text("rope(frequencies=learned)", rotation_shape(8, 6));
  ParameterValues values = initial_values(encoding, 1);
  values_of(values, encoding, "layers.1.encoding.rope.frequencies") = {0.5, -2.0, 0.0, 3.25};
  const Rotation rotation = *with_values(encoding, values).layers[1].rotation[2];
  EXPECT_EQ(rotation.frequencies.values, (std::vector<double>{0.5, -2.0, 0.0, 3.25}));
  for (int64_t p = 0; p < 6; ++p) {
    for (size_t c = 0; c < 4; ++c) {
      const std::complex<double> expected = std::polar(1.0, static_cast<double>(p) * rotation.frequencies.values[c]);
      const size_t at = static_cast<size_t>(p) * 4 + c;
      ASSERT_LT(std::abs(rotation.query[at] - expected), 1e-15) << p << ", " << c;
      ASSERT_EQ(rotation.query[at], rotation.key[at]);
    }
  }
}

TEST(Values, FactorsHaveTheirMagnitude) {
  Table frequencies(2, 1);
  frequencies.values = {0.3, 0.7};
  const std::vector<std::complex<double>> factors = rotation_factors(frequencies, 3, 2.5);
  ASSERT_EQ(factors.size(), 6u);
  for (size_t r = 0; r < 2; ++r) {
    for (size_t p = 0; p < 3; ++p) {
      const std::complex<double> expected = std::polar(2.5, static_cast<double>(p) * frequencies.values[r]);
      EXPECT_LT(std::abs(factors[r * 3 + p] - expected), 1e-15);
    }
  }
}

TEST(Values, InitialValuesGoByNameAndSeed) {
  const ResolvedEncoding alone = resolve_text("kerple", rotation_shape(8, 6));
  const ResolvedEncoding among = resolve_text("learned+t5+kerple+rope(frequencies=learned)", rotation_shape(8, 6));
  ParameterValues one = initial_values(alone, 5);
  ParameterValues other = initial_values(among, 5);
  ParameterValues reseeded = initial_values(alone, 6);
  for (const std::string name : {"layers.0.encoding.kerple.r1", "layers.1.encoding.kerple.r2"}) {
    EXPECT_EQ(values_of(one, alone, name), values_of(other, among, name)) << name;
    EXPECT_NE(values_of(one, alone, name), values_of(reseeded, alone, name)) << name;
  }
  EXPECT_NE(values_of(one, alone, "layers.0.encoding.kerple.r1"), values_of(one, alone, "layers.1.encoding.kerple.r1"));
  for (size_t k = 0; k < among.parameters.size(); ++k) {
    EXPECT_EQ(static_cast<int64_t>(other[k].size()), among.parameters[k].size()) << among.parameters[k].name;
  }
}

// What a tensor starts from lies within what it is kept within.
TEST(Values, InitialValuesLieWithinTheirBounds) {
  const ResolvedEncoding encoding =
      resolve_text("kerple+kerple(power)+bias(\"a*d\",a=learned(3,min=2.5,max=3.5))", rotation_shape(8, 6));
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const ParameterValues values = initial_values(encoding, seed);
    for (size_t k = 0; k < values.size(); ++k) {
      for (const double value : values[k]) {
        ASSERT_GE(value, encoding.parameters[k].least) << encoding.parameters[k].name;
        ASSERT_LE(value, encoding.parameters[k].most) << encoding.parameters[k].name;
      }
    }
  }
}

}  // namespace values_test
}  // namespace phasor
