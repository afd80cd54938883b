#pragma once
// What an encoding expression came to for one model: the tables that every layer and head got.
// Training uploads them; the spectral analysis reads the same value, so it knows which part is a
// Toeplitz bias, which a Hadamard factor, and which it can only measure.
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phasor {

struct EncodingShape {
  int64_t layers = 1;
  int64_t heads = 1;
  int64_t head_width = 1;  // query and key channels of a head
  int64_t width = 1;       // of the residual stream
  int64_t positions = 1;   // tables cover positions 0 .. positions - 1
  bool causal = false;
};

struct Table {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values;

  Table() = default;
  Table(int64_t row_count, int64_t column_count)
      : rows(row_count), columns(column_count), values(static_cast<size_t>(row_count * column_count)) {}
  double& operator()(int64_t r, int64_t c) { return values[static_cast<size_t>(r * columns + c)]; }
  double operator()(int64_t r, int64_t c) const { return values[static_cast<size_t>(r * columns + c)]; }
};

// A table that is a parameter of the model. Its entries start as N(0, deviation^2).
struct LearnedTable {
  std::string parameter;  // tensor name, e.g. "encoding.learned"
  int64_t rows = 0;
  int64_t columns = 0;
  double deviation = 0.0;
};

// Place "rotation": complex factors per position and channel pair. Shared by all heads that use it.
struct Rotation {
  std::string name;   // the term that made it, for clashes and reports
  int64_t first = 0;  // first rotated channel
  int64_t pairs = 0;
  bool halves = false;                           // pairs (c, pairs + c) instead of (2 c, 2 c + 1)
  std::vector<double> frequencies;               // [pairs], radians per position
  std::vector<std::complex<double>> query, key;  // [positions, pairs]
};

struct LayerEncoding {
  std::vector<std::shared_ptr<const Rotation>> rotation;  // [heads], null for none
  // Place "distance bias", added outside the scale: column reach + (p_j - p_i), reach = positions - 1.
  std::optional<Table> bias;  // [heads, 2 reach + 1]
  // Place "scale": factor per head on top of 1 / sqrt(head width).
  std::vector<double> scale;  // [heads]
};

struct ResolvedEncoding {
  EncodingShape shape;
  std::string expression;                     // canonical text
  std::optional<Table> fixed_input;           // [positions, width], the sum of all fixed input terms
  std::optional<LearnedTable> learned_input;  // [positions, width]
  std::vector<LayerEncoding> layers;
};

}  // namespace phasor
