#include "phasor/model/segment_positions.h"

#include <algorithm>

namespace phasor {
namespace {

struct Place {
  int32_t segment = 0, offset = 0;
  bool outside = false;  // of all segments
};

// By the words that end a segment or start one.
std::vector<Place> bounded_places(std::span<const int32_t> tokens, const Segments& segments) {
  std::vector<Place> places;
  Place next;
  for (size_t t = 0; t < tokens.size(); ++t) {
    const bool word = segments.words.contains(tokens[t]);
    if (word && segments.at == Segments::At::start && t > 0) next = {.segment = next.segment + 1};
    places.push_back(next);
    ++next.offset;
    if (word && segments.at == Segments::At::end) next = {.segment = next.segment + 1};
  }
  return places;
}

std::vector<Place> run_places(std::span<const int32_t> tokens, const Segments& segments) {
  std::vector<Place> places;
  Place last{.outside = true};
  for (const int32_t token : tokens) {
    const bool within = segments.words.contains(token);
    if (within && last.outside) ++last.segment;
    last.outside = !within;
    last.offset = within ? last.offset + 1 : 0;
    places.push_back(last);
  }
  return places;
}

}  // namespace

std::vector<int32_t> segment_positions(std::span<const int32_t> tokens, const PositionAxis& axis, int32_t start) {
  const Segments& segments = axis.segments;
  const bool by_offset = axis.kind == PositionAxis::Kind::offset;
  // Further ones share the last.
  const auto last = static_cast<int32_t>(axis.extent - 1 - segments.shift);
  std::vector<int32_t> positions;
  for (const Place& place :
       segments.at == Segments::At::inside ? run_places(tokens, segments) : bounded_places(tokens, segments)) {
    const int32_t position = std::min(by_offset ? place.offset : place.segment, last);
    positions.push_back(by_offset && place.outside ? position : position + start);
  }
  return positions;
}

}  // namespace phasor
