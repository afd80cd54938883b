// The names of an encoding's tensors: where they stand, and that terms of one name do not share them.
#include <gtest/gtest.h>

#include <set>

#include "encoding/biases.h"
#include "encoding/rotation_probe.h"

namespace phasor {
namespace parameter_name_test {

using testing_support::parameter_names;
using testing_support::resolve_text;
using testing_support::rotation_shape;

std::vector<std::string> names(const std::string& text) {
  return parameter_names(resolve_text(text, rotation_shape(8, 6)));
}

TEST(ParameterName, SaysTheTermAndTheLayer) {
  EXPECT_EQ(names("learned"), (std::vector<std::string>{"encoding.learned"}));
  EXPECT_EQ(names("t5"), (std::vector<std::string>{"encoding.t5.bias"}));
  EXPECT_EQ(names("t5(sharing=layer)"),
            (std::vector<std::string>{"layers.0.encoding.t5.bias", "layers.1.encoding.t5.bias"}));
  EXPECT_EQ(names("kerple[layers=1]"),
            (std::vector<std::string>{"layers.1.encoding.kerple.r1", "layers.1.encoding.kerple.r2"}));
  EXPECT_EQ(names("rope(frequencies=learned)[layers=0]"),
            (std::vector<std::string>{"layers.0.encoding.rope.frequencies"}));
  EXPECT_EQ(names("rope(frequencies=\"base^(-2*c/C)\",base=learned(10))[layers=0]"),
            (std::vector<std::string>{"layers.0.encoding.rope.base"}));
}

TEST(ParameterName, TermsOfOneNameAreCounted) {
  EXPECT_EQ(names("t5[heads=0]+t5(buckets=8)[heads=1]"),
            (std::vector<std::string>{"encoding.t5.bias", "encoding.t5_2.bias"}));
  EXPECT_EQ(names("relative[layers=0]+relative(max_distance=2)[layers=0]+relative(init=1)[layers=1]"),
            (std::vector<std::string>{"layers.0.encoding.relative.bias", "layers.0.encoding.relative_2.bias",
                                      "layers.1.encoding.relative_3.bias"}));
  EXPECT_EQ(names("rope(frequencies=learned)[heads=0,layers=0]+rope(frequencies=learned)[heads=1,layers=0]"),
            (std::vector<std::string>{"layers.0.encoding.rope.frequencies", "layers.0.encoding.rope_2.frequencies"}));
  // A term without tensors counts too, so that a tensor's name does not depend on what others train.
  EXPECT_EQ(names("rope[heads=0]+rope(frequencies=learned)[heads=1,layers=0]"),
            (std::vector<std::string>{"layers.0.encoding.rope_2.frequencies"}));
}

TEST(ParameterName, TermsWithinOthersAreCountedWithThem) {
  EXPECT_EQ(names("t5[layers=0]+randomized(t5,max=9)[layers=1]"),
            (std::vector<std::string>{"encoding.t5.bias", "encoding.t5_2.bias"}));
  EXPECT_EQ(names("learned+concat(learned,width=4)"),
            (std::vector<std::string>{"encoding.learned", "encoding.learned_2"}));
}

// A spelling is no part of a name: terms are counted in canonical order.
TEST(ParameterName, DoesNotDependOnTheSpelling) {
  const ResolvedEncoding one = resolve_text("t5(buckets=8)[heads=1] + t5[heads=0]", rotation_shape(8, 6));
  EXPECT_EQ(one.parameters, resolve_text("t5[heads=0]+t5(8)[heads=1]", rotation_shape(8, 6)).parameters);
  EXPECT_EQ(one.parameters[1].shape, (std::vector<int64_t>{1, 8}));
}

TEST(ParameterName, IsNeverGivenTwice) {
  const std::vector<std::string> all = names(
      "learned+learned+sinusoidal(scale=learned(1))+input(\"a*i\",a=learned(1))+t5+t5+relative+kerple+kerple(power)+"
      "alibi(slopes=learned)+fire+bias(\"a*d\",a=learned(1))+bias(\"a*d\",a=learned(1))+rope(frequencies=learned)["
      "heads=0]+"
      "rope(frequencies=\"a*c\",a=learned(1))[heads=1]");
  const std::set<std::string> distinct(all.begin(), all.end());
  EXPECT_EQ(distinct.size(), all.size());
  EXPECT_EQ(all.size(), 4u + 2u + 2u * (1 + 2 + 2 + 1 + 6 + 1 + 1 + 1 + 1));
}

}  // namespace parameter_name_test
}  // namespace phasor
