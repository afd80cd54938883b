// The table of rotary pairs, against closed forms and against numbers that Hugging Face transformers computed.
#include "phasor/encoding/measure/rotary_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <set>

#include "encoding/huggingface_fixture.h"
#include "phasor/base/json_fields.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/values.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace rotary_pairs_test {

using testing_support::HuggingfaceFixture;
using testing_support::rope_expression;
using testing_support::RopeFrequencies;
using Change = RotaryPair::Change;

constexpr double kRounding = std::numeric_limits<double>::epsilon() / 2.0;
constexpr double kTurn = 2.0 * std::numbers::pi;

std::vector<RotaryPairs> pairs_of(const std::string& text, const EncodingShape& shape, uint64_t seed = 0) {
  const ResolvedEncoding resolved = resolve(parse_encoding(text), shape);
  return rotary_pairs(with_values(resolved, initial_values(resolved, seed)));
}

EncodingShape shape_of(int64_t head_width, int64_t positions, bool factors = true) {
  return {.layers = 2,
          .heads = 2,
          .head_width = head_width,
          .width = 2 * head_width,
          .positions = positions,
          .causal = true,
          .factors = factors};
}

// What the published rules do to a pair, from how often it turns within the original length: thresholds alone, in
// another form than the library or the encoding have them. Nothing for a pair within rounding of a threshold.
std::optional<Change> published_change(const RopeFrequencies& entry, size_t c, double unscaled) {
  if (entry.type == "default" || entry.type == "proportional") return Change::none;
  if (entry.type == "longrope") {
    const double divisor = entry.sequence_length > entry.original_length ? entry.long_factor[c] : entry.short_factor[c];
    return divisor == 1.0 ? Change::kept : divisor > 1.0 ? Change::stretched : Change::quickened;
  }
  if (entry.factor == 1.0 && entry.type != "dynamic") return Change::kept;
  if (entry.type == "linear") return Change::stretched;
  if (entry.type == "dynamic") {
    if (entry.sequence_length <= entry.original_length) return Change::kept;
    const size_t last = entry.frequencies.size() - 1;
    return c == 0 ? Change::kept : c == last ? Change::stretched : Change::ramped;
  }
  const double turns = static_cast<double>(entry.original_length) * unscaled / kTurn;
  if (entry.type == "llama3") {
    if (turns >= entry.high_frequency_factor) return Change::kept;
    return turns <= entry.low_frequency_factor ? Change::stretched : Change::ramped;
  }
  // yarn: the ramp runs over pair numbers, between those that turn beta_fast and beta_slow times.
  const double pairs = static_cast<double>(entry.frequencies.size());
  const auto number_of = [&](double count) {
    return pairs * std::log(static_cast<double>(entry.original_length) / (count * kTurn)) / std::log(entry.base);
  };
  double first = number_of(entry.beta_fast), last = number_of(entry.beta_slow);
  if (entry.truncate) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  const double number = static_cast<double>(c);
  if (number <= std::max(first, 0.0)) return Change::kept;
  return number >= last ? Change::stretched : Change::ramped;
}

TEST(RotaryPairs, AreThoseOfHuggingFace) {
  constexpr double kTolerance = 300.0 * kRounding;  // as for the frequencies themselves (huggingface_test.cpp)
  std::set<Change> changes;
  for (const RopeFrequencies& entry : HuggingfaceFixture().rope()) {
    const std::string text = rope_expression(entry);
    SCOPED_TRACE(entry.name + ": " + text);
    const int64_t length = entry.sequence_length > 0 ? entry.sequence_length : 16;
    const std::vector<RotaryPairs> groups = pairs_of(text, shape_of(entry.head_width, length, /*factors=*/false));
    ASSERT_EQ(groups.size(), 1u);
    const RotaryPairs& group = groups[0];
    ASSERT_EQ(group.pairs.size(), entry.frequencies.size());
    EXPECT_NEAR(group.attention_factor, entry.attention_factor, kTolerance);
    const double channels = 2.0 * static_cast<double>(entry.frequencies.size());
    for (size_t c = 0; c < group.pairs.size(); ++c) {
      const RotaryPair& pair = group.pairs[c];
      const double expected = entry.frequencies[c];
      EXPECT_NEAR(pair.frequency, expected, kTolerance * expected) << c;
      if (expected == 0.0) {
        EXPECT_EQ(pair.wavelength, std::numeric_limits<double>::infinity());
        continue;
      }
      EXPECT_NEAR(pair.wavelength, kTurn / expected, kTolerance * pair.wavelength) << c;
      EXPECT_NEAR(pair.turns, static_cast<double>(length) / pair.wavelength, kTolerance * pair.turns) << c;
      const double unscaled = std::pow(entry.base, -2.0 * static_cast<double>(c) / channels);
      EXPECT_NEAR(pair.unscaled, unscaled, kTolerance * unscaled) << c;
      EXPECT_EQ(pair.change, published_change(entry, c, unscaled)) << c << ": slowed by " << pair.slowed();
      changes.insert(pair.change);
    }
  }
  EXPECT_EQ(changes.size(), 4u) << "none, kept, ramped and stretched all occur";
}

// Without factors there are frequencies of the longest sequences alone: the same ones.
TEST(RotaryPairs, NeedNoTables) {
  for (const char* text : {"rope", "prope(p=0.5)", "xpos", "mla(rope=8)", "rope(frequencies=learned)",
                           "rope(frequencies=\"a/(1+c)\",a=learned(2))", "randomized(rope,max=1048576)",
                           "rope(scaling=dynamic,factor=3,original=40)", "rope(scaling=yarn,factor=4,original=64)"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(write_json(pairs_of(text, shape_of(16, 100))), write_json(pairs_of(text, shape_of(16, 100, false))));
    const auto bare = resolve(parse_encoding(text), shape_of(16, 1 << 20, false)).layers[0].rotation[0];
    EXPECT_TRUE(bare->query.empty() && bare->key.empty());
  }
}

TEST(RotaryPairs, NameTheirChannelsAxesAndHeads) {
  EXPECT_EQ(pairs_of("rope", shape_of(8, 16))[0].pairs[1].channel, 2);
  const RotaryPairs half = pairs_of("rope(layout=half)", shape_of(8, 16))[0];
  EXPECT_EQ(half.pairs[1].channel, 1);
  EXPECT_EQ(half.pairs[1].partner, 5);
  EXPECT_EQ(pairs_of("mla(rope=8)", shape_of(8, 16))[0].pairs[1].channel, 10) << "beside the head's own eight";
  const auto two = pairs_of("rope[heads=0]+prope(p=0.5)[heads=1]", shape_of(8, 16));
  ASSERT_EQ(two.size(), 2u);
  ASSERT_EQ(two[1].where.size(), 2u);
  EXPECT_EQ(two[1].where[1].layer, 1);
  EXPECT_EQ(two[1].where[1].heads, (std::vector<int64_t>{1}));
  EXPECT_EQ(two[1].pairs[3].turns, 0.0);
  EncodingShape grid = shape_of(8, 32);
  grid.grid = {4, 8};
  const RotaryPairs axial = pairs_of("rope(axes=2)", grid)[0];
  EXPECT_EQ(axial.pairs[0].axis, 0);
  EXPECT_EQ(axial.pairs[2].axis, 1);
  EXPECT_NEAR(axial.pairs[0].turns, 4.0 / kTurn, 4.0 * kRounding);
  EXPECT_NEAR(axial.pairs[2].turns, 8.0 / kTurn, 8.0 * kRounding);
  const auto mixed = pairs_of("rope(axes=2,map=mixed,scaling=linear,factor=4)", grid);
  EXPECT_EQ(mixed.size(), 4u) << "two layers of two heads, each with directions of its own";
  EXPECT_EQ(mixed[3].pairs[1].axis, -1);
  EXPECT_NEAR(mixed[3].pairs[1].slowed(), 4.0, 64.0 * kRounding);
  EXPECT_EQ(mixed[3].pairs[1].change, Change::stretched);
}

TEST(RotaryPairs, LongTablesAreShortenedForPeople) {
  const EncodingShape shape = shape_of(128, 131072, false);
  const ResolvedEncoding resolved =
      resolve(parse_encoding("rope(base=500000,scaling=llama3,factor=8,original=8192)"), shape);
  const std::string text = rotary_pairs_text(rotary_pairs(resolved)[0], resolved, "");
  // Llama 3.1: pairs of less than 8192 / 4 positions per turn stay, those of more than 8192 do not.
  int kept = 0, stretched = 0;
  for (int c = 0; c < 64; ++c) {
    const double wavelength = kTurn * std::pow(500000.0, c / 64.0);
    kept += wavelength < 8192.0 / 4.0 ? 1 : 0;
    stretched += wavelength > 8192.0 ? 1 : 0;
  }
  expect_words(text, {"Rotary pairs, all layers and heads\n",
                      fmt::format("{} kept, {} ramped, {} stretched of 64 pairs; in full by 8. Attention factor 1.",
                                  kept, 64 - kept - stretched, stretched),
                      "turns in 131072", "   ... ", "\n    63  126, 127 "});
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 30);
  for (int c = kept - 1; c <= 64 - stretched; ++c) expect_words(text, {fmt::format("\n    {}  {}, ", c, 2 * c)});
}

}  // namespace rotary_pairs_test
}  // namespace phasor
