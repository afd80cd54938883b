#include "phasor/encoding/beyond.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "phasor/encoding/encoding.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/resolve/values.h"

namespace phasor {
namespace beyond_test {

constexpr int64_t kTrained = 32, kLonger = 512;

ResolvedEncoding resolved(const std::string& text, int64_t positions, int64_t trained) {
  const Encoding encoding = parse_encoding(text);
  EncodingShape shape = usual_shape(encoding);
  shape.positions = positions;
  shape.trained = trained;
  return resolve(encoding, shape);
}

EncodingTraits traits(const std::string& text) {
  const std::string canonical = print(parse_encoding(text));
  return EncodingSum(parse_encoding(canonical), canonical).traits();
}

bool fits_trained_numbers(const std::string& text) {
  const ResolvedEncoding before = resolved(text, kTrained, 0), after = resolved(text, kLonger, kTrained);
  if (before.parameters.size() != after.parameters.size()) return false;
  for (size_t p = 0; p < before.parameters.size(); ++p) {
    if (before.parameters[p].name != after.parameters[p].name) return false;
    if (before.parameters[p].shape != after.parameters[p].shape) return false;
  }
  return true;
}

std::vector<std::string> shown_catalogue() {
  std::vector<std::string> all;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const std::string text = shown_expression(entry);
    if (usual_shape(parse_encoding(text)).grid.empty()) all.push_back(text);  // a grid is no longer sequence
  }
  return all;
}

TEST(Beyond, EveryEntryOfTheCatalogueSaysWhatHappens) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    EXPECT_GT(beyond_words(entry).size(), 10u) << entry.name;
    EXPECT_EQ(beyond_words(entry).find("formula goes on;"), std::string::npos) << entry.name;
  }
}

// What an entry promises is what becomes of its trained numbers.
TEST(Beyond, TrainedNumbersFitLongerSequencesUnlessRefused) {
  std::vector<std::string> all = shown_catalogue();
  for (const char* more :
       {"learned(beyond=clamp)", "relative(beyond=clamp)", "relative(max_distance=8)", "randomized(learned,max=512)",
        "randomized(relative,max=512)", "scattered(learned)", "concat(learned,width=16)", "rope(frequencies=learned)",
        "rope+t5", "learned+rope", "integer(normalised)+learned(beyond=clamp)", "segments(learned,by=\"0\")",
        "segments(learned(beyond=clamp),by=\"0\")", "segments(learned,by=\"0\",max=9)",
        "segments(relative(beyond=clamp),by=\"0\",at=inside)", "alibi(slopes=learned)+relative"}) {
    all.emplace_back(more);
  }
  for (const std::string& text : all) {
    EXPECT_EQ(fits_trained_numbers(text), traits(text).beyond != Beyond::refused) << text;
  }
}

TEST(Beyond, TheStrictestTermDecides) {
  EXPECT_EQ(traits("rope").beyond, Beyond::formula);
  EXPECT_EQ(traits("rope+t5").beyond, Beyond::clamped);
  EXPECT_EQ(traits("learned+t5").beyond, Beyond::refused);
  EXPECT_EQ(traits("randomized(learned,max=64)").beyond, Beyond::drawn);
  EXPECT_EQ(traits("concat(learned,width=8)").beyond, Beyond::refused);
  EXPECT_EQ(beyond_words("rope+alibi"),
            "alibi: biases go on by the formula; rope: angles go on to grow, beyond those of training");
  EXPECT_EQ(beyond_words("concat(learned,width=8)"), beyond_words("learned"));
}

TEST(Beyond, ClampedBiasesStayAsTheyAreAtTheBound) {
  for (const auto& [text, bound] : {std::pair<const char*, int64_t>("t5", 128),
                                    {"t5(max_distance=64)", 64},
                                    {"relative(max_distance=8)", 8},
                                    {"relative(beyond=clamp)", kTrained - 1}}) {
    ASSERT_EQ(traits(text).beyond, Beyond::clamped) << text;
    const ResolvedEncoding encoding = resolved(text, kLonger, kTrained);
    const ResolvedEncoding values = with_values(encoding, initial_values(encoding, 3));
    const BiasTerm& bias = *values.layers.front().bias;
    for (int64_t h = 0; h < values.shape.heads; ++h) {
      for (int64_t d = bound; d < kLonger; ++d) {
        ASSERT_EQ(bias.fixed(h, bias.reach - d), bias.fixed(h, bias.reach - bound)) << text << " at " << -d;
        ASSERT_EQ(bias.fixed(h, bias.reach + d), bias.fixed(h, bias.reach + bound)) << text << " at " << d;
      }
      EXPECT_NE(bias.fixed(h, bias.reach - bound), bias.fixed(h, bias.reach - bound / 2)) << text;
    }
  }
}

// Within training's length every distance reads the number that it was trained with.
TEST(Beyond, ClampedRelativeKeepsEveryTrainedDistance) {
  const ResolvedEncoding before = resolved("relative(beyond=clamp)", kTrained, 0);
  const ResolvedEncoding after = resolved("relative(beyond=clamp)", kLonger, kTrained);
  const ParameterValues numbers = initial_values(before, 5);
  const ResolvedEncoding short_one = with_values(before, numbers), long_one = with_values(after, numbers);
  const BiasTerm &a = *short_one.layers.front().bias, &b = *long_one.layers.front().bias;
  for (int64_t h = 0; h < before.shape.heads; ++h) {
    for (int64_t d = -kTrained + 1; d < kTrained; ++d) {
      ASSERT_EQ(a.fixed(h, a.reach + d), b.fixed(h, b.reach + d)) << d;
    }
  }
}

TEST(Beyond, ClampedVectorsAreTheLastOne) {
  for (const char* text : {"learned(beyond=clamp)", "integer(normalised)+learned(beyond=clamp)"}) {
    const ResolvedEncoding before = resolved(text, kTrained, 0), after = resolved(text, 2 * kTrained, kTrained);
    const ParameterValues numbers = initial_values(before, 5);
    const GatherSource* source = nullptr;
    for (const TableSource& one : after.input->learned) {
      if (std::holds_alternative<GatherSource>(one)) source = &std::get<GatherSource>(one);
    }
    ASSERT_NE(source, nullptr) << text;
    const auto width = static_cast<size_t>(after.shape.width);
    const auto table = static_cast<size_t>(2 * kTrained) * width;
    ASSERT_EQ(source->index.size() % table, 0u);
    for (size_t e = 0; e < source->index.size(); ++e) {
      const size_t position = e % table / width;
      ASSERT_EQ(static_cast<size_t>(source->index[e]), std::min<size_t>(position, kTrained - 1) * width + e % width);
    }
  }
  // A model that is as long as its training has all of its vectors.
  EXPECT_EQ(resolved("learned(beyond=clamp)", kTrained, 0).input->learned,
            resolved("learned", kTrained, 0).input->learned);
}

}  // namespace beyond_test
}  // namespace phasor
