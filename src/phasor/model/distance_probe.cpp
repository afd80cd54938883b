#include "phasor/model/distance_probe.h"

#include <algorithm>

#include "phasor/model/transformer.h"

namespace phasor {
namespace {

DistanceBias without_table(const ResolvedEncoding& encoding) {
  const auto is_index = [](const PositionAxis& axis) { return axis.kind == PositionAxis::Kind::index; };
  const auto found = std::find_if(encoding.axes.begin(), encoding.axes.end(), is_index);
  const int64_t axis = found == encoding.axes.end() ? 0 : found - encoding.axes.begin();
  const int64_t extent = encoding.axes[static_cast<size_t>(axis)].extent;
  return {.reach = static_cast<int32_t>(extent - 1), .axis = static_cast<int32_t>(axis)};
}

}  // namespace

DistanceProbe::DistanceProbe(Transformer& model) : backend_(model.backend()), heads_(model.config().heads) {
  for (int64_t l = 0; l < model.config().layers; ++l) {
    Layer layer;
    layer.bias = model.attention(l).bias;
    if (layer.bias.table.empty()) layer.bias = without_table(model.encoding());
    const int64_t columns = 2 * int64_t{layer.bias.reach} + 1;
    const int64_t rows = layer.bias.table.empty() ? heads_ : layer.bias.table.extent(0);
    layer.memory = backend_.allocate(static_cast<size_t>(rows * columns) * sizeof(float));
    layer.table = View<float, 2>(static_cast<float*>(layer.memory.data()), rows, columns);
    layers_.push_back(std::move(layer));
  }
}

int64_t DistanceProbe::reach(int64_t layer) const { return layers_[static_cast<size_t>(layer)].bias.reach; }

void DistanceProbe::clear() {
  for (const Layer& layer : layers_) {
    backend_.run(Fill{.x = View<float, 1>(layer.table.data(), layer.table.size())});
  }
}

void DistanceProbe::attach(int64_t layer, AttentionBackward& op) const {
  op.attention.bias = layers_[static_cast<size_t>(layer)].bias;
  op.dbias = layers_[static_cast<size_t>(layer)].table;
}

std::vector<double> DistanceProbe::gradient(int64_t layer, int64_t head) const {
  const Layer& entry = layers_[static_cast<size_t>(layer)];
  const int64_t rows = entry.bias.rows;
  const int64_t columns = entry.table.extent(1);
  std::vector<float> values(static_cast<size_t>(rows * columns));
  std::vector<double> sums(static_cast<size_t>(columns));
  for (int64_t first = head * rows; first < entry.table.extent(0); first += heads_ * rows) {
    backend_.copy_out(values.data(), entry.table.row(first), values.size() * sizeof(float));
    for (size_t i = 0; i < values.size(); ++i) sums[i % sums.size()] += double{values[i]};
  }
  return sums;
}

}  // namespace phasor
