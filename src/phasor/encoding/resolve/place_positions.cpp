// Where the terms' positions come from: the index, coordinates, draws, segments of the tokens.
#include <fmt/format.h>

#include <algorithm>

#include "phasor/encoding/resolve/places.h"

namespace phasor {

int64_t EncodingPlaces::add_axis(const PositionAxis& axis) {
  const auto found = std::find(resolved_.axes.begin(), resolved_.axes.end(), axis);
  if (found != resolved_.axes.end()) return found - resolved_.axes.begin();
  resolved_.axes.push_back(axis);
  return static_cast<int64_t>(resolved_.axes.size()) - 1;
}

int64_t EncodingPlaces::position_axis() {
  if (drawn_beside_) {
    fail_term(fmt::format("{} reads one position, and axis=both gives two coordinates; use axis=offset or axis=segment",
                          stack_.back()->name));
  }
  return add_axis(drawn_ ? *drawn_ : PositionAxis{.extent = shape_.positions});
}

std::vector<int64_t> EncodingPlaces::coordinate_axes(int64_t count) {
  if (drawn_ && drawn_->kind == PositionAxis::Kind::scattered) fail_term("coordinates cannot be scattered");
  if (drawn_ && drawn_->kind == PositionAxis::Kind::randomized) fail_term("coordinates cannot be randomized");
  if (drawn_ && !drawn_beside_) {
    fail_term("the offset or the segment alone is one coordinate; axis=both gives two");
  }
  if (drawn_beside_) {
    if (count > 2) fail_term(fmt::format("{} needs {} coordinates; segments have two", term_text(), count));
    return {add_axis(*drawn_), add_axis(*drawn_beside_)};
  }
  if (static_cast<int64_t>(shape_.grid.size()) < count) {
    fail_term(fmt::format("{} needs tokens with {} coordinates; these have {}", term_text(), count,
                          shape_.grid.empty() ? "only their index" : std::to_string(shape_.grid.size())));
  }
  std::vector<int64_t> result;
  for (int64_t a = 0; a < count; ++a) {
    result.push_back(add_axis(
        {.kind = PositionAxis::Kind::coordinate, .coordinate = a, .extent = shape_.grid[static_cast<size_t>(a)]}));
  }
  return result;
}

void EncodingPlaces::require_own_positions() const {
  if (!drawn_) return;
  const bool of_segments = drawn_->kind == PositionAxis::Kind::segment || drawn_->kind == PositionAxis::Kind::offset;
  fail_term(of_segments ? "positions are those of segments already" : "positions are drawn already");
}

void EncodingPlaces::randomize(int64_t extent, const std::function<void()>& fill) {
  require_own_positions();
  if (extent < shape_.positions) {
    fail_term(fmt::format("max must be at least the longest sequence, {}, not {}", shape_.positions, extent));
  }
  const int64_t outside = shape_.positions, trained = shape_.trained;
  drawn_ = PositionAxis{.kind = PositionAxis::Kind::randomized, .extent = extent};
  shape_.positions = extent;
  shape_.trained = 0;  // the range is the same at any length
  fill();
  shape_.positions = outside;
  shape_.trained = trained;
  drawn_.reset();
}

void EncodingPlaces::scatter(int64_t seed, const std::function<void()>& fill) {
  require_own_positions();
  drawn_ = PositionAxis{.kind = PositionAxis::Kind::scattered, .extent = shape_.positions, .seed = seed};
  fill();
  drawn_.reset();
}

void EncodingPlaces::segment(const Segments& segments, SegmentAxes axes, int64_t most,
                             const std::function<void()>& fill) {
  require_own_positions();
  const EncodingShape outside = shape_;
  // A run's first token has the offset 1 and may be the first of all.
  const int64_t natural = shape_.positions + (segments.at == Segments::At::inside ? 1 : 0);
  const int64_t extent = (most > 0 ? most : natural) + segments.shift;
  const PositionAxis offset{.kind = PositionAxis::Kind::offset, .extent = extent, .segments = segments};
  const PositionAxis segment{.kind = PositionAxis::Kind::segment, .extent = extent, .segments = segments};
  drawn_ = axes == SegmentAxes::segment ? segment : offset;
  if (axes == SegmentAxes::both) drawn_beside_ = segment;
  shape_.positions = extent;
  const bool same_at_any_length = most > 0 || outside.trained == 0;
  shape_.trained = same_at_any_length ? 0 : outside.trained + extent - outside.positions;
  // Offsets start again: keys that a causal query sees may have larger ones.
  if (axes != SegmentAxes::segment) shape_.causal = false;
  fill();
  shape_.positions = outside.positions;
  shape_.trained = outside.trained;
  shape_.causal = outside.causal;
  drawn_.reset();
  drawn_beside_.reset();
}

IndexSet EncodingPlaces::word_numbers(const WordSet& words) const {
  const EncodingShape& shape = resolved_.shape;
  std::vector<IndexRange> ranges = words.numbers.ranges();
  if (shape.vocabulary == 0) return words.numbers;
  std::vector<std::string> names;
  std::string known;
  for (const NamedWords& named : shape.words) {
    names.push_back(named.name);
    known +=
        fmt::format("{}{} ({})", known.empty() ? "" : ", ", named.name, print(IndexSet({{named.first, named.last}})));
  }
  const std::string there_are = fmt::format("words are 0 to {}{}", shape.vocabulary - 1,
                                            known.empty() ? ", without names" : fmt::format("; named are {}", known));
  if (!ranges.empty() && ranges.back().last >= shape.vocabulary) {
    fail_term(fmt::format("there is no word {}: {}", ranges.back().last, there_are));
  }
  for (const std::string& name : words.names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail_term(fmt::format("there are no words '{}': {}", name, there_are));
    }
    const NamedWords& named = shape.words[static_cast<size_t>(found - names.begin())];
    ranges.push_back({named.first, named.last});
  }
  return IndexSet(std::move(ranges));
}

}  // namespace phasor
