#include "phasor/encoding/measure/usual_shape.h"

#include <algorithm>
#include <optional>

#include "phasor/base/error.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {
namespace {

constexpr int64_t kMostNamed = 64;  // heads or layers
constexpr int64_t kPositions[] = {128, 64, 32, 16};
constexpr int64_t kHeadWidths[] = {16, 24, 32, 48, 64, 80, 96, 128, 192, 256};
// A table for every length and query position grows with the cube of the length.
constexpr int64_t kCubicPositions = 32;

// Heads and layers that the terms name, those of inner encodings too.
void include_named(const Encoding& encoding, EncodingShape& shape) {
  const auto include = [](const TermAssignment& assignment, int64_t& count) {
    if (!assignment.everything && !assignment.indices.empty()) {
      count = std::max(count, assignment.indices.last() + 1);
    }
  };
  for (const Term& term : encoding.terms) {
    include(term.heads, shape.heads);
    include(term.layers, shape.layers);
    for (const TermArgument& argument : term.arguments) {
      if (const Encoding* inner = std::get_if<Encoding>(&argument.value.content)) include_named(*inner, shape);
    }
  }
}

// How many coordinates it reads on this shape; nothing where it does not fit.
std::optional<int64_t> coordinates_read(const Encoding& encoding, EncodingShape shape) {
  shape.grid = {1, 1, 1, 1};
  try {
    int64_t count = 0;
    for (const PositionAxis& axis : resolve(encoding, shape).axes) {
      if (axis.kind == PositionAxis::Kind::coordinate) count = std::max(count, axis.coordinate + 1);
    }
    return count;
  } catch (const EncodingError&) {
    return std::nullopt;
  }
}

// Of so many cells; powers of two, as even as they come, the last axis the longest.
std::vector<int64_t> grid_of(int64_t coordinates, int64_t cells) {
  std::vector<int64_t> grid(static_cast<size_t>(coordinates), 1);
  for (size_t a = grid.size(); cells > 1 && !grid.empty(); cells /= 2) {
    a = a == 0 ? grid.size() - 1 : a - 1;
    grid[a] *= 2;
  }
  return grid;
}

}  // namespace

EncodingShape usual_shape(const Encoding& encoding) {
  const std::string text = print(encoding);
  const Encoding terms = parse_encoding(text);
  const EncodingSum sum(terms, text);
  EncodingShape shape{.layers = 2, .heads = 4, .head_width = kHeadWidths[0], .positions = kPositions[0]};
  include_named(terms, shape);
  if (std::max(shape.heads, shape.layers) > kMostNamed) {
    fail_usage("encoding '{}': heads and layers are shown up to number {}", text, kMostNamed - 1);
  }
  shape.causal = !sum.traits().bidirectional;
  shape.width = shape.heads * shape.head_width;
  const TableForm form = sum.form_for(shape);
  for (const int64_t positions : kPositions) {
    if (form.bias_by_query && form.bias_per_length && positions > kCubicPositions) continue;
    for (const int64_t head_width : kHeadWidths) {
      EncodingShape candidate = shape;
      candidate.positions = positions;
      candidate.head_width = head_width;
      candidate.width = shape.heads * head_width;
      const std::optional<int64_t> coordinates = coordinates_read(terms, candidate);
      if (!coordinates) continue;
      candidate.grid = grid_of(*coordinates, positions);
      return candidate;
    }
  }
  return shape;
}

}  // namespace phasor
