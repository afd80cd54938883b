#include "options/encoding_shape_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/encoding/measure/measured_sizes.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/run/config_text.h"

namespace phasor::app {
namespace {

constexpr int64_t kMostCells = 2048;         // of a grid: every cell is compared with every other
constexpr int64_t kMostPositions = 1048576;  // of a card, which leaves out what compares them

std::vector<int64_t> read_grid(const std::string& text) {
  std::vector<int64_t> grid;
  int64_t cells = 1;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    grid.push_back(read_whole("--grid", text.substr(at, end - at), {.least = 1, .most = kMostCells}));
    cells *= grid.back();
    if (grid.size() > 4) fail_usage("--grid {}: at most 4 extents, such as 4,6", text);
    if (cells > kMostCells) fail_usage("--grid {}: at most {} cells", text, kMostCells);
    at = end + 1;
  }
  return grid;
}

}  // namespace

void EncodingShapeOptions::add_to(CLI::App& command, Use use) {
  use_ = use;
  const bool card = use == Use::card;
  add_whole(command, "--length", length, {.least = 2, .most = card ? kMostPositions : kMostCells},
            card ? "Positions (default 128); kernels and desiderata are measured on up to 2048"
                 : "Positions to measure on (default 128)");
  add_whole(command, "--layers", layers, {.least = 1, .most = 64},
            "Layers of the model (default 2, or those that the expression names)")
      ->type_name("L");
  add_whole(command, "--heads", heads, {.least = 1, .most = 64},
            "Heads of a layer (default 4, or those that the expression names)")
      ->type_name("H");
  add_whole(command, "--head-width", head_width, {.least = 1, .most = card ? 65536 : 512},
            "Channels of a head (default 16)")
      ->type_name("D");
  if (card) {
    add_whole(command, "--width", width, {.least = 1, .most = 65536},
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
    if (head_width && *width != shape.width) {
      fail_usage("--width {} is not {} heads of --head-width {}; leave one of them out", *width, shape.heads,
                 *head_width);
    }
    shape.width = *width;
    if (shape.width % shape.heads != 0) {
      fail_usage("--width {} cannot be shared by {} heads; {} can", shape.width, shape.heads,
                 std::max<int64_t>(1, shape.width / shape.heads) * shape.heads);
    }
    shape.head_width = shape.width / shape.heads;
  }
  if (length) {
    const MeasuredPositions measured = measured_positions(encoding, shape);
    const bool only_measured = use_ == Use::matrices || measured.tables_end;
    const WholeRange range{.least = 2, .most = only_measured ? measured.most : kMostPositions};
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
