// The identities that make encodings what they are, on logits in double. See dense_logits.h for the formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "encoding/dense_logits.h"
#include "encoding/rotation_probe.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {
namespace identity_test {

using testing_support::counted_positions;
using testing_support::dense_logits;
using testing_support::DenseLogits;
using testing_support::embedded;
using testing_support::projected_logits;
using testing_support::query_width;
using testing_support::random_table;
using testing_support::settled;
using testing_support::TokenPositions;
using testing_support::traits_of;
using testing_support::turned_rows;

EncodingShape shape_of(int64_t positions, std::vector<int64_t> grid = {}) {
  return {.layers = 2, .heads = 4, .head_width = 8, .width = 16, .positions = positions, .grid = std::move(grid)};
}

// Entries differ by no more than `tolerance` times what their rounding is relative to.
void expect_equal_logits(const DenseLogits& one, const DenseLogits& other, double tolerance, const std::string& what) {
  ASSERT_EQ(one.logits.values.size(), other.logits.values.size()) << what;
  for (size_t e = 0; e < one.logits.values.size(); ++e) {
    ASSERT_NEAR(one.logits.values[e], other.logits.values[e], tolerance * (one.sizes.values[e] + other.sizes.values[e]))
        << what << ", entry " << e;
  }
}

// The same logits in every layer and head, for sequences that start at 0.
void expect_equal_encodings(const ResolvedEncoding& one, const ResolvedEncoding& other, double tolerance,
                            int64_t length = 12) {
  for (int64_t layer = 0; layer < one.shape.layers; ++layer) {
    for (int64_t head = 0; head < one.shape.heads; ++head) {
      expect_equal_logits(projected_logits(one, layer, head, counted_positions(one, length)),
                          projected_logits(other, layer, head, counted_positions(other, length)), tolerance,
                          one.expression + " and " + other.expression);
    }
  }
}

void expect_equal_encodings(const std::string& one, const std::string& other, double tolerance) {
  expect_equal_encodings(settled(one, shape_of(16)), settled(other, shape_of(16)), tolerance);
}

// A logit goes through two products with 16 channels and a turn, each rounded once per operation: some 50 times 1e-16
// of its size. 1e-12 leaves a factor of 100 for sizes that add up unevenly.
constexpr double kTolerance = 1e-12;

// --- Shifts ---------------------------------------------------------------------------------------

// Together they name every entry of the catalogue.
const std::vector<std::string> kRelative = {
    "nope",
    "alibi",
    "alibi(slopes=released)",
    "alibi(slopes=learned)",
    "t5",
    "t5(buckets=8,max_distance=6,sharing=layer,scale=one)",
    "relative",
    "relative(max_distance=3,sharing=model)",
    "kerple",
    "kerple(power)",
    "sandwich",
    "bias(\"-a*log(1+b*abs(d))*(1+h)/H+sin(l)\",a=1,b=learned(0.1,min=0.01))",
    "bias(\"-abs(d)/n\")",
    "fox",
    "fox(gate=bias)",
    "fox(gate=fixed,shortest=1,longest=20)",
    "cable",
    "selective_rope",
    "repo",
    "accumulated_random(spread=0)",
    "shaw",
    "shaw(max_distance=3,table=per_head)+rope",
    "transformer_xl",
    "transformer_xl(max_distance=5,sharing=layer)[heads=1]+alibi",
    "deberta(buckets=4,max_distance=8)",
    "deberta(p2c,buckets=0,max_distance=3,table=shared)+shaw(max_distance=2)",
    "rope",
    "rope(layout=half,fraction=0.5,base=100)",
    "rope(frequencies=learned)",
    "rope(frequencies=\"base^(-2*c/C)*(1+h)\",base=learned(10))",
    "rope(scaling=linear,factor=4)",
    "rope(scaling=ntk,factor=4)",
    "rope(scaling=dynamic,factor=2,original=8)",
    "rope(scaling=yarn,factor=4,original=64)",
    "rope(scaling=llama3,factor=4,original=64)",
    "rope(scaling=longrope,factor=2,original=8,short=\"1,1,1,2\",long=\"1,2,3,4\")",
    "rope(axes=2)",
    "rope(axes=2,map=mixed,frequencies=learned)",
    "rope(axes=2,map=sections,sections=\"1,3\",layout=half)",
    "rope(axes=2,map=interleaved)",
    "prope(0.5)",
    "xpos",
    "cope",
    "path",
    "self_extend(group=1,window=3)",
    "rerope(window=4)",
    "rerope(window=3,leak=0.5,layout=half)",
    "pope",
    "pope(phase=none,base=100)",
    "pope(phase=uniform,sharing=layer)",
    "mla",
    "mla(kv=5,q=7,rope=6,layout=half,query=shared)",
    "mla(rope=0)",
    "mla+scale(\"(0.1*m*log(f)+1)^2\",m=1,f=40)",
    "rope(fraction=0.5,scaling=yarn,factor=4,original=64,attention_on=logits)",
    "mla(scaling=yarn,factor=4,original=64,mscale=2,mscale_all_dim=1,attention_on=logits)",
    "scale(\"s*log(n)+h\",s=learned(1,per=head))",
    "rope+scale(\"s\",s=learned(2))[heads=0,3]",
    "randomized(rope+alibi,max=1024)",
    "rope[heads=0]+prope[heads=1]+xpos[heads=2]+t5+alibi[layers=1]",
};

const std::vector<std::string> kAbsolute = {
    "integer",
    "integer(normalised)",
    "binary",
    "binary(signed)",
    "sinusoidal",
    "sinusoidal(layout=halves,scale=learned(0.5))",
    "learned(init=1)",
    "random",
    "input(\"sin(i*(1+c))\")",
    "concat(sinusoidal,width=8)",
    "fire(hidden=8,threshold=3)",
    "bias(\"-abs(d)/(1+i)\")",
    "mla(table=released)",
    "rope+sinusoidal",
    "accumulated_random(base=100)",
    "randomized(learned(init=1),max=64)",
    "scale(\"1+i/(1+h)\")",
    "rope+scale(\"s*log(i+2)\",s=learned(1,per=head))",
    "llama4_scale(floor=8)",
    "self_extend(group=3,window=4)",
};

// Factors by the number of keys that a query sees: its position behind a mask, the sequence's length without.
const std::vector<std::string> kByKeysSeen = {"ssmax", "ssmax(s=fixed,b=1)", "logn(original=4)"};

// A list, and every entry that neither list names, by what it says of itself.
std::vector<std::string> with_others(std::vector<std::string> list, bool relative) {
  std::set<std::string> names;
  for (const auto* named : {&kRelative, &kAbsolute, &kByKeysSeen}) {
    for (const std::string& text : *named) {
      for (const Term& term : parse_encoding(text).terms) names.insert(term.name);
    }
  }
  for (const EncodingEntry& entry : encoding_catalogue()) {
    if (names.contains(entry.name)) continue;
    const Encoding encoding = parse_encoding(entry.example.empty() ? entry.name : entry.example);
    const std::string text = print(encoding);
    if (EncodingSum(encoding, text).traits().exactly_relative == relative) list.push_back(text);
  }
  return list;
}

// The largest change of a logit when all positions move together, relative to the logits' size.
double largest_change(const ResolvedEncoding& encoding, int64_t length, int64_t shift) {
  double result = 0.0;
  for (int64_t layer = 0; layer < encoding.shape.layers; ++layer) {
    for (int64_t head = 0; head < encoding.shape.heads; ++head) {
      const DenseLogits here = projected_logits(encoding, layer, head, counted_positions(encoding, length));
      const DenseLogits there = projected_logits(encoding, layer, head, counted_positions(encoding, length, shift));
      for (size_t e = 0; e < here.logits.values.size(); ++e) {
        const double change = std::abs(here.logits.values[e] - there.logits.values[e]);
        EXPECT_TRUE(std::isfinite(change)) << encoding.expression;
        if (change > 0.0) result = std::max(result, change / (here.sizes.values[e] + there.sizes.values[e]));
      }
    }
  }
  return result;
}

TEST(Identity, RelativeLogitsStayWhenAllPositionsMove) {
  constexpr int64_t kLength = 12;
  for (const std::string& text : with_others(kRelative, true)) {
    ASSERT_TRUE(traits_of(text).exactly_relative) << text;
    const ResolvedEncoding encoding = settled(text, shape_of(1000 + kLength, {1000 + kLength, 1000 + kLength}));
    for (const int64_t shift : {1, 17, 1000}) {
      EXPECT_LT(largest_change(encoding, kLength, shift), kTolerance) << text << " moved by " << shift;
    }
  }
}

TEST(Identity, AbsoluteLogitsDoNot) {
  constexpr int64_t kLength = 12;
  for (const std::string& text : with_others(kAbsolute, false)) {
    ASSERT_FALSE(traits_of(text).exactly_relative) << text;
    const ResolvedEncoding encoding = settled(text, shape_of(64));
    for (const int64_t shift : {1, 17}) {
      EXPECT_GT(largest_change(encoding, kLength, shift), 1e-3) << text << " moved by " << shift;
    }
  }
}

TEST(Identity, FactorsByTheKeysSeenMoveBehindAMaskAlone) {
  constexpr int64_t kLength = 12;
  for (const std::string& text : kByKeysSeen) {
    ASSERT_FALSE(traits_of(text).exactly_relative) << text;
    EncodingShape shape = shape_of(64);
    EXPECT_LT(largest_change(settled(text, shape), kLength, 17), kTolerance) << text;
    shape.causal = true;
    EXPECT_GT(largest_change(settled(text, shape), kLength, 17), 1e-3) << text;
  }
}

// --- Rotations ------------------------------------------------------------------------------------

struct Turn {
  std::string text;
  double factor;  // that the rule puts on turned queries and keys
};

// |A q| = factor |q| and |B k| = factor |k|, at every position and in every class of lengths.
TEST(Identity, RotationsKeepNormsUpToTheAttentionFactor) {
  const std::vector<Turn> turns = {
      {"rope", 1.0},
      {"rope(layout=half,base=50)", 1.0},
      {"rope(frequencies=learned)", 1.0},
      {"rope(frequencies=\"(1+c)*(1+h)/C\")", 1.0},
      {"prope(0.5)", 1.0},
      {"mla", 1.0},
      {"rope(scaling=linear,factor=4)", 1.0},
      {"rope(scaling=ntk,factor=4)", 1.0},
      {"rope(scaling=dynamic,factor=2,original=8)", 1.0},
      {"rope(scaling=llama3,factor=4,original=16)", 1.0},
      {"rope(scaling=yarn,factor=4,original=16)", 1.0 + 0.1 * std::log(4.0)},
      {"rope(scaling=yarn,factor=4,original=16,attention=1.5)", 1.5},
      {"rope(scaling=yarn,factor=4,original=16,attention=1.5,attention_on=logits)", 1.0},
      {"rope(scaling=yarn,factor=4,original=16,mscale=2,mscale_all_dim=1,attention_on=logits)",
       (1.0 + 0.2 * std::log(4.0)) / (1.0 + 0.1 * std::log(4.0))},
      {"rope(scaling=longrope,factor=2,original=16,short=\"1,1,1,2\",long=\"1,2,3,4\")",
       std::sqrt(1.0 + std::log(2.0) / std::log(16.0))},
      {"rope(axes=2)", 1.0},
      {"rope(axes=2,map=mixed)", 1.0},
      {"rope(axes=2,map=sections,sections=\"3,1\")", 1.0},
      {"rope(axes=4,map=interleaved,layout=half)", 1.0},
      {"rope(axes=2,scaling=yarn,factor=4,original=16)", 1.0 + 0.1 * std::log(4.0)},
  };
  for (const Turn& turn : turns) {
    const ResolvedEncoding encoding = settled(turn.text, shape_of(20, {20, 20, 20, 20}));
    const Rotation& rotation = *encoding.layers[1].rotation[2];
    for (const int64_t length : {5, 20}) {
      const Table x = random_table(length, query_width(encoding), 5);
      for (const auto* factors : {&rotation.query, &rotation.key}) {
        const Table y = turned_rows(rotation, *factors, x, counted_positions(encoding, length));
        for (int64_t t = 0; t < length; ++t) {
          double before = 0.0;
          double after = 0.0;
          for (int64_t c = rotation.first; c < x.columns; ++c) {
            before += x(t, c) * x(t, c);
            after += y(t, c) * y(t, c);
          }
          ASSERT_NEAR(std::sqrt(after), turn.factor * std::sqrt(before), 1e-14 * std::sqrt(before))
              << turn.text << ", token " << t << " of " << length;
        }
      }
    }
  }
}

// Channels 2c and 2c+1 become c and C/2 + c, of queries and keys alike; the other channels stay.
TEST(Identity, LayoutsDifferByAFixedPermutation) {
  for (const auto& [interleaved, half] : std::vector<std::pair<std::string, std::string>>{
           {"rope", "rope(layout=half)"},
           {"rope(fraction=0.5)", "rope(fraction=0.5,layout=half)"},
           {"rope(scaling=yarn,factor=4,original=16)", "rope(scaling=yarn,factor=4,original=16,layout=half)"},
           {"rope(axes=2,map=mixed)", "rope(axes=2,map=mixed,layout=half)"},
           {"prope(0.5)", "prope(0.5,layout=half)"},
           {"xpos", "xpos(layout=half)"},
           {"mla", "mla(layout=half)"}}) {
    const ResolvedEncoding one = settled(interleaved, shape_of(20, {20, 20}));
    const ResolvedEncoding other = settled(half, shape_of(20, {20, 20}));
    const Rotation& rotation = *one.layers[1].rotation[3];
    std::array<Table, 2> tables = {random_table(12, query_width(one), 6), random_table(12, query_width(one), 7)};
    std::array<Table, 2> permuted = tables;
    for (size_t side = 0; side < 2; ++side) {
      for (int64_t t = 0; t < 12; ++t) {
        for (int64_t c = 0; c < rotation.pairs; ++c) {
          permuted[side](t, rotation.first + c) = tables[side](t, rotation.first + 2 * c);
          permuted[side](t, rotation.first + rotation.pairs + c) = tables[side](t, rotation.first + 2 * c + 1);
        }
      }
    }
    const TokenPositions positions = counted_positions(one, 12);
    expect_equal_logits(dense_logits(one, 1, 3, tables[0], tables[1], positions),
                        dense_logits(other, 1, 3, permuted[0], permuted[1], positions), 1e-15 * query_width(one), half);
    // Without the permutation they differ.
    EXPECT_GT(std::abs(dense_logits(one, 1, 3, tables[0], tables[1], positions).logits(11, 2) -
                       dense_logits(other, 1, 3, tables[0], tables[1], positions).logits(11, 2)),
              1e-3)
        << half;
  }
}

// On a grid, logits are a function of the differences of the coordinates: one value for each (dx, dy).
TEST(Identity, LogitsOnAGridSeeDifferencesOfCoordinates) {
  for (const std::string text : {"rope(axes=2)", "rope(axes=2,map=mixed)", "rope(axes=2,map=mixed,frequencies=learned)",
                                 "rope(axes=2,map=sections,sections=\"1,3\")", "rope(axes=2,map=interleaved)",
                                 "rope(axes=2,layout=half,scaling=yarn,factor=4,original=16)"}) {
    const ResolvedEncoding encoding = settled(text, shape_of(30, {5, 6}));
    TokenPositions positions(2);
    for (int64_t t = 0; t < 30; ++t) {
      positions[0].push_back(t / 6);
      positions[1].push_back(t % 6);
    }
    // All tokens have the same query and the same key, so that nothing but position tells them apart.
    Table q = random_table(1, 8, 8);
    Table k = random_table(1, 8, 9);
    const auto repeat = [](const Table& row) {
      Table table(30, row.columns);
      for (int64_t t = 0; t < 30; ++t) std::copy(row.values.begin(), row.values.end(), &table(t, 0));
      return table;
    };
    const DenseLogits all = dense_logits(encoding, 1, 2, repeat(q), repeat(k), positions);
    std::map<std::pair<int64_t, int64_t>, double> by_difference;
    std::set<double> distinct;
    for (int64_t i = 0; i < 30; ++i) {
      for (int64_t j = 0; j < 30; ++j) {
        const auto [found, added] = by_difference.insert({{j / 6 - i / 6, j % 6 - i % 6}, all.logits(i, j)});
        ASSERT_NEAR(found->second, all.logits(i, j), kTolerance * all.sizes(i, j)) << text << ", " << i << " and " << j;
        if (added) distinct.insert(std::round(all.logits(i, j) * 1e9));
      }
    }
    EXPECT_EQ(by_difference.size(), 9u * 11u);
    EXPECT_EQ(distinct.size(), by_difference.size()) << text << " does not tell all differences apart";
  }
}

// --- Special cases --------------------------------------------------------------------------------

TEST(Identity, SpecialCasesAreWhatTheyAreSaidToBe) {
  expect_equal_encodings("prope(0)", "nope", 0.0);
  expect_equal_encodings("prope(1)", "rope", 0.0);
  expect_equal_encodings("rope[heads=none]", "nope", 0.0);
  expect_equal_encodings("alibi[layers=none]", "nope", 0.0);
  expect_equal_encodings("randomized(nope)", "nope", 0.0);
  expect_equal_encodings("learned(init=0)+rope", "rope+learned(init=0)", 0.0);
  expect_equal_encodings("xpos(scale=1)", "rope", 0.0);
  expect_equal_encodings("xpos(scale=1,base=50,layout=half)", "rope(base=50,layout=half)", 0.0);
  expect_equal_encodings("rope(scaling=yarn,factor=1,original=64)", "rope", 0.0);
  // Where all channels turn, it is the same whether the factor is on queries and keys or its square on the logits.
  expect_equal_encodings("rope(scaling=yarn,factor=4,original=8,attention_on=logits)",
                         "rope(scaling=yarn,factor=4,original=8)", kTolerance);
  expect_equal_encodings(
      "rope(scaling=longrope,factor=2,original=8,short=\"1,1,1,2\",long=\"1,2,3,4\",attention_on=logits)",
      "rope(scaling=longrope,factor=2,original=8,short=\"1,1,1,2\",long=\"1,2,3,4\")", kTolerance);
  expect_equal_encodings("mla(scaling=yarn,factor=4,original=8,mscale=1,mscale_all_dim=1)+scale(\"(0.1*log(4)+1)^2\")",
                         "mla(scaling=yarn,factor=4,original=8,mscale=1,mscale_all_dim=1,attention_on=logits)",
                         kTolerance);
  expect_equal_encodings("mla(scaling=linear,factor=1)", "mla", 0.0);
  expect_equal_encodings("scale(\"1\")", "nope", 0.0);
  expect_equal_encodings("scale(\"1+0*i\")+rope", "rope", 0.0);
  expect_equal_encodings("scale(\"i+1\")+scale(\"2/(1+h)\")+scale(\"n\")", "scale(\"(i+1)*2/(1+h)*n\")", kTolerance);
  expect_equal_encodings("ssmax(s=fixed,start=0.3,b=0.5)", "scale(\"0.3*log(n)+0.5\")", 0.0);
  expect_equal_encodings("logn(original=100)", "nope", 0.0);
  expect_equal_encodings("llama4_scale(floor=100)", "nope", 0.0);
  expect_equal_encodings("rope(scaling=linear,factor=1)", "rope", 0.0);
  expect_equal_encodings("rope(scaling=ntk,factor=1)", "rope", 0.0);
  expect_equal_encodings("rope(scaling=dynamic,factor=1,original=64)", "rope", 0.0);
  expect_equal_encodings("rope(scaling=llama3,factor=1,original=64)", "rope", kTolerance);
  expect_equal_encodings("rope(scaling=longrope,factor=1,original=8,short=\"1,1,1,1\",long=\"1,1,1,1\")", "rope", 0.0);
}

TEST(Identity, KerpleWithPowerOneIsAlibi) {
  const ResolvedEncoding kerple = resolve(parse_encoding("kerple(power)"), shape_of(16));
  ParameterValues values = initial_values(kerple, 1);
  for (size_t k = 0; k < values.size(); ++k) {
    for (size_t head = 0; head < 4; ++head) {
      const bool exponent = kerple.parameters[k].name.ends_with(".r2");
      values[k][head] = exponent ? 1.0 : std::exp2(-2.0 * static_cast<double>(head + 1));  // 2^(-8 (h+1) / 4)
    }
  }
  expect_equal_encodings(with_values(kerple, values), settled("alibi", shape_of(16)), 0.0);
  values[1][2] = 1.0 + 1e-6;
  EXPECT_GT(
      std::abs(projected_logits(with_values(kerple, values), 0, 2, counted_positions(kerple, 12)).logits(0, 11) -
               projected_logits(settled("alibi", shape_of(16)), 0, 2, counted_positions(kerple, 12)).logits(0, 11)),
      1e-9);
}

// Latents or not, there is nothing of position in the logits: s = 1 / sqrt(head width) and the product of content.
TEST(Identity, MlaWithoutRotaryChannelsHasContentAlone) {
  const ResolvedEncoding encoding = settled("mla(rope=0)", shape_of(16));
  const Table q = random_table(12, 8, 10);
  const Table k = random_table(12, 8, 11);
  const DenseLogits logits = dense_logits(encoding, 1, 3, q, k, counted_positions(encoding, 12));
  for (int64_t i = 0; i < 12; ++i) {
    for (int64_t j = 0; j < 12; ++j) {
      double product = 0.0;
      for (int64_t c = 0; c < 8; ++c) product += q(i, c) * k(j, c);
      ASSERT_NEAR(logits.logits(i, j), product / std::sqrt(8.0), 1e-15 * 8 * logits.sizes(i, j));
    }
  }
}

// With rotary channels there is content and position, and the scale counts both.
TEST(Identity, MlaIsContentPlusRopeOnItsOwnChannels) {
  const ResolvedEncoding mla = settled("mla(rope=6,base=50)", shape_of(16));
  EncodingShape narrow = shape_of(16);
  narrow.head_width = 6;
  const ResolvedEncoding rope = settled("rope(base=50)", narrow);
  const Table q = random_table(12, 8 + 6, 12);
  const Table k = random_table(12, 8 + 6, 13);
  const auto columns = [](const Table& table, int64_t first, int64_t count) {
    Table part(table.rows, count);
    for (int64_t r = 0; r < part.rows; ++r) {
      for (int64_t c = 0; c < count; ++c) part(r, c) = table(r, first + c);
    }
    return part;
  };
  const TokenPositions positions = counted_positions(mla, 12);
  const DenseLogits all = dense_logits(mla, 0, 1, q, k, positions);
  const DenseLogits position = dense_logits(rope, 0, 1, columns(q, 8, 6), columns(k, 8, 6), positions);
  for (int64_t i = 0; i < 12; ++i) {
    for (int64_t j = 0; j < 12; ++j) {
      double content = 0.0;
      for (int64_t c = 0; c < 8; ++c) content += q(i, c) * k(j, c);
      const double expected = (content + position.logits(i, j) * std::sqrt(6.0)) / std::sqrt(14.0);
      ASSERT_NEAR(all.logits(i, j), expected, 1e-15 * 14 * all.sizes(i, j));
    }
  }
}

// --- Biases ---------------------------------------------------------------------------------------

// Without content, logits are the bias: equal along diagonals, bit for bit, at any values of the parameters, and also
// where another term asks for tables by query and length.
TEST(Identity, RelativeBiasesAreToeplitz) {
  int seen = 0;
  for (const std::string& text : with_others(kRelative, true)) {
    if (traits_of(text).coupling != Coupling::toeplitz_bias) continue;
    ++seen;
    for (const std::string& form : {text, text + "+bias(\"0*i*n\")"}) {
      const ResolvedEncoding encoding = settled(form, shape_of(16), /*seed=*/5);
      const Table zero(12, 8);
      for (int64_t layer = 0; layer < 2; ++layer) {
        for (int64_t head = 0; head < 4; ++head) {
          const Table bias = dense_logits(encoding, layer, head, zero, zero, counted_positions(encoding, 12)).logits;
          std::set<double> distinct;
          for (int64_t i = 0; i < 12; ++i) {
            for (int64_t j = 0; j < 12; ++j) {
              ASSERT_EQ(bias(i, j), i > 0 && j > 0 ? bias(i - 1, j - 1) : bias(i, j)) << form << ", " << i << ", " << j;
              distinct.insert(bias(i, j));
            }
          }
          EXPECT_GT(distinct.size(), 3u) << form << " is nearly constant";
        }
      }
    }
  }
  EXPECT_GE(seen, 12);
}

// --- Lengths --------------------------------------------------------------------------------------

// A sequence's logits depend on its own length, not on the longest one that the model can take, and so on no other
// sequence of its batch.
TEST(Identity, LengthDependentLogitsAreTheSequencesOwn) {
  for (const std::string text :
       {"integer(normalised)", "input(\"i/n+c\")", "bias(\"-abs(d)/n\")", "bias(\"d*i/n\")",
        "rope(scaling=dynamic,factor=2,original=4)",
        "rope(scaling=longrope,factor=2,original=4,short=\"1,1,1,2\",long=\"1,2,3,4\")",
        "integer(normalised)+bias(\"a*d/n\",a=learned(1))+rope(scaling=dynamic,factor=3,original=2)"}) {
    ASSERT_TRUE(traits_of(text).depends_on_length) << text;
    const ResolvedEncoding large = settled(text, shape_of(20));
    for (int64_t length = 1; length <= 9; ++length) {
      for (const int64_t longest : {length, length + 3}) {
        expect_equal_encodings(settled(text, shape_of(longest)), large, 0.0, length);
      }
    }
    // And they do depend on it.
    const Table alone = projected_logits(large, 0, 1, counted_positions(large, 4)).logits;
    const Table longer = projected_logits(large, 0, 1, counted_positions(large, 5)).logits;
    double difference = 0.0;
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 4; ++j) difference = std::max(difference, std::abs(alone(i, j) - longer(i, j)));
    }
    EXPECT_GT(difference, 1e-6) << text;
  }
}

// --- Sinusoidal -----------------------------------------------------------------------------------

// P(p + k) = M_k P(p) for all p, with M_k a rotation of each (sine, cosine) plane in closed form.
TEST(Identity, AShiftOfSinusoidalIsOneLinearMap) {
  constexpr int64_t kWidth = 16;
  for (const std::string text :
       {"sinusoidal", "sinusoidal(layout=halves)", "sinusoidal(base=100,scale=3)", "sinusoidal(scale=learned(1))"}) {
    const ResolvedEncoding encoding = settled(text, shape_of(300));
    const bool halves = text.find("halves") != std::string::npos;
    const double base = text.find("100") == std::string::npos ? 10000.0 : 100.0;
    for (const int64_t shift : {1, 7, 100}) {
      Table map(kWidth, kWidth);
      for (int64_t c = 0; c < kWidth / 2; ++c) {
        const double angle = static_cast<double>(shift) * std::pow(base, -2.0 * static_cast<double>(c) / kWidth);
        const int64_t sine = halves ? c : 2 * c;
        const int64_t cosine = halves ? kWidth / 2 + c : 2 * c + 1;
        map(sine, sine) = map(cosine, cosine) = std::cos(angle);
        map(sine, cosine) = std::sin(angle);  // sin(a + b) = sin a cos b + cos a sin b
        map(cosine, sine) = -std::sin(angle);
      }
      const Table nothing(300 - shift, kWidth);
      const Table here = embedded(encoding, nothing, counted_positions(encoding, 300 - shift));
      const Table there = embedded(encoding, nothing, counted_positions(encoding, 300 - shift, shift));
      const Table mapped = testing_support::projected(here, map);
      for (size_t e = 0; e < there.values.size(); ++e) {
        ASSERT_NEAR(there.values[e], mapped.values[e], 3.0 * kTolerance) << text << " moved by " << shift;
      }
    }
  }
}

// --- Formulas -------------------------------------------------------------------------------------

TEST(Identity, FormulasCanBeTheBuiltInEncodings) {
  expect_equal_encodings("bias(\"-2^(-8*(h+1)/H)*abs(d)\")", "alibi", 0.0);
  expect_equal_encodings("bias(\"-exp(-h/H)*abs(d)\")", "alibi(slopes=released)", kTolerance);
  expect_equal_encodings("bias(\"H/(8*(h+1))*(cos(d)+cos(d/10))\")", "sandwich(channels=4,base=100)", kTolerance);
  expect_equal_encodings("bias(\"0*d\")", "nope", 0.0);
  expect_equal_encodings("rope(frequencies=\"base^(-2*c/C)\",base=10000)", "rope", 0.0);
  expect_equal_encodings("rope(frequencies=\"100^(-2*c/C)/4\",fraction=0.5)",
                         "rope(scaling=linear,factor=4,base=100,fraction=0.5)", kTolerance);
  expect_equal_encodings("rope(frequencies=\"(c<C/4)*base^(-2*c/C)\",base=50)", "prope(0.5,base=50)", 0.0);
  expect_equal_encodings("input(\"sin(i*base^(-2*floor(c/2)/C)+pi/2*(c-2*floor(c/2)))\",base=10000)", "sinusoidal",
                         kTolerance);
  expect_equal_encodings("input(\"sin(i*50^(-2*(c-C/2*(c>=C/2))/C)+pi/2*(c>=C/2))\")",
                         "sinusoidal(base=50,layout=halves)", kTolerance);
  expect_equal_encodings("input(\"i\")", "integer", 0.0);
  expect_equal_encodings("input(\"i/max(n-1,1)\")", "integer(normalised)", 0.0);
  expect_equal_encodings("input(\"(c<4)*(floor(i/2^c)-2*floor(i/2^(c+1)))\")", "binary", 0.0);
}

// With the same numbers in the same tensors.
TEST(Identity, FormulasCanBeKerple) {
  for (const auto& [kind, formula] :
       std::vector<std::pair<std::string, std::string>>{{"log", "-r1*log(1+r2*abs(d))"}, {"power", "-r1*abs(d)^r2"}}) {
    const ResolvedEncoding kerple = resolve(parse_encoding("kerple(" + kind + ")"), shape_of(16));
    const ResolvedEncoding bias = resolve(
        parse_encoding("bias(\"" + formula + "\",r1=learned(1,per=head),r2=learned(1,per=head))"), shape_of(16));
    ASSERT_EQ(kerple.parameters.size(), bias.parameters.size());
    const ParameterValues values = initial_values(kerple, 9);
    expect_equal_encodings(with_values(kerple, values), with_values(bias, values), 0.0);
  }
}

// --- Sums -----------------------------------------------------------------------------------------

// Places add up: the logits of a sum are those of its rotation plus its biases.
TEST(Identity, BiasesAddToWhatRotationsGive) {
  const EncodingShape shape = shape_of(16);
  const ResolvedEncoding sum = settled("rope[heads=0-1]+alibi+t5(scale=one)[heads=1-2]", shape);
  const ResolvedEncoding rope = settled("rope[heads=0-1]", shape);
  const ResolvedEncoding t5 = settled("t5(scale=one)[heads=1-2]", shape);
  const Table zero(12, 8);
  const TokenPositions positions = counted_positions(sum, 12);
  for (int64_t head = 0; head < 4; ++head) {
    const Table q = random_table(12, 8, 14);
    const Table k = random_table(12, 8, 15);
    const double scale = head == 1 || head == 2 ? std::sqrt(8.0) : 1.0;
    const DenseLogits all = dense_logits(sum, 0, head, q, k, positions);
    const Table turned = dense_logits(rope, 0, head, q, k, positions).logits;
    const Table learned = dense_logits(t5, 0, head, zero, zero, positions).logits;
    for (int64_t i = 0; i < 12; ++i) {
      for (int64_t j = 0; j < 12; ++j) {
        const double slope = std::exp2(-2.0 * static_cast<double>(head + 1));
        const double expected = scale * turned(i, j) - slope * std::abs(static_cast<double>(j - i)) + learned(i, j);
        ASSERT_NEAR(all.logits(i, j), expected, 1e-14 * all.sizes(i, j)) << "head " << head << ", " << i << ", " << j;
      }
    }
  }
}

}  // namespace identity_test
}  // namespace phasor
