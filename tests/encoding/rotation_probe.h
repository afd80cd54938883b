#pragma once
// Rotations as resolved.h defines them, applied to vectors in double.
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/random/distributions.h"

namespace phasor::testing_support {

using Vector = std::vector<double>;
using Factors = std::vector<std::complex<double>>;
using Position = std::vector<int64_t>;  // one number per axis

inline EncodingShape rotation_shape(int64_t head_width, int64_t positions, std::vector<int64_t> grid = {}) {
  return {.layers = 2,
          .heads = 3,
          .head_width = head_width,
          .width = 3 * head_width,
          .positions = positions,
          .grid = std::move(grid)};
}

inline std::shared_ptr<const Rotation> rotation(const std::string& text, const EncodingShape& shape) {
  return resolve(parse_encoding(text), shape).layers[1].rotation[2];
}

inline std::shared_ptr<const Rotation> rotation(const std::string& text, int64_t head_width, int64_t positions) {
  return rotation(text, rotation_shape(head_width, positions));
}

// With the numbers that training starts from in place of what is learned.
inline std::shared_ptr<const Rotation> started(const std::string& text, const EncodingShape& shape) {
  const ResolvedEncoding encoding = resolve(parse_encoding(text), shape);
  return with_values(encoding, initial_values(encoding, 1)).layers[1].rotation[2];
}

inline EncodingTraits traits_of(const std::string& text) { return EncodingSum(parse_encoding(text), text).traits(); }

inline Vector random_vector(int64_t size, uint32_t site) {
  const RandomStream stream{.seed = 11, .purpose = Purpose::test, .site = site};
  Vector result(static_cast<size_t>(size));
  for (size_t i = 0; i < result.size(); ++i) result[i] = normal(stream, i);
  return result;
}

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// What a pair is multiplied with: the product over the axes.
inline std::complex<double> factor(const Rotation& r, const Factors& factors, const Position& position, int64_t pair,
                                   int64_t length_class = 0) {
  std::complex<double> product = 1.0;
  const int64_t axes = static_cast<int64_t>(r.axes.size());
  for (int64_t a = 0; a < axes; ++a) {
    const int64_t row = length_class * axes + a;
    product *= factors[static_cast<size_t>((row * r.positions + position[static_cast<size_t>(a)]) * r.pairs + pair)];
  }
  return product;
}

inline Vector turned(const Rotation& r, const Factors& factors, const Position& position, Vector x,
                     int64_t length_class = 0) {
  for (int64_t c = 0; c < r.pairs; ++c) {
    const size_t first = static_cast<size_t>(r.first + (r.halves ? c : 2 * c));
    const size_t second = r.halves ? first + static_cast<size_t>(r.pairs) : first + 1;
    const std::complex<double> pair =
        std::complex<double>(x[first], x[second]) * factor(r, factors, position, c, length_class);
    x[first] = pair.real();
    x[second] = pair.imag();
  }
  return x;
}

inline double logit(const Rotation& r, const Vector& q, const Vector& k, const Position& i, const Position& j,
                    int64_t length_class = 0) {
  return dot(turned(r, r.query, i, q, length_class), turned(r, r.key, j, k, length_class));
}

inline std::string error_of(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "no error";
}

// Of reading the text.
inline std::string parse_error(const std::string& text) {
  return error_of([&] { parse_encoding(text); });
}

}  // namespace phasor::testing_support
