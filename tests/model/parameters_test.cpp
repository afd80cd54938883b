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

}  // namespace parameters_test
}  // namespace phasor
