// Terms that need tables of different forms, in one sum: by distance alone, by query position, by length.
#include <gtest/gtest.h>

#include <cmath>

#include "encoding/biases.h"

namespace phasor {
namespace table_form_test {

using testing_support::bias_at;
using testing_support::bias_shape;
using testing_support::for_each_bias;
using testing_support::mistake;
using testing_support::resolve_text;
using testing_support::start_of;

// A sum's bias is the sum of its terms' biases, in every sequence that holds both positions. Tensors draw by name,
// and these terms have different names, so that each starts alike alone and in the sum.
void expect_sum(const std::vector<std::string>& terms, bool by_query, bool per_length, bool causal = false) {
  const EncodingShape shape = bias_shape(4, 9, causal);
  std::string text;
  std::vector<ResolvedEncoding> alone;
  for (const std::string& term : terms) {
    text.append(text.empty() ? "" : "+").append(term);
    alone.push_back(start_of(term, shape));
  }
  const ResolvedEncoding sum = start_of(text, shape);
  for (const LayerEncoding& layer : sum.layers) {
    ASSERT_NE(layer.bias, nullptr) << text;
    EXPECT_EQ(layer.bias->rows, by_query ? shape.positions : 1) << text;
    EXPECT_EQ(layer.bias->per_length, per_length) << text;
    EXPECT_EQ(layer.bias->fixed.rows, (per_length ? 9 : 1) * 4 * (by_query ? 9 : 1)) << text;
  }
  for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    for (int64_t length = std::max(i, j) + 1; length <= shape.positions; ++length) {
      double expected = 0.0;
      double size = 0.0;
      for (const ResolvedEncoding& term : alone) {
        expected += bias_at(term, layer, head, i, j, length);
        size += std::abs(bias_at(term, layer, head, i, j, length));
      }
      // The same numbers added in another order.
      ASSERT_NEAR(bias_at(sum, layer, head, i, j, length), expected, 1e-15 * (1.0 + size))
          << text << ", layer " << layer << ", head " << head << ", query " << i << ", key " << j << " of " << length;
    }
  });
}

TEST(TableForm, ByDistanceAlone) {
  expect_sum({"alibi", "t5(buckets=8,max_distance=6)"}, false, false);
  expect_sum({"alibi(slopes=learned)", "relative[heads=1-2]", "kerple[heads=0]", "sandwich"}, false, false);
}

TEST(TableForm, ByQueryBesideByDistance) {
  expect_sum({"bias(\"a*tanh(d/(1+i))\",a=learned(1))[heads=0]", "t5(buckets=8,max_distance=6)[heads=1]", "alibi"},
             true, false);
  expect_sum({"fire(hidden=5,threshold=3)[heads=0]", "t5(buckets=4,max_distance=6)[heads=1]", "alibi[heads=2]"}, true,
             false, /*causal=*/true);
  expect_sum({"fire(hidden=5,threshold=3)", "kerple", "alibi(slopes=learned)", "relative[heads=1]", "sandwich"}, true,
             false, /*causal=*/true);
}

TEST(TableForm, PerLengthBesideByDistance) {
  expect_sum({"bias(\"-abs(d)/n\")", "relative"}, false, true);
  expect_sum({"bias(\"-a*abs(d)/n\",a=learned(2,per=head))[heads=0,3]", "relative[heads=1]", "alibi", "kerple[heads=2]",
              "t5(buckets=8,max_distance=6)"},
             false, true);
}

TEST(TableForm, ByQueryAndPerLengthBesideByDistance) {
  expect_sum({"bias(\"-a*abs(d)*i/n\",a=learned(2))[layers=1]", "relative", "alibi", "kerple(power)", "sandwich"}, true,
             true);
  expect_sum({"bias(\"i*n\")[heads=1]", "t5(buckets=4,max_distance=6)", "alibi(slopes=learned)"}, true, true, true);
}

// Layers that the wider form is not for have it too: what a kernel reads is one form.
TEST(TableForm, IsThatOfAllLayers) {
  const ResolvedEncoding encoding = resolve_text("bias(\"i/n\")[layers=2]+alibi[layers=0]");
  EXPECT_EQ(encoding.layers[0].bias->rows, bias_shape().positions);
  EXPECT_TRUE(encoding.layers[0].bias->per_length);
  EXPECT_EQ(encoding.layers[1].bias, nullptr);
}

TEST(TableForm, BiasesAndInputTermsHaveFormsOfTheirOwn) {
  const ResolvedEncoding encoding = resolve_text("integer(normalised)+alibi");
  EXPECT_TRUE(encoding.input->per_length);
  EXPECT_FALSE(encoding.layers[0].bias->per_length);
  const ResolvedEncoding other = resolve_text("integer+bias(\"n\")");
  EXPECT_FALSE(other.input->per_length);
  EXPECT_TRUE(other.layers[0].bias->per_length);
}

TEST(TableForm, ANetworkHasNoLengths) {
  EXPECT_EQ(mistake("fire+bias(\"d/n\")", bias_shape(4, 9, true)),
            "column 1: fire cannot be added to a bias that depends on the length of the sequence");
}

// The guard stands before the tables: none of these may take a noticeable time or throw anything else.
TEST(TableForm, TablesThatNoMachineHoldsAreRefusedBeforeTheyAreMade) {
  const EncodingShape shape{.layers = 2, .heads = 4, .head_width = 8, .width = 1024, .positions = 64};
  EXPECT_EQ(mistake("randomized(alibi+bias(\"i\"),max=20000)", shape),
            "column 12: alibi needs a table of 11.9 GiB for 20000 positions; the most is 1 GiB");
  EXPECT_EQ(mistake("randomized(bias(\"i*n\"),max=1000000)", shape),
            "column 12: bias(\"i*n\") needs a table of 1907347.7 GiB for 1000000 positions; the most is 1 GiB");
  EXPECT_EQ(mistake("randomized(bias(\"i*n*a\",a=learned(1)),max=1000000)", shape),
            "column 12: bias(\"i*n*a\",a=learned(1)) needs a table of 1907347.7 GiB for 1000000 "
            "positions; the most is 1 GiB");
  EXPECT_EQ(mistake("randomized(t5[heads=0]+bias(\"i\")[heads=1],max=20000)", shape),
            "column 12: t5[heads=0] needs a table of 11.9 GiB for 20000 positions; the most is 1 GiB");
  EXPECT_EQ(mistake("randomized(fire,max=20000)", shape),
            "column 12: fire needs a table of 11.9 GiB for 20000 positions; the most is 1 GiB");
  for (const std::string term :
       {"sinusoidal", "sinusoidal(scale=learned(1))", "binary", "random", "learned", "integer", "input(\"i\")"}) {
    EXPECT_EQ(mistake("randomized(" + term + ",max=1048576)", shape),
              "column 12: " + term + " needs a table of 4.0 GiB for 1048576 positions; the most is 1 GiB");
  }
  EXPECT_EQ(mistake("randomized(mla(rope=65536),max=1048576)", shape),
            "column 12: mla(rope=65536) needs a table of 256.0 GiB: 1048576 positions; the most is 1 GiB");
}

}  // namespace table_form_test
}  // namespace phasor
