#include "phasor/encoding/measure/row_scale_curves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/base/json_fields.h"

namespace phasor {
namespace {

std::vector<double> values_of(const ResolvedEncoding& encoding, const ScaleTerm& scale, int64_t head) {
  const int64_t heads = encoding.shape.heads, columns = scale.fixed.columns;
  const int64_t tables = scale.fixed.rows / heads;
  std::vector<double> values;
  if (columns > 1) {
    for (int64_t c = 0; c < columns; ++c) values.push_back(scale.fixed((tables - 1) * heads + head, c));
  } else {
    for (int64_t t = 0; t < tables; ++t) values.push_back(scale.fixed(t * heads + head, 0));
  }
  return values;
}

}  // namespace

bool has_row_scale(const ResolvedEncoding& encoding, int64_t layer, int64_t head) {
  const ScaleTerm* scale = encoding.layers[static_cast<size_t>(layer)].row_scale.get();
  if (scale == nullptr) return false;
  for (int64_t r = head; r < scale->fixed.rows; r += encoding.shape.heads) {
    for (int64_t c = 0; c < scale->fixed.columns; ++c) {
      if (scale->fixed(r, c) != 1.0) return true;
    }
  }
  return false;
}

std::vector<RowScaleCurve> row_scale_curves(const ResolvedEncoding& encoding) {
  std::vector<RowScaleCurve> curves;
  for (int64_t layer = 0; layer < encoding.shape.layers; ++layer) {
    const LayerEncoding& places = encoding.layers[static_cast<size_t>(layer)];
    if (places.row_scale == nullptr) continue;
    for (int64_t head = 0; head < encoding.shape.heads; ++head) {
      if (!has_row_scale(encoding, layer, head)) continue;
      std::vector<double> values = values_of(encoding, *places.row_scale, head);
      const auto same = [&](const RowScaleCurve& curve) { return curve.layer == layer && curve.values == values; };
      const auto found = std::find_if(curves.begin(), curves.end(), same);
      if (found != curves.end()) {
        found->heads.push_back(head);
      } else {
        curves.push_back({.layer = layer,
                          .heads = {head},
                          .by_query = places.row_scale->fixed.columns > 1,
                          .values = std::move(values)});
      }
    }
  }
  return curves;
}

std::string row_scale_text(const RowScaleCurve& curve) {
  std::vector<std::string> shown;
  const auto count = static_cast<int64_t>(curve.values.size());
  const auto add = [&](int64_t place) {
    const int64_t named = curve.by_query ? place : place + 1;
    shown.push_back(fmt::format("{:.4g} at {}{}", curve.values[static_cast<size_t>(place)],
                                shown.empty() ? (curve.by_query ? "i = " : "n = ") : "", named));
  };
  // Powers of two, and the last one.
  for (int64_t place = 1; place < count; place *= 2) add(place - 1);
  if (count > 1) add(count - 1);
  if (count == 1) shown.push_back(fmt::format("{:.4g}", curve.values.front()));
  return fmt::format("layer {}, head{} {}: {}", curve.layer, curve.heads.size() == 1 ? "" : "s",
                     fmt::join(curve.heads, ", "), fmt::join(shown, ", "));
}

const Fields<RowScaleCurve>& json_fields(const RowScaleCurve*) {
  using C = RowScaleCurve;
  static const Fields<C> fields = {
      field("layer", &C::layer, "that has it"), field("heads", &C::heads, "scaled alike"),
      field("by_query", &C::by_query, "values are of query positions from 0 on; else of lengths from 1 on"),
      field("values", &C::values, "factors on the logits, in the longest sequence where there are others")};
  return fields;
}

}  // namespace phasor
