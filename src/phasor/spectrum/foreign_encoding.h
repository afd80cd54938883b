#pragma once
// An encoding tried on queries and keys from elsewhere, as they stand before any rotation: its rotations turn them, its
// biases and scales come on top.
#include <string>
#include <vector>

#include "phasor/encoding/encoding.h"
#include "phasor/spectrum/foreign_queries.h"

namespace phasor {

// Where the tokens stand: first, first + step, ...
struct ForeignPositions {
  int64_t first = 0, step = 1;

  int64_t of(int64_t token) const { return first + step * token; }
};

inline constexpr int64_t kMostForeignPosition = 1 << 20;  // tables of an encoding grow with it

// Sentences: what was done to what.
struct AppliedEncoding {
  std::string expression;  // canonical
  std::vector<std::string> done;
};

// Replaces what the file had of an encoding: rotated queries and keys, and a bias. Learned parts stand as a model of
// seed 0 starts. Throws UsageError for an encoding that queries and keys alone cannot take: one that adds to the
// embeddings, has a decoupled path, draws positions or reads coordinates.
AppliedEncoding apply_encoding(ForeignQueries& queries, const Encoding& encoding, const ForeignPositions& positions,
                               int64_t layer);

// What a table of contractions has to say of a rotation that is more than one: nothing where its factors are of
// length 1.
std::string product_factor_text(const ResolvedEncoding& encoding, int64_t layer);

}  // namespace phasor
