// Factors on the logits of queries: by a formula, and by the names that people know.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "encoding/biases.h"
#include "phasor/encoding/measure/encoding_card.h"

namespace phasor {
namespace scale_test {

using namespace testing_support;

// On the logits of the query at position i, in a sequence of this length where that matters.
double scale_at(const ResolvedEncoding& encoding, int64_t layer, int64_t head, int64_t i, int64_t length = 0) {
  const LayerEncoding& places = encoding.layers[static_cast<size_t>(layer)];
  const double of_head = places.scale[static_cast<size_t>(head)];
  if (places.row_scale == nullptr) return of_head;
  const ScaleTerm& scale = *places.row_scale;
  EXPECT_TRUE(scale.learned.empty()) << "these are not all of its numbers";
  const int64_t table = scale.per_length ? (length > 0 ? length : encoding.shape.positions) - 1 : 0;
  return of_head * scale.fixed(table * encoding.shape.heads + head, scale.fixed.columns > 1 ? i : 0);
}

std::string error_of_text(const std::string& text, const EncodingShape& shape = bias_shape()) {
  try {
    resolve_text(text, shape);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::string& text, const std::string& part, const EncodingShape& shape = bias_shape()) {
  const std::string error = error_of_text(text, shape);
  EXPECT_NE(error.find(part), std::string::npos) << text << ": " << error;
}

// --- By formula -----------------------------------------------------------------------------------

TEST(Scale, NamesStandForPlaces) {
  const EncodingShape shape = bias_shape(4, 9);
  const ResolvedEncoding resolved = start_of("scale(\"i+100*h+1e4*l+1e6*n+1e-2*H+1e-4*L\")", shape);
  for (const int64_t length : {3, 9}) {
    for (int64_t layer = 0; layer < 3; ++layer) {
      for (int64_t head = 0; head < 4; ++head) {
        for (int64_t i = 0; i < length; ++i) {
          const double expected = static_cast<double>(i + 100 * head + 10000 * layer + 1000000 * length) + 4e-2 + 3e-4;
          ASSERT_NEAR(scale_at(resolved, layer, head, i, length), expected, 1e-12 * expected);
        }
      }
    }
  }
}

TEST(Scale, TablesAreAsLargeAsTheFormulaNeeds) {
  const auto shape_of = [](const std::string& text) {
    const ResolvedEncoding resolved = resolve_text(text);  // 4 heads, 20 positions
    const ScaleTerm* scale = resolved.layers[0].row_scale.get();
    return scale == nullptr ? std::pair<int64_t, int64_t>{0, 0} : std::pair{scale->fixed.rows, scale->fixed.columns};
  };
  using Size = std::pair<int64_t, int64_t>;
  EXPECT_EQ(shape_of("scale(\"i\")"), (Size{4, 20}));
  EXPECT_EQ(shape_of("scale(\"n\")"), (Size{80, 1}));
  EXPECT_EQ(shape_of("scale(\"i/n\")"), (Size{80, 20}));
  EXPECT_EQ(shape_of("scale(\"s\",s=learned(1))"), (Size{4, 1}));
  EXPECT_EQ(shape_of("scale(\"2+h\")"), (Size{0, 0})) << "a factor per head";
  EXPECT_EQ(shape_of("scale(\"i\")+scale(\"n\")"), (Size{80, 20}));
}

TEST(Scale, WithoutPositionsIsAFactorPerHead) {
  const ResolvedEncoding resolved = resolve_text("scale(\"2+h+10*l\")[heads=1-2]");
  for (int64_t layer = 0; layer < 3; ++layer) {
    EXPECT_EQ(resolved.layers[static_cast<size_t>(layer)].scale,
              (std::vector<double>{1.0, 3.0 + 10.0 * static_cast<double>(layer),
                                   4.0 + 10.0 * static_cast<double>(layer), 1.0}));
    EXPECT_EQ(resolved.layers[static_cast<size_t>(layer)].row_scale, nullptr);
  }
}

TEST(Scale, LayersShareOneTableUnlessTheFormulaTellsThemApart) {
  const ResolvedEncoding same = resolve_text("scale(\"1+h*i\")");
  EXPECT_EQ(same.layers[0].row_scale, same.layers[2].row_scale);
  const ResolvedEncoding apart = resolve_text("scale(\"1+l*i\")");
  EXPECT_NE(apart.layers[0].row_scale, apart.layers[2].row_scale);
}

TEST(Scale, FixedOnesMultiply) {
  const ResolvedEncoding resolved = resolve_text("scale(\"1+i\")+scale(\"2\")[heads=0]+scale(\"1/n\")[layers=1]");
  EXPECT_EQ(scale_at(resolved, 0, 0, 6), 14.0);
  EXPECT_EQ(scale_at(resolved, 0, 1, 6), 7.0);
  EXPECT_NEAR(scale_at(resolved, 1, 0, 6, 10), 1.4, 1e-15);
  EXPECT_NEAR(scale_at(resolved, 1, 3, 6, 10), 0.7, 1e-15);
}

TEST(Scale, TrainedOnesHaveTheirNumbersAndAreAlone) {
  const ResolvedEncoding resolved =
      resolve_text("scale(\"s*log(i+1)+b\",s=learned(2,per=head),b=learned(0.5))[heads=1,3]");
  EXPECT_EQ(parameter_names(resolved),
            (std::vector<std::string>{"layers.0.encoding.scale.b", "layers.0.encoding.scale.s",
                                      "layers.1.encoding.scale.b", "layers.1.encoding.scale.s",
                                      "layers.2.encoding.scale.b", "layers.2.encoding.scale.s"}));
  ParameterValues values = initial_values(resolved, 0);
  values_of(values, resolved, "layers.1.encoding.scale.s") = {3.0, 4.0};
  const ResolvedEncoding trained = with_values(resolved, values);
  EXPECT_NEAR(scale_at(trained, 0, 1, 5), 2.0 * std::log(6.0) + 0.5, 1e-14);
  EXPECT_NEAR(scale_at(trained, 1, 1, 5), 3.0 * std::log(6.0) + 0.5, 1e-14);
  EXPECT_NEAR(scale_at(trained, 1, 3, 5), 4.0 * std::log(6.0) + 0.5, 1e-14);
  EXPECT_EQ(scale_at(trained, 1, 0, 5), 1.0);

  const std::string both = "both scale the logits of head 1 of layer 0 by row, and one of them is trained";
  expect_error("scale(\"i\")+scale(\"s*i\",s=learned(1))[heads=1]", both);
  expect_error("scale(\"s*i\",s=learned(1))[heads=1]+scale(\"i\")", both);
  expect_error("ssmax[heads=1]+logn(original=8)", both);
  expect_error("ssmax[heads=1]+logn(original=8)", "'logn(original=8)'");
  expect_error("ssmax[heads=1]+logn(original=8)", "'ssmax[heads=1]'");
  EXPECT_EQ(error_of_text("ssmax[heads=1]+logn(original=8)[heads=0,2-3]+scale(\"2\")"), "no error");
  EXPECT_EQ(error_of_text("ssmax[layers=1]+llama4_scale[layers=0,2]"), "no error");
}

TEST(Scale, ErrorsSayWhatIsWrong) {
  expect_error("scale(\"log(d)\")", "'d'");
  expect_error("scale(\"log(i)\")", "the formula gives -inf at i=0");
  expect_error("scale(\"a*i\",a=1,i=2)", "'i' already means something in this formula");
  expect_error("concat(scale(\"i+1\"),width=4)", "concat takes terms that are added to the embeddings, and no scale");
  expect_error("scale(\"i+1\")+randomized(scale(\"i+1\"),max=30)",
               "both scale the logits of layer 0, but by different positions");
  expect_error("scale(\"i/n+1\")", "needs a table of", bias_shape(4, 20000));
  expect_error("logn(original=1)", "original");
}

// --- By name --------------------------------------------------------------------------------------

// The paper: z goes to n^(s z) / sum_j n^(s z_j), which is a softmax of s log n z, n the size of what it normalises.
TEST(Ssmax, IsTheLogarithmOfTheKeysSeen) {
  const ResolvedEncoding masked = start_of("ssmax(start=0.43)", bias_shape(4, 20, true));
  const ResolvedEncoding open = start_of("ssmax(start=0.43)", bias_shape(4, 20, false));
  for (int64_t i = 0; i < 20; ++i) {
    ASSERT_NEAR(scale_at(masked, 1, 2, i), 0.43 * std::log(static_cast<double>(i + 1)), 1e-15);
    for (const int64_t n : {i + 1, int64_t{20}}) {
      ASSERT_NEAR(scale_at(open, 1, 2, i, n), 0.43 * std::log(static_cast<double>(n)), 1e-15);
    }
  }
  EXPECT_EQ(scale_at(masked, 0, 0, 0), 0.0) << "log(1)";
}

TEST(Ssmax, TrainsANumberPerHeadUnlessToldOtherwise) {
  const auto shapes = [](const std::string& text) {
    std::vector<std::vector<int64_t>> result;
    for (const LearnedParameter& parameter : resolve_text(text).parameters) result.push_back(parameter.shape);
    return result;
  };
  using Shapes = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(shapes("ssmax"), (Shapes{{4}, {4}, {4}}));
  EXPECT_EQ(shapes("ssmax[heads=0-1]"), (Shapes{{2}, {2}, {2}}));
  EXPECT_EQ(shapes("ssmax(s=shared)"), (Shapes{{1}, {1}, {1}}));
  EXPECT_EQ(shapes("ssmax(s=fixed)"), Shapes{});
  EXPECT_EQ(shapes("ssmax(b=learned(0,per=head))[layers=0]"), (Shapes{{4}, {4}}));
  EXPECT_EQ(initial_values(resolve_text("ssmax"), 3)[1], (std::vector<double>(4, 0.168)));
  // 1 / mean of log n, n = 1 .. 1024, is where it starts.
  EXPECT_NEAR(1024.0 / std::lgamma(1025.0), 0.168, 5e-4);
  const ResolvedEncoding shifted = start_of("ssmax(start=2,b=0.25)", bias_shape(4, 20, true));
  EXPECT_NEAR(scale_at(shifted, 0, 1, 9), 2.0 * std::log(10.0) + 0.25, 1e-15);
}

// Qwen's list: log(i) to the base of the trained length for the i-th token where i is beyond it, else 1.
TEST(Logn, IsClippedAtOne) {
  const ResolvedEncoding masked = start_of("logn(original=8)", bias_shape(4, 20, true));
  const ResolvedEncoding open = start_of("logn(original=8)", bias_shape(4, 20, false));
  for (int64_t count = 1; count <= 20; ++count) {
    const double expected = count > 8 ? std::log(static_cast<double>(count)) / std::log(8.0) : 1.0;
    EXPECT_NEAR(scale_at(masked, 0, 3, count - 1), expected, 1e-15) << count;
    EXPECT_NEAR(scale_at(open, 0, 3, 0, count), expected, 1e-15) << count;
  }
  EXPECT_NEAR(scale_at(masked, 0, 0, 15), 4.0 / 3.0, 1e-15) << "log 16 / log 8";
}

// transformers' Llama 4: log1p(floor((p + 1) / floor_scale)) * attn_scale + 1, by hand: 1 + 0.1 log k, k = 1, 2, 3,
// 9, 17.
TEST(Llama4Scale, IsThePublishedTable) {
  const EncodingShape shape{.layers = 1, .heads = 1, .head_width = 4, .width = 4, .positions = 131072, .causal = true};
  const ResolvedEncoding llama = resolve_text("llama4_scale", shape);
  const std::vector<std::pair<int64_t, double>> published = {
      {0, 1.0},
      {8190, 1.0},
      {8191, 1.0693147180559945},
      {16382, 1.0693147180559945},
      {16383, 1.1098612288668110},
      {65535, 1.2197224577336219},
      {131071, 1.2833213344056216},
  };
  for (const auto& [position, factor] : published)
    EXPECT_NEAR(scale_at(llama, 0, 0, position), factor, 4e-16) << position;
  // transformers' Ministral 3: 1 + beta log(1 + floor(p / original)), original = 16384.
  const ResolvedEncoding ministral = resolve_text("llama4_scale(floor=16384,offset=0)", shape);
  const std::vector<std::pair<int64_t, double>> also = {{16383, 1.0},
                                                        {16384, 1.0693147180559945},
                                                        {32767, 1.0693147180559945},
                                                        {32768, 1.1098612288668110},
                                                        {131071, 1.2079441541679836}};
  for (const auto& [position, factor] : also)
    EXPECT_NEAR(scale_at(ministral, 0, 0, position), factor, 4e-16) << position;
}

// --- YaRN's factor, on turned channels or on whole logits -----------------------------------------

TEST(AttentionOn, ToldApart) {
  const double f = 1.0 + 0.1 * std::log(4.0);
  const auto parts = [](const std::string& arguments) {
    const ResolvedEncoding resolved =
        resolve_text("rope(fraction=0.5,scaling=yarn,factor=4,original=16" + arguments + ")",
                     {.layers = 1, .heads = 2, .head_width = 8, .width = 16, .positions = 20});
    return std::pair{resolved.layers[0].rotation[0]->magnitude, resolved.layers[0].scale[0]};
  };
  EXPECT_EQ(parts(""), (std::pair{f, 1.0}));
  EXPECT_EQ(parts(",attention_on=rotated"), (std::pair{f, 1.0}));
  EXPECT_EQ(parts(",attention_on=logits"), (std::pair{1.0, f * f}));
  EXPECT_EQ(parts(",attention=1.5,attention_on=logits"), (std::pair{1.0, 2.25}));
  // DeepSeek: mscale / mscale_all_dim on turned channels, and softmax_scale * mscale_all_dim^2 on everything.
  EXPECT_EQ(parts(",mscale=1,mscale_all_dim=1"), (std::pair{1.0, 1.0}));
  EXPECT_EQ(parts(",mscale=1,mscale_all_dim=1,attention_on=logits"), (std::pair{1.0, f * f}));
  const double low = 1.0 + 0.0707 * std::log(4.0);
  EXPECT_EQ(parts(",mscale=1,mscale_all_dim=0.707,attention_on=logits").first, f / low);
  EXPECT_NEAR(parts(",mscale=1,mscale_all_dim=0.707,attention_on=logits").second, low * low, 1e-15);
  expect_error("rope(attention_on=logits)", "attention_on belongs to scaling=yarn|longrope, not to scaling=none");
}

// DeepSeek-V3: factor 40, mscale = mscale_all_dim = 1: softmax_scale times (0.1 log 40 + 1)^2, rotations untouched.
TEST(AttentionOn, OfMlaIsDeepSeeks) {
  const EncodingShape shape{.layers = 2, .heads = 2, .head_width = 8, .width = 16, .positions = 20};
  const ResolvedEncoding resolved =
      resolve_text("mla(scaling=yarn,factor=40,original=4096,mscale=1,mscale_all_dim=1,attention_on=logits)", shape);
  const double mscale = 1.3688879454113936;  // 0.1 ln 40 + 1
  for (const LayerEncoding& layer : resolved.layers) {
    for (const double scale : layer.scale) EXPECT_NEAR(scale, mscale * mscale, 4e-16);
    EXPECT_EQ(layer.rotation[0]->magnitude, 1.0);
  }
  const ResolvedEncoding turned = resolve_text("mla(scaling=yarn,factor=40,original=4096)", shape);
  EXPECT_EQ(turned.layers[0].scale, (std::vector<double>{1.0, 1.0}));
  EXPECT_NEAR(turned.layers[0].rotation[0]->magnitude, mscale, 4e-16);
  EXPECT_NEAR(std::abs(turned.layers[0].rotation[0]->query[17]), mscale, 1e-15);
  // Frequencies are those of rope with as many channels.
  EXPECT_EQ(
      resolved.layers[0].rotation[0]->frequencies.values,
      resolve_text("rope(scaling=yarn,factor=40,original=4096)", shape).layers[0].rotation[0]->frequencies.values);
  expect_error("mla(scaling=dynamic,factor=2,original=8)", "which mla does not have yet");
  expect_error("mla(table=released,scaling=linear,factor=2)", "table=released is not stretched");
  expect_error("mla(rope=0,scaling=linear,factor=2)", "scaling is about rotary channels");
  expect_error("mla(scaling=linear,mscale=2,factor=2)", "mla: mscale belongs to scaling=yarn");
}

TEST(AttentionOn, AFewHeadsOnly) {
  const ResolvedEncoding resolved =
      resolve_text("rope(scaling=yarn,factor=4,original=16,attention=2,attention_on=logits)[heads=1]",
                   {.layers = 1, .heads = 2, .head_width = 8, .width = 16, .positions = 20});
  EXPECT_EQ(resolved.layers[0].scale, (std::vector<double>{1.0, 4.0}));
}

// --- On a card ------------------------------------------------------------------------------------

TEST(ScaleCard, ShowsTheFactors) {
  EncodingShape shape{.layers = 2, .heads = 4, .head_width = 8, .width = 32, .positions = 64, .causal = true};
  // Lines are broken anywhere.
  const auto card = [&](const std::string& text) {
    std::string joined;
    for (const char c : card_text(make_card(parse_encoding(text), shape, 0))) {
      const bool blank = c == ' ' || c == '\n';
      if (!blank || joined.empty() || joined.back() != ' ') joined += blank ? ' ' : c;
    }
    return joined;
  };
  const auto expect_part = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
  };
  const std::string ssmax = card("ssmax[layers=0]");
  expect_part(ssmax, "row_scale: a factor by the query's position");
  expect_part(ssmax, "layer 0, heads 0, 1, 2, 3: 0 at i = 0, 0.1164 at 1, 0.2329 at 3");
  expect_part(ssmax, "no position has a code: a factor on a query's logits tells no key from another");
  expect_part(ssmax, "layers.<l>.encoding.ssmax.s");
  const std::string yarn = card("rope(fraction=0.5,scaling=yarn,factor=4,original=16)");
  expect_part(yarn, "which is 1.296 on their");
  const std::string logits = card("rope(fraction=0.5,scaling=yarn,factor=4,original=16,attention_on=logits)");
  expect_part(logits, "whole logits times (0.1 log(factor) + 1)^2 = 1.296");
  shape.causal = false;
  expect_part(card("logn(original=16)"), "1 at n = 1, 1 at 2");
  const nlohmann::ordered_json json = card_json(make_card(parse_encoding("rope+scale(\"1+i\")[heads=1]"), shape, 0));
  ASSERT_EQ(json.at("row_scales").size(), 2u);
  EXPECT_EQ(json.at("row_scales")[1].at("heads"), nlohmann::ordered_json({1}));
  EXPECT_EQ(json.at("row_scales")[1].at("values")[63], 64.0);
  EXPECT_EQ(json.at("places").at("layers")[0].at("row_scale").at("by_query"), true);
}

}  // namespace scale_test
}  // namespace phasor
