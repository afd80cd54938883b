#include "phasor/model/distance_probe.h"

#include <algorithm>

#include "phasor/engine/download.h"
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

// dLoss/dx stands before the rotation, which commutes with a further turn of the same pair: nothing has to be turned.
void DistanceProbe::collect(int64_t layer, const AttentionBackward& op) {
  Layer& entry = layers_[static_cast<size_t>(layer)];
  entry.phases.assign(static_cast<size_t>(heads_), {});
  const Attention& attention = op.attention;
  const RotationTable& rotation = attention.rotation;
  if (rotation.query.empty()) return;
  // What rows say of a query does not turn with it.
  if (!attention.query_rows.table.empty() || !attention.key_rows.table.empty()) return;
  const int64_t pairs = rotation.query.extent(2), first = rotation.first;
  const int64_t own = attention.shape.key_width - attention.shape.shared_query_width;
  if (attention.shape.feature != FeatureMap::none) return;  // op.dquery stands before the features, not behind them
  if (!attention.dense.positions.vectors.empty()) return;   // queries that are not turned are in the logits as well
  if (first + 2 * pairs > own) return;                      // channels of all heads together
  const int64_t tokens = download(backend_, attention.sequences.tokens, 1).front();
  const int64_t sequences = download(backend_, attention.sequences.count, 1).front();
  const std::vector<int32_t> offsets = download(backend_, attention.sequences.offsets.data(), sequences + 1);
  const std::vector<int32_t> sets = download(backend_, rotation.head_set.data(), heads_);
  const std::vector<float> queries = download(backend_, attention.query, tokens);
  const std::vector<float> gradients = download(backend_, op.dquery, tokens);
  const int64_t columns = heads_ * own;
  for (int64_t h = 0; h < heads_; ++h) {
    if (sets[static_cast<size_t>(h)] < 0) continue;
    std::vector<double>& phases = entry.phases[static_cast<size_t>(h)];
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      const int64_t begin = offsets[s], end = offsets[s + 1];
      if (std::ssize(phases) < (end - begin) * pairs) phases.resize(static_cast<size_t>((end - begin) * pairs));
      for (int64_t t = begin; t < end; ++t) {
        for (int64_t c = 0; c < pairs; ++c) {
          const int64_t x = first + (rotation.halves ? c : 2 * c), y = rotation.halves ? x + pairs : x + 1;
          const auto at = [&](const std::vector<float>& rows, int64_t channel) {
            return double{rows[static_cast<size_t>(t * columns + h * own + channel)]};
          };
          phases[static_cast<size_t>((t - begin) * pairs + c)] +=
              at(gradients, y) * at(queries, x) - at(gradients, x) * at(queries, y);
        }
      }
    }
  }
}

std::vector<double> DistanceProbe::phase_gradient(int64_t layer, int64_t head) const {
  const Layer& entry = layers_[static_cast<size_t>(layer)];
  return entry.phases.empty() ? std::vector<double>() : entry.phases[static_cast<size_t>(head)];
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
