#include <gtest/gtest.h>

#include <numbers>

#include "encoding/biases.h"
#include "encoding/dense_logits.h"
#include "encoding/rotation_probe.h"
#include "phasor/base/feature_map.h"

namespace phasor {
namespace pope_test {

using namespace testing_support;

// Of each head's own, away from where training starts.
TEST(Pope, LogitsAreThoseOfThePaper) {
  const EncodingShape shape = rotation_shape(6, 9);
  const ResolvedEncoding encoding = resolve_text("pope(phase=uniform,base=50)", shape);
  const ParameterValues values = initial_values(encoding, 3);
  const ResolvedEncoding settled = with_values(encoding, values);
  ASSERT_EQ(values.size(), 2u);
  for (int64_t layer = 0; layer < 2; ++layer) {
    for (int64_t head = 0; head < 3; ++head) {
      const Table q = random_table(9, 6, 5), k = random_table(9, 6, 6);
      const DenseLogits got = dense_logits(settled, layer, head, q, k, counted_positions(settled, 9));
      for (int64_t t = 0; t < 9; ++t) {
        for (int64_t s = 0; s < 9; ++s) {
          double logit = 0.0;
          for (int64_t c = 0; c < 6; ++c) {
            const double w = std::pow(50.0, -static_cast<double>(c) / 6.0);
            const double delta = values[static_cast<size_t>(layer)][static_cast<size_t>(head * 6 + c)];
            ASSERT_GE(delta, -2.0 * std::numbers::pi);
            ASSERT_LE(delta, 0.0);
            logit += softplus(q(t, c)) * softplus(k(s, c)) * std::cos(static_cast<double>(s - t) * w + delta);
          }
          ASSERT_NEAR(got.logits(t, s), logit / std::sqrt(6.0), 1e-12 * got.sizes(t, s)) << t << " " << s;
        }
      }
    }
  }
}

TEST(Pope, HasAFrequencyForEveryChannelAndAPhaseForEveryHead) {
  const EncodingShape shape = rotation_shape(5, 4);  // an odd width: nothing is paired
  const ResolvedEncoding encoding = resolve_text("pope", shape);
  EXPECT_EQ(encoding.layers[0].feature, FeatureMap::softplus);
  EXPECT_EQ(encoding.layers[0].rotation[0]->pairs, 5);
  ASSERT_EQ(encoding.parameters.size(), 2u);
  EXPECT_EQ(encoding.parameters[1].name, "layers.1.encoding.pope.phase");
  EXPECT_EQ(encoding.parameters[1].shape, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(encoding.parameters[1].least, -2.0 * std::numbers::pi);
  EXPECT_EQ(encoding.parameters[1].most, 0.0);
  EXPECT_EQ(initial_values(encoding, 1)[0], std::vector<double>(15, 0.0));
  EXPECT_EQ(resolve_text("pope(sharing=layer)", shape).parameters[0].shape, std::vector<int64_t>{5});
  EXPECT_TRUE(resolve_text("pope(phase=none)", shape).parameters.empty());
}

TEST(Pope, TakesALayersQueriesAndKeysAsAWhole) {
  const EncodingShape shape = rotation_shape(8, 4);
  EXPECT_EQ(mistake("pope[heads=0]", shape),
            "column 1: pope makes features of the queries and keys of all heads, so it cannot be assigned to a few");
  EXPECT_EQ(
      mistake("pope+rope", shape),
      "column 6: 'rope' (column 1) and 'pope' both rotate head 0 of layer 0; give them different heads or layers");
  EXPECT_EQ(mistake("mla(rope=0)+pope", shape),
            "column 6: 'pope' (column 1) and 'mla(rope=0)' both make the queries and keys of layer 0; give them "
            "different layers");
  EXPECT_EQ(mistake("concat(pope)", shape),
            "column 8: concat takes terms that are added to the embeddings, and no features");
  EXPECT_NO_THROW(resolve_text("pope[layers=0]+rope[layers=1]", shape));
}

TEST(Pope, SoftplusIsExactFarFromZero) {
  EXPECT_EQ(softplus(800.0), 800.0);
  EXPECT_NEAR(softplus(-40.0), std::exp(-40.0), 1e-15 * std::exp(-40.0));
  EXPECT_NEAR(softplus(0.0), std::log(2.0), 1e-16);
}

}  // namespace pope_test
}  // namespace phasor
