#pragma once
// sum = residual + dropout(branch);  y = norm(sum) * weight + bias, with layer norm (Ba et al., 2016)
// or RMS norm (Zhang and Sennrich, 2019) over each row.
#include "phasor/engine/ops.h"
#include "reference/dropout.h"
#include "reference/grid.h"

namespace phasor::reference {

template <class S>
struct NormInput {
  NormKind kind = NormKind::layer;
  double epsilon = 1e-5;
  Grid<S> residual;  // [rows, width]
  Grid<S> branch;    // [rows, width] or empty
  Grid<S> weight;    // [1, width]
  Grid<S> bias;      // [1, width], layer norm only
  DropoutRule dropout;
};

template <class S>
struct NormResult {
  Grid<S> sum, y;      // [rows, width]
  Grid<S> mean, rstd;  // [rows, 1]
};

template <class S>
NormResult<S> residual_norm(const NormInput<S>& in) {
  using std::sqrt;
  const int64_t rows = in.residual.rows;
  const int64_t width = in.residual.columns;
  NormResult<S> result{in.residual, Grid<S>(rows, width), Grid<S>(rows, 1), Grid<S>(rows, 1)};
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < width && !in.branch.empty(); ++c) {
      const S factor = in.dropout.template factor<S>(static_cast<uint64_t>(r * width + c));
      if (value_of(factor) != 0.0) result.sum(r, c) = in.residual(r, c) + in.branch(r, c) * factor;
    }
    const S count = S(static_cast<double>(width));
    S mean = S(0.0);
    if (in.kind == NormKind::layer) {
      Sum<S> sum;
      for (int64_t c = 0; c < width; ++c) sum.add(result.sum(r, c));
      mean = sum.total() / count;
    }
    Sum<S> squares;
    for (int64_t c = 0; c < width; ++c) {
      const S centred = in.kind == NormKind::layer ? result.sum(r, c) - mean : result.sum(r, c);
      squares.add(centred * centred);
    }
    const S rstd = S(1.0) / sqrt(squares.total() / count + S(in.epsilon));
    for (int64_t c = 0; c < width; ++c) {
      const S centred = in.kind == NormKind::layer ? result.sum(r, c) - mean : result.sum(r, c);
      const S scaled = centred * rstd * in.weight(0, c);
      result.y(r, c) = in.kind == NormKind::layer ? scaled + in.bias(0, c) : scaled;
    }
    result.mean(r, 0) = mean;
    result.rstd(r, 0) = rstd;
  }
  return result;
}

template <class S>
struct NormBackwardInput {
  NormKind kind = NormKind::layer;
  Grid<S> dsum;             // the gradient that reaches the sum by other ways
  Grid<S> dweight, dbias;   // [1, width], added to
  Grid<S> dy;               // empty: no norm
  Grid<S> sum, mean, rstd;  // of the forward pass
  Grid<S> weight;
  DropoutRule dropout;
};

template <class S>
struct NormGradients {
  Grid<S> dsum, dbranch, dweight, dbias;
};

// With g = dy * weight and n = (sum - mean) * rstd: dsum += rstd (g - mean(g) - n mean(g n)); RMS norm
// has no mean(g).
template <class S>
NormGradients<S> residual_norm_backward(const NormBackwardInput<S>& in) {
  const int64_t rows = in.dsum.rows;
  const int64_t width = in.dsum.columns;
  const bool centre = in.kind == NormKind::layer;
  NormGradients<S> out{in.dsum, Grid<S>(rows, width), in.dweight, in.dbias};
  std::vector<Sum<S>> dweight(static_cast<size_t>(width));
  std::vector<Sum<S>> dbias(static_cast<size_t>(width));
  for (int64_t r = 0; r < rows; ++r) {
    if (!in.dy.empty()) {
      std::vector<S> normal(static_cast<size_t>(width));
      std::vector<S> g(static_cast<size_t>(width));
      Sum<S> sum_g;
      Sum<S> sum_gn;
      for (int64_t c = 0; c < width; ++c) {
        const auto at = static_cast<size_t>(c);
        normal[at] = (centre ? in.sum(r, c) - in.mean(r, 0) : in.sum(r, c)) * in.rstd(r, 0);
        g[at] = in.dy(r, c) * in.weight(0, c);
        sum_g.add(g[at]);
        sum_gn.add(g[at] * normal[at]);
        dweight[at].add(in.dy(r, c) * normal[at]);
        dbias[at].add(in.dy(r, c));
      }
      const S count = S(static_cast<double>(width));
      const S mean_g = centre ? sum_g.total() / count : S(0.0);
      const S mean_gn = sum_gn.total() / count;
      for (int64_t c = 0; c < width; ++c) {
        const auto at = static_cast<size_t>(c);
        const S pulled = centre ? g[at] - mean_g : g[at];
        out.dsum(r, c) += in.rstd(r, 0) * (pulled - normal[at] * mean_gn);
      }
    }
    for (int64_t c = 0; c < width; ++c) {
      out.dbranch(r, c) = out.dsum(r, c) * in.dropout.template factor<S>(static_cast<uint64_t>(r * width + c));
    }
  }
  for (int64_t c = 0; c < width && !in.dy.empty(); ++c) {
    dweight[static_cast<size_t>(c)].add(in.dweight(0, c));
    out.dweight(0, c) = dweight[static_cast<size_t>(c)].total();
    if (!centre) continue;
    dbias[static_cast<size_t>(c)].add(in.dbias(0, c));
    out.dbias(0, c) = dbias[static_cast<size_t>(c)].total();
  }
  return out;
}

}  // namespace phasor::reference
