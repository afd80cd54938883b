#include "phasor/spectrum/head_seed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/model/distance_probe.h"

namespace phasor {

void compare_heads(std::vector<LayerSeeds>& layers) {
  const auto less = [](const HeadSeed& a, const HeadSeed& b) { return a.seed < b.seed; };
  for (LayerSeeds& layer : layers) {
    const auto first = std::max_element(layer.heads.begin(), layer.heads.end(), less);
    layer.first = first - layer.heads.begin();
    layer.margin = layer.heads.size() > 1 ? std::numeric_limits<double>::infinity() : 0.0;
    for (auto other = layer.heads.begin(); other != layer.heads.end(); ++other) {
      if (other != first) layer.margin = std::min(layer.margin, first->seed - other->seed);
    }
  }
  for (size_t l = 0; l < layers.size(); ++l) {
    const bool has_next = l + 1 < layers.size() && layers[l + 1].margin > 0.0;
    layers[l].gamma = has_next ? std::optional(layers[l].margin / layers[l + 1].margin) : std::nullopt;
  }
}

ModelSeeds measure_seeds(Transformer& model, const Batch& batch) {
  DistanceProbe probe(model);
  const BatchResult result = model.loss_gradient(batch, &probe);
  ModelSeeds seeds;
  seeds.loss = result.loss / static_cast<double>(std::max<int64_t>(1, result.scored));
  for (int64_t l = 0; l < model.config().layers; ++l) {
    LayerSeeds layer;
    layer.reach = probe.reach(l);
    for (int64_t h = 0; h < model.config().heads; ++h) {
      HeadSeed head{.by_distance = probe.gradient(l, h)};
      double squares = 0.0;
      for (const double value : head.by_distance) squares += value * value;
      head.seed = std::sqrt(squares);
      const std::vector<double> phases = probe.phase_gradient(l, h);
      double phase_squares = 0.0;
      for (const double value : phases) phase_squares += value * value;
      if (!phases.empty()) head.phase_seed = std::sqrt(phase_squares);
      layer.heads.push_back(std::move(head));
    }
    seeds.layers.push_back(std::move(layer));
  }
  compare_heads(seeds.layers);
  seeds.gradients = head_gradients(model);
  return seeds;
}

}  // namespace phasor
