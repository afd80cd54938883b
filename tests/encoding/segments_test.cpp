#include <gtest/gtest.h>

#include "encoding/input_terms.h"
#include "encoding/rotation_probe.h"
#include "phasor/encoding/references.h"

namespace phasor {
namespace segments_test {

using testing_support::mistake;
using testing_support::parse_error;
using testing_support::resolve_text;
using testing_support::rotation_shape;
using testing_support::start_of;
using testing_support::traits_of;
using Kind = PositionAxis::Kind;

// A task of twelve words, two of which have names.
EncodingShape with_words(EncodingShape shape) {
  shape.vocabulary = 12;
  shape.words = {{"separator", 11, 11}, {"digits", 0, 3}};
  return shape;
}

TEST(Segments, HaveTheInnerTablesAndAnAxisOfTheirOwn) {
  const EncodingShape shape = rotation_shape(8, 6);
  const ResolvedEncoding segments = start_of("segments(rope+alibi+sinusoidal,by=\"5,0\")", shape);
  const ResolvedEncoding plain = start_of("rope+alibi+sinusoidal", shape);
  ASSERT_EQ(segments.axes.size(), 1u);
  EXPECT_EQ(segments.axes[0],
            (PositionAxis{.kind = Kind::offset, .extent = 6, .segments = {.words = IndexSet({{0, 0}, {5, 5}})}}));
  EXPECT_EQ(segments.input->fixed, plain.input->fixed);
  EXPECT_EQ(segments.layers[1].bias->fixed, plain.layers[1].bias->fixed);
  EXPECT_EQ(segments.layers[1].rotation[2]->query, plain.layers[1].rotation[2]->query);
}

// Offsets are added to the embeddings, segments turn: two axes.
TEST(Segments, AddUpToBilevelEncodings) {
  const ResolvedEncoding encoding =
      resolve_text("segments(sinusoidal,by=\"0\")+segments(rope,by=\"0\",axis=segment)", rotation_shape(8, 6));
  ASSERT_EQ(encoding.axes.size(), 2u);
  EXPECT_EQ(encoding.axes[static_cast<size_t>(encoding.input->axis)].kind, Kind::offset);
  const int64_t turning = encoding.layers[0].rotation[0]->axes[0];
  EXPECT_EQ(encoding.axes[static_cast<size_t>(turning)].kind, Kind::segment);
  // Biases by different positions cannot be one table.
  EXPECT_EQ(mistake("segments(alibi,by=\"0\")+alibi", rotation_shape(8, 6)),
            "column 16: 'alibi' (column 1) and 'alibi' both bias the logits of layer 0, but by different positions");
}

// The fast pairs of one grid turn by the offset, the slow ones by the segment.
TEST(Segments, AreTwoCoordinates) {
  const std::string text = "segments(rope(axes=2,map=sections,sections=\"1,3\"),by=\"0\",axis=both)";
  const ResolvedEncoding encoding = resolve_text(text, rotation_shape(8, 6));
  const Rotation& rotation = *encoding.layers[0].rotation[0];
  ASSERT_EQ(rotation.axes.size(), 2u);
  EXPECT_EQ(encoding.axes[static_cast<size_t>(rotation.axes[0])].kind, Kind::offset);
  EXPECT_EQ(encoding.axes[static_cast<size_t>(rotation.axes[1])].kind, Kind::segment);
  const std::shared_ptr<const Rotation> plain = testing_support::rotation("rope", 8, 6);
  for (int64_t c = 0; c < 4; ++c) {
    EXPECT_EQ(rotation.frequencies(c < 1 ? 0 : 1, c), plain->frequencies(0, c));
    EXPECT_EQ(rotation.frequencies(c < 1 ? 1 : 0, c), 0.0);
  }
}

TEST(Segments, HaveAsManyPositionsAsCanCome) {
  const EncodingShape shape = rotation_shape(8, 6);
  const auto extent = [&](const std::string& text) { return resolve_text(text, shape).axes[0].extent; };
  EXPECT_EQ(extent("segments(learned,by=\"0\")"), 6);
  EXPECT_EQ(extent("segments(learned,by=\"0\",at=inside)"), 7);
  EXPECT_EQ(extent("segments(learned,by=\"0\",shift=5)"), 11);
  EXPECT_EQ(extent("segments(learned,by=\"0\",max=4)"), 4);
  EXPECT_EQ(extent("segments(learned,by=\"0\",at=inside,max=4,shift=9,axis=segment)"), 13);
  EXPECT_EQ(resolve_text("segments(learned,by=\"0\",max=4)", shape).parameters[0].shape, (std::vector<int64_t>{4, 24}));
}

// Keys that a causal query sees may have a larger offset, but no later segment.
TEST(Segments, FillBothDirectionsByOffset) {
  EncodingShape shape = rotation_shape(8, 6);
  shape.causal = true;
  const auto columns = [&](const std::string& text) { return resolve_text(text, shape).parameters[0].shape[1]; };
  const auto ahead = [&](const std::string& text) { return start_of(text, shape).layers[0].bias->fixed(0, 5 + 2); };
  EXPECT_EQ(columns("segments(t5,by=\"0\")"), columns("t5(direction=both)"));
  EXPECT_EQ(ahead("segments(bias(\"abs(d)\"),by=\"0\")"), 2.0);
  EXPECT_EQ(ahead("segments(bias(\"abs(d)\"),by=\"0\",axis=segment)"), 0.0);
}

TEST(Segments, TakeTheWordsOfTheTask) {
  const EncodingShape shape = with_words(rotation_shape(8, 6));
  const auto words = [&](const std::string& by) {
    return print(resolve_text("segments(rope,by=" + by + ")", shape).axes[0].segments.words);
  };
  EXPECT_EQ(words("separator"), "11");
  EXPECT_EQ(words("\"separator,2-5\""), "2-5,11");
  EXPECT_EQ(words("\"digits,separator\""), "0-3,11");
  EXPECT_EQ(words("7"), "7");
  EXPECT_EQ(mistake("segments(rope,by=seperator)", shape),
            "column 1: there are no words 'seperator': words are 0 to 11; named are "
            "separator (11), digits (0-3)");
  EXPECT_EQ(mistake("segments(rope,by=12)", shape),
            "column 1: there is no word 12: words are 0 to 11; named are separator (11), digits (0-3)");
  EncodingShape nameless = shape;
  nameless.words.clear();
  EXPECT_EQ(mistake("segments(rope,by=keys)", nameless),
            "column 1: there are no words 'keys': words are 0 to 11, without names");
}

TEST(Segments, PrintTheirWordsInOneWay) {
  const auto printed = [](const std::string& text) { return print(parse_encoding(text)); };
  EXPECT_EQ(printed("segments(rope,by=0)"), "segments(rope,by=\"0\")");
  EXPECT_EQ(printed("segments(rope,separator)"), "segments(rope,by=\"separator\")");
  EXPECT_EQ(printed("segments(encoding=rope,at=end,by=\" 5, 1-2,0\",axis=offset)"), "segments(rope,by=\"0-2,5\")");
  EXPECT_EQ(printed("segments(nope,by=\"0\")"), "nope");
}

TEST(Segments, SayWhatIsWrong) {
  const EncodingShape shape = rotation_shape(8, 6, {3, 4});
  EXPECT_EQ(mistake("segments(rope)", shape),
            "column 1: segments needs by: the words that make segments, by number or by the task's names");
  EXPECT_EQ(mistake("segments(rope,by=\"\")", shape),
            "column 18: segments: by: a word is missing; words are given as \"0\" or \"separator,5-9\"");
  EXPECT_EQ(mistake("segments(rope,by=rope(base=5))", shape),
            "column 18: segments: by must be words of the task, such as \"0\" or \"separator,5-9\", not rope(base=5)");
  EXPECT_EQ(mistake("segments(rope(axes=2),by=\"0\")", shape),
            "column 10: the offset or the segment alone is one coordinate; axis=both gives two");
  EXPECT_EQ(mistake("segments(rope(axes=3,fraction=0.75),by=\"0\",axis=both)", shape),
            "column 10: rope(fraction=0.75,axes=3) needs 3 coordinates; segments have two");
  EXPECT_EQ(
      mistake("segments(alibi,by=\"0\",axis=both)", shape),
      "column 10: alibi reads one position, and axis=both gives two coordinates; use axis=offset or axis=segment");
  EXPECT_EQ(mistake("segments(scattered(rope),by=\"0\")", shape), "column 10: positions are those of segments already");
  EXPECT_EQ(mistake("randomized(segments(rope,by=\"0\"))", shape), "column 12: positions are drawn already");
  EXPECT_EQ(mistake("segments(segments(rope,by=\"0\"),by=\"1\")", shape),
            "column 10: segments cannot stand within segments");
}

TEST(Segments, AreRelativeInTheirOwnPositionsAlone) {
  EXPECT_TRUE(traits_of("segments(rope,by=\"0\")").exactly_relative);
  EXPECT_FALSE(traits_of("segments(sinusoidal,by=\"0\")").exactly_relative);
  EXPECT_TRUE(traits_of("segments(rope,by=\"0\")").bidirectional);
  EXPECT_FALSE(traits_of("segments(rope,by=\"0\",axis=segment)").bidirectional);
  EXPECT_FALSE(traits_of("segments(learned,by=\"0\")").extrapolates);
  EXPECT_TRUE(traits_of("segments(learned,by=\"0\",max=9)").extrapolates);
}

TEST(Segments, CiteTheirPapers) {
  using Keys = std::vector<std::string>;
  const auto keys = [](const std::string& text) { return references_of(parse_encoding(text)).keys; };
  EXPECT_EQ(keys("segments(alibi,by=\"0\",axis=segment)"), (Keys{"he2024two", "press2021train"}));
  EXPECT_EQ(keys("segments(learned,by=\"0-9\",at=inside)").back(), "mcleish2024transformers");
}

}  // namespace segments_test
}  // namespace phasor
