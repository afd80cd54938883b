#include <gtest/gtest.h>

#include "encoding/input_terms.h"
#include "encoding/rotation_probe.h"

namespace phasor {
namespace scattered_test {

using testing_support::mistake;
using testing_support::resolve_text;
using testing_support::rotation_shape;
using testing_support::start_of;
using testing_support::traits_of;

// The tables are those of the inner encoding; what changes is the axis that they are read by.
TEST(Scattered, HasTheInnerTablesAndAnAxisOfItsOwn) {
  const EncodingShape shape = rotation_shape(8, 6);
  const ResolvedEncoding scattered = start_of("scattered(rope+alibi+sinusoidal,seed=7)", shape);
  const ResolvedEncoding plain = start_of("rope+alibi+sinusoidal", shape);
  ASSERT_EQ(scattered.axes.size(), 1u);
  EXPECT_EQ(scattered.axes[0], (PositionAxis{.kind = PositionAxis::Kind::scattered, .extent = 6, .seed = 7}));
  EXPECT_EQ(scattered.input->fixed, plain.input->fixed);
  EXPECT_EQ(scattered.layers[1].bias->fixed, plain.layers[1].bias->fixed);
  EXPECT_EQ(scattered.layers[1].rotation[2]->query, plain.layers[1].rotation[2]->query);
}

TEST(Scattered, StandsBesideTermsThatReadTheIndex) {
  const ResolvedEncoding encoding = resolve_text("scattered(rope)+alibi", rotation_shape(8, 6));
  ASSERT_EQ(encoding.axes.size(), 2u);
  const int64_t axis = encoding.layers[0].rotation[0]->axes[0];
  EXPECT_EQ(encoding.axes[static_cast<size_t>(axis)].kind, PositionAxis::Kind::scattered);
  EXPECT_EQ(encoding.axes[static_cast<size_t>(encoding.layers[0].bias->axis)].kind, PositionAxis::Kind::index);
}

TEST(Scattered, IsRelativeInItsOwnPositionsAlone) {
  EXPECT_TRUE(traits_of("scattered(rope)").exactly_relative);
  EXPECT_FALSE(traits_of("scattered(sinusoidal)").exactly_relative);
  EXPECT_TRUE(traits_of("scattered(rope)").bidirectional);
  EXPECT_TRUE(traits_of("scattered(learned)").learnable);
  EXPECT_FALSE(traits_of("scattered(alibi)").extrapolates);
  EXPECT_EQ(print(parse_encoding("scattered(nope)+rope")), "rope");
}

TEST(Scattered, SaysWhatIsWrong) {
  const EncodingShape shape = rotation_shape(8, 6, {3, 4});
  EXPECT_EQ(mistake("scattered(rope(axes=2))", shape), "column 11: coordinates cannot be scattered");
  EXPECT_EQ(mistake("scattered(scattered(rope))", shape), "column 11: scattered cannot stand within scattered");
  EXPECT_EQ(mistake("randomized(scattered(rope))", shape), "column 12: positions are drawn already");
  EXPECT_EQ(mistake("scattered", shape), "column 1: scattered needs encoding: the encoding that reads the positions");
}

}  // namespace scattered_test
}  // namespace phasor
