#pragma once
// Logits as a sum of parts: queries and keys are content + position (position_means.h), products of sums are sums of
// products, and rotation is linear:
//
//   logits = G_cc + G_cp + G_pc + G_pp + B + R,     G_ab = scale * (turned q^a) (turned k^b)^T
//
// R, the products with distance rows, stays one part: content by distance. What an encoding adds to all queries is
// content.
//
// With a decoupled path (MLA) each G is that of the head's own channels plus that of the rotary ones.
#include <optional>

#include "phasor/spectrum/head_logits.h"

namespace phasor {

// Shares of the variance of row-centred logits (softmax ignores a constant per row): Cov(part, logits) / Var(logits),
// which add up to 1; a part that works against the others has a negative one. Of causal heads the entries that are
// seen count, centred over those of their row.
struct PartShares {
  double content_content = 0.0;
  double content_position = 0.0;
  double position_content = 0.0;
  double position_position = 0.0;
  double bias = 0.0;
  double rows = 0.0;       // products with distance rows
  double decoupled = 0.0;  // of the first four together: what comes through a decoupled path

  bool has_rows() const { return rows < 0.0 || rows > 0.0; }
  double positional() const { return position_position + bias; }
  double mixed() const { return content_position + position_content + rows; }
};

struct GramParts {
  Dense content_content, content_position, position_content, position_position;  // [n, n]; query first, then key

  bool empty() const { return content_content.rows() == 0; }
  Dense sum() const;
};

struct Decomposition {
  GramParts own;        // all channels, or those in front of a decoupled path
  GramParts decoupled;  // empty without one
  Dense bias;           // empty: none
  Dense rows;           // likewise

  Dense sum() const;  // the logits again
};

// The positional parts are turned like the whole: SequenceTables::turned_queries, or sequence_with().
Decomposition decompose(const HeadLogits& head, DenseView position_query, DenseView position_key);

// None for logits whose rows are constant to rounding. Without forming parts: what is asked for are traces of products
// with the logits, and of unmasked logits without bias everything is in matrices of the head's width.
std::optional<PartShares> part_shares(const HeadLogits& head, DenseView position_query, DenseView position_key);

// logits less their row's mean over what is seen, and 0 elsewhere.
Dense row_centred(DenseView logits, bool causal);

}  // namespace phasor
