#include "phasor/encoding/measure/kernel.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

namespace phasor {
namespace {

using Place = CodeSite::Place;

// The product of two rows.
double product(const Table& a, int64_t row_a, const Table& b, int64_t row_b) {
  double sum = 0.0;
  for (int64_t c = 0; c < a.columns; ++c) sum += a(row_a, c) * b(row_b, c);
  return sum;
}

// Positions along one axis with the others held: rows start, start + stride, ...
struct Line {
  int64_t start = 0;
  int64_t stride = 1;
};

std::vector<Line> lines_along(const std::vector<int64_t>& extents, size_t axis) {
  int64_t stride = 1;
  for (size_t a = axis + 1; a < extents.size(); ++a) stride *= extents[a];
  int64_t outer = 1;
  for (size_t a = 0; a < axis; ++a) outer *= extents[a];
  std::vector<Line> lines;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t s = 0; s < stride; ++s) lines.push_back({.start = o * stride * extents[axis] + s, .stride = stride});
  }
  return lines;
}

// look(line, i, j, seen) puts into `seen` what the query at i sees of the key at j: one number, or one per channel
// pair. The kernel is the real part of the sum.
template <class Look>
Kernel measure(const CodeSite& site, const PositionAxis& axis, int64_t extent, bool causal,
               const std::vector<Line>& lines, const Look& look) {
  Kernel kernel{.site = site, .axis = axis, .first = 1 - extent, .values = {}};
  std::vector<std::vector<std::complex<double>>> reference;  // [distances]
  for (int64_t d = kernel.first; d < (causal ? 1 : extent); ++d) {
    const int64_t seen_from = d <= 0 ? extent - 1 : 0;
    look(lines.front(), seen_from, seen_from + d, reference.emplace_back());
    double sum = 0.0;
    for (const std::complex<double>& number : reference.back()) sum += number.real();
    kernel.values.push_back(sum);
  }
  double most = 0.0;  // square of the largest difference
  std::vector<std::complex<double>> seen;
  for (const Line& line : lines) {
    for (int64_t i = 0; i < extent; ++i) {
      for (int64_t j = 0; j < (causal ? i + 1 : extent); ++j) {
        look(line, i, j, seen);
        const auto& expected = reference[static_cast<size_t>(j - i - kernel.first)];
        for (size_t c = 0; c < seen.size(); ++c) most = std::max(most, std::norm(seen[c] - expected[c]));
      }
    }
  }
  // As if all content were in one pair.
  kernel.deviation = static_cast<double>(reference.front().size()) * std::sqrt(most);
  return kernel;
}

// Whether a query sees no key at a larger position. Offsets within segments start again, so that it may.
bool looks_back(const ResolvedEncoding& encoding, const PositionAxis& axis) {
  return encoding.shape.causal && axis.kind != PositionAxis::Kind::offset;
}

Kernel bias_kernel(const ResolvedEncoding& encoding, const CodeSite& site) {
  const int64_t length = encoding.shape.positions;
  const BiasTerm& bias = *encoding.layers[static_cast<size_t>(site.layer)].bias;
  const PositionAxis& axis = encoding.axes[static_cast<size_t>(bias.axis)];
  return measure(site, axis, extent_of(axis, length), looks_back(encoding, axis), {Line()},
                 [&](const Line&, int64_t i, int64_t j, std::vector<std::complex<double>>& seen) {
                   seen.assign(1, bias_between(encoding, site, i, j, length));
                 });
}

Kernel input_kernel(const ResolvedEncoding& encoding, const CodeSite& site) {
  const PositionCodes codes = position_codes(encoding, site, encoding.shape.positions);
  const double width = static_cast<double>(encoding.shape.width);
  return measure(site, codes.axes[0], codes.extents[0], looks_back(encoding, codes.axes[0]), {Line()},
                 [&](const Line&, int64_t i, int64_t j, std::vector<std::complex<double>>& seen) {
                   seen.assign(1, product(codes.query, i, codes.key, j) / width);
                 });
}

// Along one of its axes.
Kernel rotation_kernel(const ResolvedEncoding& encoding, const CodeSite& site, const PositionCodes& codes,
                       size_t axis) {
  // A mask goes by the order of tokens; along a coordinate a key may lie on either side.
  const bool causal = looks_back(encoding, codes.axes[0]) && codes.axes.size() == 1;
  const auto factor = [](const Table& table, int64_t row, int64_t pair) {
    return std::complex<double>(table(row, 2 * pair), table(row, 2 * pair + 1));
  };
  return measure(site, codes.axes[axis], codes.extents[axis], causal, lines_along(codes.extents, axis),
                 [&](const Line& line, int64_t i, int64_t j, std::vector<std::complex<double>>& seen) {
                   seen.clear();
                   for (int64_t c = 0; c < codes.query.columns / 2; ++c) {
                     seen.push_back(factor(codes.query, line.start + i * line.stride, c) *
                                    std::conj(factor(codes.key, line.start + j * line.stride, c)));
                   }
                 });
}

}  // namespace

double Kernel::largest() const {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

bool Kernel::toeplitz() const {
  // Sums of products of rounded numbers: some rounding units, with room for the long ones.
  return deviation <= 1e4 * std::numeric_limits<double>::epsilon() * largest();
}

std::vector<Kernel> kernels_at(const ResolvedEncoding& encoding, const CodeSite& site) {
  std::vector<Kernel> result;
  switch (site.place) {
    case Place::none:
      break;
    case Place::input:
      result.push_back(input_kernel(encoding, site));
      break;
    case Place::rotation:
    case Place::decoupled: {
      const PositionCodes codes = position_codes(encoding, site, encoding.shape.positions);
      for (size_t axis = 0; axis < codes.axes.size(); ++axis) {
        result.push_back(rotation_kernel(encoding, site, codes, axis));
      }
      break;
    }
    case Place::bias:
      result.push_back(bias_kernel(encoding, site));
      break;
  }
  return result;
}

std::vector<Kernel> kernels(const ResolvedEncoding& encoding, int64_t layer, int64_t head) {
  std::vector<Kernel> result;
  for (const CodeSite& site : code_sites(encoding, layer, head)) {
    for (Kernel& kernel : kernels_at(encoding, site)) result.push_back(std::move(kernel));
  }
  return result;
}

}  // namespace phasor
