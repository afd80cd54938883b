// Windows and chunks in brackets, and the sink: which heads and layers get them, and what is said of them.
#include <gtest/gtest.h>

#include <cmath>

#include "encoding/biases.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/encoding/measure/mask_text.h"
#include "phasor/encoding/references.h"

namespace phasor {
namespace mask_test {

using namespace testing_support;

// Heads of an even width, for rope.
ResolvedEncoding resolved(const std::string& text, bool causal = false) {
  EncodingShape shape = bias_shape(4, 20, causal);
  shape.head_width = 8;
  return resolve_text(text, shape);
}

std::vector<int64_t> windows(const ResolvedEncoding& encoding, int64_t layer) {
  std::vector<int64_t> result;
  for (const HeadMask& mask : encoding.layers[static_cast<size_t>(layer)].masks) result.push_back(mask.window);
  return result;
}

std::vector<int64_t> chunks(const ResolvedEncoding& encoding, int64_t layer) {
  std::vector<int64_t> result;
  for (const HeadMask& mask : encoding.layers[static_cast<size_t>(layer)].masks) result.push_back(mask.chunk);
  return result;
}

std::vector<double> sinks(const ResolvedEncoding& encoding, int64_t layer) {
  const auto& sink = encoding.layers[static_cast<size_t>(layer)].sink;
  return sink == nullptr ? std::vector<double>() : sink->fixed.values;
}

using Tokens = std::vector<int64_t>;

TEST(Masks, GoToTheHeadsAndLayersOfTheirTerm) {
  const ResolvedEncoding encoding = resolved("rope[layers=0-1,window=16]+rope(base=1000000)[layers=2]");
  EXPECT_EQ(windows(encoding, 0), Tokens({16, 16, 16, 16}));
  EXPECT_EQ(windows(encoding, 1), Tokens({16, 16, 16, 16}));
  EXPECT_EQ(windows(encoding, 2), Tokens({0, 0, 0, 0}));
  const ResolvedEncoding some = resolved("nope[heads=1,layers=1,chunk=8]+alibi");
  EXPECT_EQ(chunks(some, 0), Tokens({0, 0, 0, 0}));
  EXPECT_EQ(chunks(some, 1), Tokens({0, 8, 0, 0}));
  EXPECT_EQ(windows(some, 1), Tokens({0, 0, 0, 0}));
  EXPECT_NE(some.layers[0].bias, nullptr) << "alibi is as it was";
}

TEST(Masks, OfOneHeadHoldTogether) {
  const ResolvedEncoding encoding = resolved("rope[window=8]+alibi[heads=1-2,window=5]+nope[heads=2,chunk=12]");
  EXPECT_EQ(windows(encoding, 0), Tokens({8, 5, 5, 8}));
  EXPECT_EQ(chunks(encoding, 0), Tokens({0, 0, 12, 0}));
  EXPECT_EQ(chunks(resolved("rope[chunk=12]+alibi[chunk=4]"), 0), Tokens({4, 4, 4, 4}));
  EXPECT_EQ(chunks(resolved("rope[chunk=4]+alibi[chunk=12]"), 0), Tokens({4, 4, 4, 4}));
}

TEST(Masks, CountTokensWithinWrappersToo) {
  const ResolvedEncoding inside = resolved("randomized(rope[heads=0-1,window=4],max=64)[layers=1]");
  EXPECT_EQ(windows(inside, 0), Tokens({0, 0, 0, 0}));
  EXPECT_EQ(windows(inside, 1), Tokens({4, 4, 0, 0}));
  EXPECT_EQ(windows(resolved("scattered(rope)[window=4]"), 2), Tokens({4, 4, 4, 4}));
  EXPECT_EQ(windows(resolved("concat(sinusoidal,width=8)[window=4]"), 0), Tokens({4, 4, 4, 4}));
  EXPECT_EQ(print(parse_encoding("randomized(nope[window=4])")), "randomized(nope[window=4])");
}

TEST(Masks, PrintCanonically) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"rope[ window = 16 , heads=0-1 ]", "rope[heads=0-1,window=16]"},
           {"rope[chunk=8][window=4][layers=1]", "rope[layers=1,window=4,chunk=8]"},
           {"nope[window=3]", "nope[window=3]"},
           {"nope[window=3]+nope", "nope[window=3]"},
           {"nope[chunk=3]+rope", "nope[chunk=3]+rope"},
           {"sink(start=0,logit=learned)", "sink"},
           {"sink(-1)+rope", "rope+sink(start=-1)"}}) {
    EXPECT_EQ(print(parse_encoding(text)), expected);
    EXPECT_EQ(parse_encoding(expected), parse_encoding(text));
  }
  EXPECT_NE(parse_encoding("rope[window=3]"), parse_encoding("rope[window=4]"));
  EXPECT_NE(parse_encoding("rope[window=3]"), parse_encoding("rope[chunk=3]"));
}

TEST(Masks, CardsSayHowFarAnythingCanReach) {
  const auto reach = [](const char* text, bool causal = true) { return whole_reach(resolved(text, causal)); };
  EXPECT_EQ(reach("rope[window=16]"), 3 * 15);
  EXPECT_EQ(reach("rope[heads=0-1,window=2]+alibi[heads=2-3,window=5]"), 3 * 4) << "the farthest head counts";
  EXPECT_EQ(reach("rope[layers=0-1,window=16]+rope[layers=2]"), std::nullopt);
  EXPECT_EQ(reach("rope[window=16,chunk=4]"), 3 * 3);
  EXPECT_EQ(reach("nope[window=1]"), 0);
  const auto text = [](const char* expression, bool causal) { return mask_text(resolved(expression, causal), 0, 200); };
  EXPECT_EQ(text("rope[layers=0-1,window=16]+rope(base=100)[layers=2,window=4]", true),
            "masks"
            "layers 0-1: window of 16 tokens, at most 15 back a layer\n"
            "layer 2: window of 4 tokens, at most 3 back a layer\n"
            "through all 3 layers together: at most 33 tokens back\n");
  EXPECT_EQ(text("nope[heads=0-1,window=3]+alibi", false),
            "maskslayers 0-2: heads 0-1: window of 3 tokens, at most 2 to either side a layer\n"
            "some head sees every token, so all layers together reach everything\n");
  EXPECT_EQ(text("rope[chunk=8]", true),
            "maskslayers 0-2: chunks of 8 tokens, nothing of another chunk\n"
            "through all 3 layers together: at most 21 tokens back, and nothing from another chunk\n");
  EXPECT_EQ(text("rope", true), "");
  EXPECT_EQ(unmasked_text(resolved("rope+sink")), "");
  EXPECT_NE(unmasked_text(resolved("rope[layers=2,window=3]")), "");
}

TEST(Masks, AreCited) {
  const auto keys = [](const char* text) { return references_of(parse_encoding(text)).keys; };
  EXPECT_EQ(keys("rope[window=4]"), (std::vector<std::string>{"su2021roformer", "beltagy2020longformer"}));
  EXPECT_EQ(keys("rope[chunk=4]"), (std::vector<std::string>{"su2021roformer", "meta2025llama4"}));
  EXPECT_EQ(keys("sink"), std::vector<std::string>{"openai2025gptoss"});
  EXPECT_EQ(keys("sink(logit=fixed)"), (std::vector<std::string>{"openai2025gptoss", "xiao2023efficient"}));
  for (const char* key : {"beltagy2020longformer", "meta2025llama4", "openai2025gptoss", "xiao2023efficient"}) {
    EXPECT_EQ(find_reference(key).key, key);
  }
}

constexpr double kNone = -std::numeric_limits<double>::infinity();

TEST(Sink, IsALearnedLogitForEachHeadAndLayer) {
  const ResolvedEncoding encoding = resolved("rope+sink(start=-2)[heads=1-2,layers=0,2]");
  ASSERT_EQ(parameter_names(encoding),
            (std::vector<std::string>{"layers.0.encoding.sink.logit", "layers.2.encoding.sink.logit"}));
  EXPECT_EQ(encoding.parameters[0].shape, std::vector<int64_t>{2});
  EXPECT_EQ(encoding.parameters[0].heads, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(encoding.layers[1].sink, nullptr);
  ParameterValues values = initial_values(encoding, 3);
  EXPECT_EQ(values[0], std::vector<double>({-2.0, -2.0}));
  values[1] = {0.25, 7.0};
  const ResolvedEncoding trained = with_values(encoding, values);
  EXPECT_EQ(sinks(trained, 0), std::vector<double>({kNone, -2.0, -2.0, kNone}));
  EXPECT_EQ(sinks(trained, 2), std::vector<double>({kNone, 0.25, 7.0, kNone}));
  EXPECT_TRUE(trained.layers[0].sink->learned.empty());
}

TEST(Sink, MayBeFixed) {
  const ResolvedEncoding encoding = resolved("sink(logit=fixed)[heads=0]+sink(start=3,logit=fixed)[heads=3]");
  EXPECT_TRUE(encoding.parameters.empty());
  EXPECT_EQ(sinks(encoding, 1), std::vector<double>({0.0, kNone, kNone, 3.0}));
}

}  // namespace mask_test
}  // namespace phasor
