#include "phasor/spectrum/head_logits.h"

#include <cmath>

namespace phasor {

bool all_finite(DenseView a) {
  for (int64_t r = 0; r < a.extent(0); ++r) {
    for (int64_t c = 0; c < a.extent(1); ++c) {
      if (!std::isfinite(a.row(r)[c])) return false;
    }
  }
  return true;
}

Dense scaled_products(DenseView queries, DenseView keys, double scale) {
  Dense result = product_transposed(queries, keys);
  for (double& value : result.values()) value *= scale;
  return result;
}

Dense HeadLogits::products() const { return scaled_products(query, key, scale); }

Dense HeadLogits::plain_products() const { return scaled_products(plain_query, plain_key, scale); }

Dense HeadLogits::added() const {
  if (bias.rows() == 0) return rows;
  Dense result = bias;
  for (size_t i = 0; i < rows.values().size(); ++i) result.values()[i] += rows.values()[i];
  return result;
}

Dense HeadLogits::logits() const {
  Dense result = products();
  for (size_t i = 0; i < bias.values().size(); ++i) result.values()[i] += bias.values()[i];
  for (size_t i = 0; i < rows.values().size(); ++i) result.values()[i] += rows.values()[i];
  return result;
}

}  // namespace phasor
