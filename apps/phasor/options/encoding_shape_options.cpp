#include "options/encoding_shape_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/run/config_text.h"

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

void EncodingShapeOptions::add_to(CLI::App& command, bool by_head) {
  add_whole(command, "--length", length, {.least = 2, .most = kMostPositions}, "Positions to measure on (default 128)");
  add_whole(command, "--layers", layers, {.least = 1, .most = 64},
            "Layers of the model (default 2, or those that the expression names)")
      ->type_name("L");
  add_whole(command, "--heads", heads, {.least = 1, .most = 64},
            "Heads of a layer (default 4, or those that the expression names)")
      ->type_name("H");
  if (by_head) {
    add_whole(command, "--head-width", head_width, {.least = 1, .most = 512}, "Channels of a head (default 16)")
        ->type_name("D");
  } else {
    add_whole(command, "--width", width, {.least = 1, .most = 1024},
              "Width of the model; a head has W/H channels (default 16 per head)")
        ->type_name("W");
  }
  add_text(command, "--grid", grid, "Extents of the tokens' coordinates, such as 4,6 (default 8,16 where needed)")
      ->type_name("N,N");
  command.add_flag("--causal", causal, "With a causal mask (default for encodings that need one)");
}

bool EncodingShapeOptions::empty() const {
  return !length && !layers && !heads && !width && !head_width && grid.empty() && !causal;
}

EncodingShape EncodingShapeOptions::shape(const Encoding& encoding) const {
  EncodingShape shape = usual_shape(encoding);
  if (layers) shape.layers = *layers;
  if (heads) shape.heads = *heads;
  if (head_width) shape.head_width = *head_width;
  shape.width = shape.heads * shape.head_width;
  if (width) {
    shape.width = *width;
    if (shape.width % shape.heads != 0) {
      fail_usage("--width {} cannot be shared by {} heads; {} can", shape.width, shape.heads,
                 std::max<int64_t>(1, shape.width / shape.heads) * shape.heads);
    }
    shape.head_width = shape.width / shape.heads;
  }
  if (length) {
    const WholeRange range{.least = 2, .most = most_positions(encoding, shape)};
    if (*length > range.most)
      fail_usage("--length: {} is out of range, {} for this encoding", *length, describe(range));
    if (!shape.grid.empty() && grid.empty()) {
      fail_usage("--length {}: this encoding reads coordinates; give their extents with --grid, such as {}", *length,
                 fmt::join(shape.grid, ","));
    }
    shape.positions = *length;
  }
  if (!grid.empty()) {
    shape.grid = read_grid(grid);
    int64_t cells = 1;
    for (const int64_t extent : shape.grid) cells *= extent;
    if (length && shape.positions != cells) {
      fail_usage("--grid {} has {} positions, --length says {}; leave one of them out", grid, cells, shape.positions);
    }
    shape.positions = cells;
  }
  shape.causal = shape.causal || causal;
  return shape;
}

}  // namespace phasor::app
