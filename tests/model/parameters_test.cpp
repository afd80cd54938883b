// Initial weights: what two models share by name starts alike, whatever else their encodings bring.
#include "phasor/model/parameters.h"

#include <gtest/gtest.h>

#include "phasor/encoding/encoding.h"

namespace phasor {
namespace parameters_test {

ParameterLayout layout_with(const char* encoding) {
  const ModelConfig config = complete({.layers = 2,
                                       .width = 16,
                                       .hidden = 24,
                                       .heads = 2,
                                       .encoding = encoding,
                                       .vocabulary = 9,
                                       .classes = 5,
                                       .max_length = 7});
  const EncodingShape shape{.layers = 2, .heads = 2, .head_width = 8, .width = 16, .positions = 7};
  return ParameterLayout(config, resolve(parse_encoding(encoding), shape));
}

TEST(InitialValues, DoNotDependOnTheEncoding) {
  const ParameterLayout rope = layout_with("rope");
  const ParameterLayout learned = layout_with("learned");
  const std::vector<float> a = rope.initial_values(3);
  const std::vector<float> b = learned.initial_values(3);
  ASSERT_EQ(learned.entries().size(), rope.entries().size() + 1);
  for (const Parameter& entry : rope.entries()) {
    const Parameter& same = learned.find(entry.name);
    for (int64_t i = 0; i < entry.size; ++i) {
      ASSERT_EQ(a[static_cast<size_t>(entry.offset + i)], b[static_cast<size_t>(same.offset + i)]) << entry.name;
    }
  }
}

TEST(InitialValues, DifferBetweenEntriesAndSeeds) {
  const ParameterLayout layout = layout_with("rope");
  const std::vector<float> first = layout.initial_values(3);
  const std::vector<float> second = layout.initial_values(4);
  const auto at = [&](const std::vector<float>& values, const char* name) {
    return values[static_cast<size_t>(layout.find(name).offset)];
  };
  EXPECT_NE(at(first, "layers.0.ffn.up.weight"), at(first, "layers.1.ffn.up.weight"));
  EXPECT_NE(at(first, "layers.0.ffn.up.weight"), at(second, "layers.0.ffn.up.weight"));
}

// A learned number of its own must not move what follows to odd places.
TEST(ParameterLayout, EntriesStartWhereVectorLoadsCan) {
  const ParameterLayout layout = layout_with("bias(\"-a*abs(d)\",a=learned(0.1))+rope");
  int64_t count = 0, end = 0;
  for (const Parameter& entry : layout.entries()) {
    EXPECT_GE(entry.offset, end) << entry.name;
    const bool alone = entry.name.find("key.") == std::string::npos && entry.name.find("value.") == std::string::npos;
    EXPECT_EQ(entry.offset % 64, alone ? 0 : end % 64) << entry.name;
    end = entry.offset + entry.size;
    count += entry.size;
  }
  EXPECT_EQ(layout.count(), count);
  EXPECT_EQ(layout.size(), end);
  EXPECT_GT(layout.size(), layout.count());
}

// Queries, keys and values are one taller matrix; so are the projections to latents and from them.
TEST(ParameterLayout, WhatIsReadAsOneMatrixHasNoGaps) {
  const auto follows = [](const ParameterLayout& layout, const char* first, const char* second) {
    const Parameter& before = layout.find(first);
    EXPECT_EQ(layout.find(second).offset, before.offset + before.size) << second;
  };
  const ParameterLayout plain = layout_with("bias(\"-a*abs(d)\",a=learned(0.1))");
  for (const char* part : {"weight", "bias"}) {
    const auto name = [&](const char* which) { return std::string("layers.1.attention.") + which + "." + part; };
    follows(plain, name("query").c_str(), name("key").c_str());
    follows(plain, name("key").c_str(), name("value").c_str());
  }
  const ParameterLayout latent = layout_with("mla(kv=5,q=3,rope=2,query=shared)");
  follows(latent, "layers.0.attention.query_down.weight", "layers.0.attention.key_value_down.weight");
  follows(latent, "layers.0.attention.key_value_down.weight", "layers.0.attention.key_rotary.weight");
  follows(latent, "layers.0.attention.query_up.weight", "layers.0.attention.query_rotary.weight");
  follows(latent, "layers.0.attention.key_up.weight", "layers.0.attention.value_up.weight");
}

}  // namespace parameters_test
}  // namespace phasor
