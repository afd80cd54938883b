#pragma once
// What an encoding expression came to for one model: what every layer and head got. Training uploads it; the
// spectral analysis reads the same value, so it knows which part is a Toeplitz bias, which a Hadamard factor,
// and which it can only measure. Tables hold what is fixed; what is learned is listed beside them by source,
// and with_values() (values.h) puts the (trained) numbers in.
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/feature_map.h"
#include "phasor/base/named_words.h"
#include "phasor/encoding/resolve/dense_place.h"
#include "phasor/encoding/resolve/gate_term.h"
#include "phasor/encoding/resolve/segments.h"
#include "phasor/encoding/resolve/table.h"
#include "phasor/encoding/resolve/table_source.h"
#include "phasor/encoding/resolve/token_rotation.h"

namespace phasor {

struct EncodingShape {
  int64_t layers = 1;
  int64_t heads = 1;
  int64_t head_width = 1;  // query and key channels of a head, without a decoupled path
  int64_t width = 1;       // of the residual stream
  int64_t positions = 1;   // the longest sequence; indices are 0 .. positions - 1
  bool causal = false;
  std::vector<int64_t> grid = {};      // extents of the coordinates that tokens have beside their index; often none
  int64_t vocabulary = 0;              // words are 0 .. vocabulary - 1; 0: not known, so that any may be named
  std::vector<NamedWords> words = {};  // those that have names
  // The longest sequence of training, where sequences are longer now: trained numbers are those that it had. 0: they
  // are not.
  int64_t trained = 0;
  // False: rotations have the frequencies of the longest sequences alone, and no factor for any position. For looking
  // at lengths that no table could hold.
  bool factors = true;
};

// Place "positions": one of the numbers that say where a token stands.
struct PositionAxis {
  // randomized: drawn in order for every sequence; scattered: the index in a random order, drawn once; segment, offset:
  // which segment of its sequence a token stands in, and where in it
  enum class Kind : uint8_t { index, coordinate, randomized, scattered, segment, offset };

  Kind kind = Kind::index;
  int64_t coordinate = 0;  // which one, of Kind::coordinate
  int64_t extent = 0;      // positions are 0 .. extent - 1
  int64_t seed = 0;        // which order, of Kind::scattered
  Segments segments = {};  // of Kind::segment and Kind::offset

  // Whether a later token may have a smaller position.
  bool goes_back() const { return kind == Kind::coordinate || kind == Kind::scattered || kind == Kind::offset; }

  bool operator==(const PositionAxis&) const = default;
};

// Place "input term": added to the embeddings.
struct InputTerm {
  int64_t axis = 0;
  bool per_length = false;  // a table for each length of a sequence, from 1 on
  Table fixed;              // [(lengths *) positions, width]
  std::vector<TableSource> learned;
};

// Place "rotation": complex factors per position and channel pair, m e^(i p w) in most cases.
struct Rotation {
  std::string name;   // the term that made it, for clashes and reports
  int64_t first = 0;  // first rotated channel
  int64_t pairs = 0;
  bool halves = false;              // pairs (c, pairs + c) instead of (2 c, 2 c + 1)
  std::vector<int64_t> axes = {0};  // places in ResolvedEncoding::axes; a pair's factor is their product

  // A sequence of length n reads class_of_length[n]; empty: there is one class.
  std::vector<int32_t> class_of_length;
  int64_t classes = 1;

  Table frequencies;                 // [classes * axes, pairs], radians per position; empty where there are none
  std::vector<TableSource> learned;  // of the frequencies, one class only
  double magnitude = 1.0;            // m of every axis, where a rule sets one; see frequencies

  // [pairs]: how fast each pair would turn if nothing stretched it, along its axis or direction; empty: nothing does.
  std::vector<double> unscaled;
  // What the stretching rule divides by where it divides in full, for the longest sequences; 0: each pair has a divisor
  // of its own.
  double stretch = 1.0;

  // Of one class and one axis: what keys are turned by beside that, the same at every position.
  Table phases;                             // [1, pairs], radians; empty where there are none
  std::vector<TableSource> learned_phases;  // then `key` is without them

  std::vector<std::complex<double>> query, key;  // [classes * axes, positions, pairs]; empty where learned
  int64_t positions = 0;                         // 0 where the shape asks for no factors
};

// Place "distance bias", added outside the scale: row head * rows + (rows > 1 ? p_i : 0) of the sequence's table,
// column reach + p_j - p_i.
struct BiasTerm {
  int64_t axis = 0;
  bool per_length = false;  // a table for each length of a sequence, from 1 on
  int64_t rows = 1;         // 1, or the number of positions where the bias depends on the query's position too
  int64_t reach = 0;
  Table fixed;  // [(lengths *) heads * rows, 2 reach + 1]
  std::vector<TableSource> learned;

  bool operator==(const BiasTerm&) const = default;
};

// Place "scale", by row: a factor on the products of a query with all keys, inside of the biases. Row head of the
// sequence's table, column p_i, or 0 where there is only one.
struct ScaleTerm {
  int64_t axis = 0;
  bool per_length = false;  // a table for each length of a sequence, from 1 on
  Table fixed;              // [(lengths *) heads, positions or 1]; heads that learn theirs have 0, those without one 1
  std::vector<TableSource> learned;

  bool operator==(const ScaleTerm&) const = default;
};

// Place "distance rows": row index[reach + p_j - p_i] of the table, multiplied with the query's channels, or with the
// key's, as they stand before any rotation. Heads stand side by side, or all read the same columns.
struct RowTerm {
  std::string name;  // the term that made it, for reports
  int64_t axis = 0;
  int64_t reach = 0;
  std::vector<int32_t> index;  // [2 reach + 1]
  Table fixed;                 // [rows, heads * head_width or head_width]
  std::vector<TableSource> learned;

  bool operator==(const RowTerm&) const = default;
};

// A vector per head, added to every query where it meets keys, or where it meets distance rows.
struct ShiftTerm {
  Table fixed;  // [heads, head_width]
  std::vector<TableSource> learned;

  bool operator==(const ShiftTerm&) const = default;
};

// Place "decoupled path": queries and keys come out of narrow latents, and have channels beside the head's own
// that carry position alone (DeepSeek-V2's multi-head latent attention).
struct DecoupledPath {
  std::string name;
  int64_t key_latent = 0;     // width that keys and values are made from
  int64_t query_latent = 0;   // width that queries are made from
  int64_t rotary = 0;         // extra channels of queries and keys; keys share them between heads
  bool shared_query = false;  // queries too
  bool norm = true;           // RMS norm on the latents

  bool operator==(const DecoupledPath&) const = default;
};

// Which keys a head sees, beside a causal mask, by the tokens' indices in their sequence.
struct HeadMask {
  int64_t window = 0;  // those less than so many tokens away; 0: all
  int64_t chunk = 0;   // those of the query's own chunk of so many tokens; 0: all

  bool any() const { return window > 0 || chunk > 0; }
  bool operator==(const HeadMask&) const = default;
};

// Place "sink": a logit that joins the softmax of every query, and has no key and no value.
struct SinkTerm {
  Table fixed;  // [1, heads], -infinity for heads without one
  std::vector<TableSource> learned;

  bool operator==(const SinkTerm&) const = default;
};

struct LayerEncoding {
  std::vector<std::shared_ptr<const Rotation>> rotation;    // [heads], null for none
  std::shared_ptr<const BiasTerm> bias;                     // null for none; layers of equal biases share one
  std::shared_ptr<const RowTerm> query_rows, key_rows;      // null for none; layers of equal ones share one
  std::shared_ptr<const ShiftTerm> query_shift, row_shift;  // null for none; the latter only beside query_rows
  // Place "scale": factor per head on top of 1 / sqrt(query width).
  std::vector<double> scale;                   // [heads]
  std::shared_ptr<const ScaleTerm> row_scale;  // on top of that, by the query's position or the length; null for none
  std::vector<HeadMask> masks;                 // [heads]
  std::shared_ptr<const SinkTerm> sink;        // null for none
  std::optional<DecoupledPath> decoupled;
  std::vector<GateTerm> gates;  // of different heads; often none
  std::optional<TokenRotation> token_rotation;
  // Place "features": what queries and keys of all heads become before they are turned.
  FeatureMap feature = FeatureMap::none;
  std::shared_ptr<const DensePlace> dense;  // null for none

  bool learns(int64_t head) const;  // frequencies or phases of the head's rotation, if there is one
};

struct ResolvedEncoding {
  EncodingShape shape;
  std::string expression;  // canonical text
  std::vector<PositionAxis> axes;
  std::vector<LearnedParameter> parameters;
  int64_t embedding_width = 0;  // of the tokens' vectors; input terms have the rest to themselves (concat)
  std::optional<InputTerm> input;
  std::vector<LayerEncoding> layers;
};

}  // namespace phasor
