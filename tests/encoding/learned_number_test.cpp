// learned(...) in the place of a number: what it starts from, who shares it, what it is kept within.
#include <gtest/gtest.h>

#include "encoding/biases.h"
#include "encoding/rotation_probe.h"

namespace phasor {
namespace learned_number_test {

using testing_support::mistake;
using testing_support::parameter_of;
using testing_support::resolve_text;
using testing_support::rotation_shape;

LearnedParameter number(const std::string& learned) {
  return parameter_of(resolve_text("bias(\"a*d\",a=" + learned + ")"), "layers.2.encoding.bias.a");
}

std::string canonical_number(const std::string& learned) {
  const std::string text = print(parse_encoding("bias(\"a*d\",a=" + learned + ")"));
  const std::string before = "bias(\"a*d\",a=";
  return text.substr(before.size(), text.size() - before.size() - 1);
}

TEST(LearnedNumber, StartsFromItsValueAndIsFree) {
  const LearnedParameter free = number("learned(0.5)");
  EXPECT_EQ(free.shape, std::vector<int64_t>{1});
  EXPECT_EQ(free.initial.kind, InitialValues::Kind::constant);
  EXPECT_EQ(free.initial.centre, 0.5);
  EXPECT_LE(free.least, -1e300);
  EXPECT_GE(free.most, 1e300);
}

TEST(LearnedNumber, IsKeptWithinItsBounds) {
  const LearnedParameter bounded = number("learned(0.5,min=-1,max=2)");
  EXPECT_EQ(bounded.least, -1.0);
  EXPECT_EQ(bounded.most, 2.0);
  EXPECT_EQ(number("learned(0.5,min=0.5)").least, 0.5) << "it may start on a bound";
  EXPECT_EQ(number("learned(0.5,max=0.5)").most, 0.5);
}

TEST(LearnedNumber, IsOneForAllHeadsOrOneForEach) {
  EXPECT_EQ(number("learned(0.5,per=all)").shape, std::vector<int64_t>{1});
  EXPECT_EQ(number("learned(0.5,per=head)").shape, std::vector<int64_t>{4});
  const ResolvedEncoding some = resolve_text("bias(\"a*d\",a=learned(0.5,head))[heads=1,3]");
  EXPECT_EQ(some.parameters.at(0).shape, std::vector<int64_t>{2}) << "heads of the term";
  const ResolvedEncoding rope =
      resolve_text("rope(frequencies=\"f*c\",f=learned(0.5,head))[heads=0,2]", rotation_shape(8, 6));
  EXPECT_EQ(rope.parameters.at(0).shape, std::vector<int64_t>{2});
}

TEST(LearnedNumber, HasACanonicalForm) {
  EXPECT_EQ(canonical_number("learned ( 5e-1 )"), "learned(0.5)");
  EXPECT_EQ(canonical_number("learned(0.5,head,-1,2)"), "learned(0.5,per=head,min=-1,max=2)");
  EXPECT_EQ(canonical_number("learned(max=2,start=0,per=all)"), "learned(0,max=2)");
  EXPECT_EQ(canonical_number("-0"), "0");
}

TEST(LearnedNumber, SaysWhatIsWrong) {
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1,min=2))"),
            "column 14: bias: a starts from 1, which is not from 2 to 1e300");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1,max=0))"),
            "column 14: bias: a starts from 1, which is not from -1e300 to 0");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1,max=0,min=2))"),
            "column 14: bias: a starts from 1, which is not from 2 to 0");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned)"), "column 14: learned needs start: the value it starts from");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(min=0))"), "column 14: learned needs start: the value it starts from");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1,most=2))"),
            "column 24: learned has no argument 'most'; known: start, per, min, max");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(x))"), "column 22: learned: start must be a number, not x");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1e39))"), "column 22: learned: start must be from -1e38 to 1e38, not 1e39");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1,per=layer))"),
            "column 28: learned: unknown per 'layer'; known: all, head");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1)[heads=0])"),
            "column 14: bias: a must be a number or learned(number), not learned(1)[heads=0]");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1)+learned(2))"),
            "column 14: bias: a must be a number or learned(number), not learned(1)+learned(2)");
  EXPECT_EQ(mistake("sinusoidal(scale=learned(2000))"),
            "column 18: sinusoidal: scale must be from -1000 to 1000, not 2000");
}

}  // namespace learned_number_test
}  // namespace phasor
