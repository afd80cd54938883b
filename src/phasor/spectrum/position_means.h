#pragma once
// The positional part of queries and keys: what they are on average at a place. Of row x at index i of its sequence
//
//   p_i = mean of the rows at index i - mean of all rows,    content = x - p_i,
//
// so the grand mean and the biases of projections stay with the content, and the p_i have mean 0 over the rows. A
// query is W x + b with x the normed stream, so p_i of queries is W p_i of that stream (but not where the encoding
// makes features of queries, which are then the rows). A token's place is its index in the sequence, on a grid too.
// What it cannot see: position that samples do not have in common.
//
// The mean of c samples carries a share 1 / c of the content's variance as noise. Estimators:
//   none    p = 0: everything counts as content
//   all     p from all samples, their own included: shares of position are too large by about that noise
//   halves  p for the samples of even number from those of odd number, and the other way round: the noise of p is
//           independent of what p is taken from and of the other half's p, so that products between them have no bias
#include <cstdint>
#include <vector>

#include "phasor/spectrum/layer_logits.h"

namespace phasor {

enum class PositionEstimator : uint8_t { none, all, halves };

// Of one set of rows. Indices that none of its samples have get 0.
struct PositionPart {
  Dense means;                  // [positions, columns]: p_i
  std::vector<int64_t> counts;  // [positions]: samples that were averaged
  std::vector<double> grand;    // [columns]: the mean of all rows

  int64_t positions() const { return means.rows(); }
};

// Of the rows offsets[s] .. offsets[s + 1] - 1 of every sequence s with s % step == first.
PositionPart position_part(DenseView rows, const std::vector<int32_t>& offsets, int64_t first = 0, int64_t step = 1);

class PositionMeans {
 public:
  explicit PositionMeans(const LayerLogits& layer, PositionEstimator estimator = PositionEstimator::halves);

  PositionEstimator estimator() const { return estimator_; }
  // 2 for `halves`, else 1.
  int64_t estimates() const { return static_cast<int64_t>(queries_.size()); }
  const PositionPart& query_part(int64_t estimate) const { return queries_[static_cast<size_t>(estimate)]; }
  const PositionPart& key_part(int64_t estimate) const { return keys_[static_cast<size_t>(estimate)]; }
  // Which estimate serves a sequence.
  int64_t estimate_for(int64_t sequence) const { return estimates() == 1 ? 0 : 1 - sequence % 2; }

  // p of one sequence, [n, heads * width], before rotation.
  Dense queries(int64_t sequence) const;
  Dense keys(int64_t sequence) const;
  // By one estimate, for a sequence of this length.
  Dense queries(int64_t estimate, int64_t length) const { return rows(query_part(estimate), length); }
  Dense keys(int64_t estimate, int64_t length) const { return rows(key_part(estimate), length); }

  // Places that at least half of the sequences of each estimate have: beyond, p is mostly noise.
  int64_t well_known() const;

 private:
  static Dense rows(const PositionPart& part, int64_t length);

  PositionEstimator estimator_;
  std::vector<int32_t> offsets_;
  std::vector<PositionPart> queries_, keys_;  // per estimate
};

}  // namespace phasor
