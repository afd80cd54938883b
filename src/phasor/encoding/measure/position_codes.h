#pragma once
// What tells one position from another, place by place, as vectors that can be compared: the basis of kernels and of
// the desiderata.
#include <cstdint>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/resolved.h"

namespace phasor {

// A place that carries positions, and the first layer and head that have it.
struct CodeSite {
  enum class Place : uint8_t {
    none,
    input,
    rotation,   // of a head's own channels
    decoupled,  // a rotation of channels beside them
    bias,
  };

  Place place = Place::none;
  int64_t layer = 0;
  int64_t head = 0;

  bool operator==(const CodeSite&) const = default;
};

std::string_view place_name(CodeSite::Place place);

// Places that this layer and head have. `encoding` has its values (values.h), here and below.
std::vector<CodeSite> code_sites(const ResolvedEncoding& encoding, int64_t layer, int64_t head);
// One for each kind of place that the encoding fills with positions.
std::vector<CodeSite> code_sites(const ResolvedEncoding& encoding);

// A vector per position:
//   input      the row of the input term
//   rotation   what becomes of a query or a key of norm 1 that has equal shares in all pairs; which way each pair
//              points in the beginning changes no norm or difference, so it is the real axis
//   bias       no position has a code, only a distance does: what the heads of the layer add for a key so far behind
//              the query, a number per head
struct PositionCodes {
  CodeSite site;
  std::vector<PositionAxis> axes;
  std::vector<int64_t> extents;  // positions along each axis; rows of the tables are their combinations, the last
                                 // axis fastest
  Table query;                   // [positions, channels]
  Table key;                     // the same but where keys turn otherwise (xpos); empty for a bias
  Table other;                   // of rotations, what becomes of a query with other, random content; else empty
  double content_norm = 1.0;  // that content beside it has: of N(0, 1) entries, of a unit vector, of logits of N(0, 1)

  bool by_distance() const { return site.place == CodeSite::Place::bias; }
};

// Of a sequence with so many tokens.
PositionCodes position_codes(const ResolvedEncoding& encoding, const CodeSite& site, int64_t length);

// What the head adds to the logit of query position i and key position j.
double bias_between(const ResolvedEncoding& encoding, const CodeSite& site, int64_t i, int64_t j, int64_t length);

// Of positions on the axis in a sequence of so many tokens.
int64_t extent_of(const PositionAxis& axis, int64_t length);

}  // namespace phasor
