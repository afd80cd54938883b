#include "phasor/encoding/measure/measured_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {
namespace {

constexpr int64_t kMostMeasured = 2048;
constexpr int64_t kMostChannels = 1024;
// Of a table; twice the length has four times as many, or eight times.
constexpr double kMostMeasuredEntries = 4194304.0;

// Gates, and nothing that positions alone decide.
bool is_gated_alone(const ResolvedEncoding& encoding) {
  if (encoding.input) return false;
  bool gated = false;
  for (const LayerEncoding& layer : encoding.layers) {
    if (layer.bias != nullptr || layer.decoupled) return false;
    for (const auto& rotation : layer.rotation) {
      if (rotation != nullptr) return false;
    }
    gated = gated || !layer.gates.empty() || layer.token_rotation || layer.dense != nullptr;
  }
  return gated;
}

}  // namespace

MeasuredPositions measured_positions(const Encoding& encoding, const EncodingShape& shape) {
  const EncodingSum sum(encoding, print(encoding));
  const TableForm form = sum.form_for(shape);
  const double row = static_cast<double>(std::max(shape.width, 2 * shape.heads));
  const bool tables_end = form.bias_by_query || form.bias_per_length || form.input_per_length;
  double most = static_cast<double>(kMostMeasured);
  if (form.bias_by_query && form.bias_per_length) {
    most = std::cbrt(kMostMeasuredEntries / static_cast<double>(2 * shape.heads));
  } else if (tables_end || sum.traits().depends_on_length) {
    most = std::sqrt(kMostMeasuredEntries / row);
  }
  return {.most = std::min(kMostMeasured, static_cast<int64_t>(most)), .tables_end = tables_end};
}

std::string measures_left_out(const Encoding& encoding, const ResolvedEncoding& resolved) {
  const EncodingShape& shape = resolved.shape;
  const int64_t most = measured_positions(encoding, shape).most;
  if (shape.positions > most) {
    return fmt::format(
        "Kernels and desiderata compare every position with every other: of this encoding at this width, "
        "up to {} positions.",
        most);
  }
  const auto is_far = [](const LayerEncoding& layer) { return layer.dense != nullptr && !layer.dense->by_content(); };
  if (std::any_of(resolved.layers.begin(), resolved.layers.end(), is_far)) {
    return "Far keys see another angle than near ones, so that no position has a vector of its own: there is no kernel "
           "to draw and no desideratum to measure.";
  }
  if (is_gated_alone(resolved)) {
    return "Gates and angles are made of tokens: without content there is no kernel to draw and no desideratum to "
           "measure.";
  }
  const bool has_rows = std::any_of(resolved.layers.begin(), resolved.layers.end(), [](const LayerEncoding& layer) {
    return layer.query_rows != nullptr || layer.key_rows != nullptr;
  });
  if (has_rows) {
    return "Kernels and desiderata are of what position does whatever the content; products with distance rows "
           "depend on both.";
  }
  const std::string too_wide =
      fmt::format("Kernels and desiderata compare vectors of up to {} channels", kMostChannels);
  if (resolved.input && shape.width > kMostChannels) return fmt::format("{}, not {}.", too_wide, shape.width);
  for (const LayerEncoding& layer : resolved.layers) {
    for (const auto& rotation : layer.rotation) {
      if (rotation == nullptr || 2 * rotation->pairs <= kMostChannels) continue;
      return fmt::format("{}, not {}.", too_wide, 2 * rotation->pairs);
    }
  }
  return "";
}

}  // namespace phasor
