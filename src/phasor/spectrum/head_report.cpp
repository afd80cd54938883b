#include "phasor/spectrum/head_report.h"

#include <fmt/format.h>

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/spectrum/theory_checks.h"

namespace phasor {
namespace {

Spectrum spectrum_of(DenseView queries, DenseView keys, const HeadLogits& head, bool eigenvalues) {
  if (!head.causal) {
    return spectrum_of_factors(queries, keys, {.symmetric = true, .eigenvalues = eigenvalues}, head.scale);
  }
  Dense products = product_transposed(queries, keys);
  for (double& value : products.values()) value *= head.scale;
  return spectrum_of_masked(products);
}

Dense scaled_copy(const Dense& x, double factor) {
  Dense result = x;
  for (double& value : result.values()) value *= factor;
  return result;
}

}  // namespace

void require_head(const HeadLogits& head, std::string_view what) {
  const int64_t n = head.query.rows();
  if (n == 0 || head.query.columns() == 0) {
    fail("{}: queries of {} x {} make no logits", what, n, head.query.columns());
  }
  require_same_shape(head.query, head.key, fmt::format("{}: queries and keys", what));
  require_finite(head.query, fmt::format("{}: queries", what));
  require_finite(head.key, fmt::format("{}: keys", what));
  if (head.plain_query.rows() > 0) {
    require_same_shape(head.query, head.plain_query, fmt::format("{}: queries after and before turning", what));
    require_same_shape(head.key, head.plain_key, fmt::format("{}: keys after and before turning", what));
    require_finite(head.plain_query, fmt::format("{}: queries before turning", what));
    require_finite(head.plain_key, fmt::format("{}: keys before turning", what));
  }
  if (head.bias.rows() > 0) {
    if (head.bias.rows() != n || head.bias.columns() != n) {
      fail("{}: the bias is {} x {}, not {} x {}", what, head.bias.rows(), head.bias.columns(), n, n);
    }
    require_finite(head.causal ? lower_triangle(head.bias) : head.bias, fmt::format("{}: the bias", what));
  }
  if (head.rows.rows() > 0) require_finite(head.rows, fmt::format("{}: the products with distance rows", what));
  if (!std::isfinite(head.scale)) fail("{}: the scale is {}, which is no number", what, head.scale);
  const Dense logits = head.logits();
  require_finite(head.causal ? lower_triangle(logits) : logits,
                 fmt::format("{}: logits, which leave the range of double", what));
}

HeadReporter::HeadReporter(int64_t size, bool causal)
    : size_(size), causal_(causal), fitter_(size, causal), splitter_(size, causal) {}

HeadReport HeadReporter::report(const HeadLogits& head, const HeadReportOptions& options) const {
  if (head.size() != size_ || head.causal != causal_) {
    fail("a reporter for {}{} positions was given {}{}", causal_ ? "causal " : "", size_, head.causal ? "causal " : "",
         head.size());
  }
  require_head(head, "a head");
  HeadReport result;
  result.size = size_;
  result.causal = causal_;
  result.window = head.window;
  result.chunk = head.chunk;
  result.biased = head.adds();
  result.gated = head.gated;
  const Dense logits = head.logits();
  result.products = spectrum_of(head.query, head.key, head, options.eigenvalues && !result.biased);
  result.logits = result.products;
  if (result.biased) {
    result.logits = causal_ ? spectrum_of_masked(logits)
                            : spectrum(logits, {.symmetric = true, .eigenvalues = options.eigenvalues});
    result.bias_expansion = result.products.singular.largest > 0.0
                                ? result.logits.singular.largest / result.products.singular.largest
                                : 0.0;
  }
  if (head.plain_query.rows() > 0) {
    result.plain = spectrum_of(head.plain_query, head.plain_key, head, false);
    result.contraction = contraction(result.products, *result.plain);
  }
  if (options.numerical_range && !causal_) {
    result.range = result.biased
                       ? numerical_range(logits, options.angles)
                       : numerical_range_of_factors(scaled_copy(head.query, head.scale), head.key, options.angles);
  }
  result.relative = fitter_.fit(logits);
  result.toeplitz = toeplitz_share(logits, causal_);
  result.symbol = symbol(result.relative.kernel);
  result.split = splitter_.split(logits);
  if (options.checks) result.checks = theory_checks(head);
  return result;
}

}  // namespace phasor
