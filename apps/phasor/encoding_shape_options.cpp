#include "encoding_shape_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding_sum.h"
#include "phasor/encoding/usual_shape.h"
#include "phasor/train/config_text.h"
#include "usage.h"

namespace phasor::app {
namespace {

// Every position is compared with every other.
constexpr int64_t kMostPositions = 2048;
// Of a table; twice the length has four times as many, or eight times.
constexpr double kMostEntries = 4194304.0;

// Tables for each length, or for each query position, grow with the square of the length.
int64_t most_positions(const Encoding& encoding, const EncodingShape& shape) {
  const EncodingSum sum(encoding, print(encoding));
  const TableForm form = sum.form();
  const double row = static_cast<double>(std::max(shape.width, 2 * shape.heads));
  double most = static_cast<double>(kMostPositions);
  if (form.bias_by_query && form.bias_per_length) {
    most = std::cbrt(kMostEntries / static_cast<double>(2 * shape.heads));
  } else if (form.bias_by_query || form.bias_per_length || form.input_per_length || sum.traits().depends_on_length) {
    most = std::sqrt(kMostEntries / row);
  }
  return std::min(kMostPositions, static_cast<int64_t>(most));
}

std::vector<int64_t> read_grid(const std::string& text) {
  std::vector<int64_t> grid;
  int64_t cells = 1;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    grid.push_back(read_whole("--grid", text.substr(at, end - at), {.least = 1, .most = kMostPositions}));
    cells *= grid.back();
    if (grid.size() > 4) fail_usage("--grid {}: at most 4 extents, such as 4,6", text);
    if (cells > kMostPositions) fail_usage("--grid {}: at most {} cells", text, kMostPositions);
    at = end + 1;
  }
  return grid;
}

}  // namespace

void EncodingShapeOptions::add_to(CLI::App& command) {
  add_text(command, "--length", length, "Positions to measure on (default 128)")->type_name("N");
  add_text(command, "--layers", layers, "Layers of the model (default 2, or those that the expression names)")
      ->type_name("L");
  add_text(command, "--heads", heads, "Heads of a layer (default 4, or those that the expression names)")
      ->type_name("H");
  add_text(command, "--width", width, "Width of the model; a head has W/H channels (default 16 per head)")
      ->type_name("W");
  add_text(command, "--grid", grid, "Extents of the tokens' coordinates, such as 4,6 (default 8,16 where needed)")
      ->type_name("N,N");
  command.add_flag("--causal", causal, "With a causal mask (default where nothing is told apart without one)");
}

bool EncodingShapeOptions::empty() const {
  return length.empty() && layers.empty() && heads.empty() && width.empty() && grid.empty() && !causal;
}

EncodingShape EncodingShapeOptions::shape(const Encoding& encoding) const {
  EncodingShape shape = usual_shape(encoding);
  if (!layers.empty()) shape.layers = read_whole("--layers", layers, {.least = 1, .most = 64});
  if (!heads.empty()) shape.heads = read_whole("--heads", heads, {.least = 1, .most = 64});
  shape.width = shape.heads * shape.head_width;
  if (!width.empty()) {
    shape.width = read_whole("--width", width, {.least = 1, .most = 1024});
    if (shape.width % shape.heads != 0) {
      fail_usage("--width {} cannot be shared by {} heads; {} can", shape.width, shape.heads,
                 std::max<int64_t>(1, shape.width / shape.heads) * shape.heads);
    }
    shape.head_width = shape.width / shape.heads;
  }
  if (!length.empty()) {
    const int64_t positions = read_whole("--length", length, {.least = 2, .most = most_positions(encoding, shape)});
    if (!shape.grid.empty() && grid.empty()) {
      fail_usage("--length {}: this encoding reads coordinates; give their extents with --grid, such as {}", positions,
                 fmt::join(shape.grid, ","));
    }
    shape.positions = positions;
  }
  if (!grid.empty()) {
    shape.grid = read_grid(grid);
    int64_t cells = 1;
    for (const int64_t extent : shape.grid) cells *= extent;
    if (!length.empty() && shape.positions != cells) {
      fail_usage("--grid {} has {} positions, --length says {}; leave one of them out", grid, cells, shape.positions);
    }
    shape.positions = cells;
  }
  shape.causal = shape.causal || causal;
  return shape;
}

}  // namespace phasor::app
