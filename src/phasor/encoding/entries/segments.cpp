// Positions made from the tokens: the number of a token's segment, and its offset within it.
#include <fmt/format.h>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {
namespace {

using Axes = EncodingPlaces::SegmentAxes;

Axes axes_of(const std::string& word) {
  if (word == "segment") return Axes::segment;
  return word == "both" ? Axes::both : Axes::offset;
}

Segments::At at_of(const std::string& word) {
  if (word == "start") return Segments::At::start;
  return word == "inside" ? Segments::At::inside : Segments::At::end;
}

class SegmentedEncoding : public EncodingComponent {
 public:
  explicit SegmentedEncoding(const EncodingArguments& arguments)
      : inner_(arguments.encoding("encoding"), arguments.text()),
        by_(arguments.words("by")),
        axes_(axes_of(arguments.word("axis"))),
        at_(at_of(arguments.word("at"))),
        max_(arguments.integer("max")),
        shift_(arguments.integer("shift")) {}

  EncodingTraits traits() const override {
    EncodingTraits traits = inner_.traits();
    traits.extrapolates = traits.extrapolates || max_ > 0;  // no position is new
    if (max_ > 0) traits.beyond = Beyond::clamped;
    // All tokens of a segment have the same number.
    traits.bidirectional = traits.bidirectional && axes_ != Axes::segment;
    return traits;
  }
  TableForm form_for(const EncodingShape& shape) const override { return inner_.form_for(shape); }
  std::string beyond() const override {
    if (max_ > 0) return fmt::format("positions of {} and more count as {}", max_ - 1, max_ - 1);
    return fmt::format("segments may be longer, or more; {}", inner_.beyond());
  }

  std::string formula() const override {
    std::string where = "p_i = the token's offset within its segment";
    if (axes_ == Axes::segment) where = "p_i = the number of the token's segment";
    if (axes_ == Axes::both) where = "p_i = (the token's offset within its segment, the segment's number)";
    std::string rule = "a word of `by` is the last of its segment";
    if (at_ == Segments::At::start) rule = "a word of `by` is the first of its segment";
    if (at_ == Segments::At::inside) rule = "segments are runs of words of `by`, from 1 on; outside the offset is 0";
    return where + "; " + rule;
  }

  void fill(EncodingPlaces& places) const override {
    const Segments segments{.words = places.word_numbers(by_), .at = at_, .shift = shift_};
    places.segment(segments, axes_, max_, [&] { inner_.fill(places); });
  }

 private:
  EncodingSum inner_;
  WordSet by_;
  Axes axes_;
  Segments::At at_;
  int64_t max_, shift_;
};

}  // namespace

EncodingEntry segments_entry() {
  return {
      .name = "segments",
      .summary = "positions from the tokens: certain words cut the sequence into segments",
      .formula = "p_i = the offset of token i within its segment, or the segment's number, or both as coordinates",
      .paper =
          "He, Feng, Luo, Yang, Wang, Xu, Zhang, Yang, He: Two Stones Hit One Bird: Bilevel Positional Encoding for "
          "Better Length Extrapolation (arXiv 2401.16421)",
      .year = 2024,
      .parameters = {encoding_parameter("encoding", "the encoding that reads the positions"),
                     required_words_parameter("by", "the words that make segments, by number or by the task's names"),
                     word_parameter("axis", {"offset", "segment", "both"},
                                    "the position that is read: within the segment, the segment's number, or both as "
                                    "two coordinates, the offset first"),
                     word_parameter("at", {"end", "start", "inside"},
                                    "where in a segment the words stand: each ends one, each starts one, or segments "
                                    "are runs of them"),
                     integer_parameter("max", 0, 0, 1048576,
                                       "positions are 0 to max - 1 and tokens further on share the last; 0: as many as "
                                       "the longest sequence has tokens"),
                     integer_parameter("shift", 0, 0, 1048576,
                                       "while training, positions start from a number drawn from 0 to shift")},
      .notes =
          "Segments and offsets count from 0. With `at=end` a word of `by` is the last token of its segment, as the "
          "full "
          "stop is in BiPE: `segments(sinusoidal,by=\"0\")+segments(rope,by=\"0\",axis=segment)`, or with `alibi` in "
          "place of `rope`. With `at=start` the word is the first token of its segment, at offset 0: positions start "
          "again at each document of a packed sequence (attention still sees the others). With `at=inside` segments "
          "are "
          "runs of words of `by`, such as the digits of a number: offsets count from 1 in each run, all other tokens "
          "have the offset 0, and a token's segment is the number of runs so far. Abacus embeddings (arXiv 2405.17399) "
          "are `segments(learned,by=DIGITS,at=inside,shift=99)`; a start is drawn for each sequence and step, a "
          "function "
          "of the seed, the step and the sequence's tokens, and evaluation starts from 0. Where nothing is drawn and "
          "no "
          "word of `by` occurs, offsets are indices.\n\n"
          "`axis=both` gives two coordinates to an encoding that reads them: "
          "`segments(rope(axes=2,map=sections,sections=\"4,4\"),by=\"0\",axis=both)` turns the fast pairs by the "
          "offset "
          "and the slow ones by the segment, after HiRoPE (arXiv 2403.19115).\n\n"
          "Names in `by` are those of the task's words: `separator` of copy, `keys` and `values` of retrieval, "
          "`marker` "
          "of indirect; a name or number that the task does not have is an error that lists what there is.\n\n"
          "`max` keeps tables as large at any length: what training saw of offsets is then all there is. Logits are "
          "relative in p, not in the index. In causal models keys may have larger offsets than the query, so inner "
          "encodings fill both directions by offset (`t5` has buckets for both).",
      .example = "segments(rope,by=\"0\")",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<SegmentedEncoding>(arguments);
      }};
}

}  // namespace phasor
