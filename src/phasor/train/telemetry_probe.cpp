#include "phasor/train/telemetry_probe.h"

#include <algorithm>

#include "phasor/base/special_numbers.h"
#include "phasor/spectrum/head_seed.h"
#include "phasor/spectrum/model_spectrum.h"

namespace phasor {

bool is_measured(int64_t step, int64_t every, int64_t steps) {
  return every > 0 && (step % every == 0 || step == steps);
}

TelemetryProbe::TelemetryProbe(const Dataset& data, int64_t largest_batch) {
  const int64_t count = std::min({kSequences, largest_batch, data.size()});
  for (int64_t i = 0; i < count; ++i) data.append_to(batch_, i);
  batch_.finish();
}

Telemetry TelemetryProbe::measure(Transformer& model, int64_t step) const {
  const ModelSeeds seeds = measure_seeds(model, batch_);
  Telemetry telemetry{.step = step,
                      .loss = seeds.loss,
                      .gradient_norm = seeds.gradients.heads,
                      .layer_gradient_norm = seeds.gradients.layers};
  for (const LayerSeeds& layer : seeds.layers) {
    std::vector<double> row, phases;
    for (const HeadSeed& head : layer.heads) {
      row.push_back(head.seed);
      phases.push_back(head.phase_seed.value_or(kNaN));
    }
    telemetry.seed.push_back(std::move(row));
    telemetry.phase_seed.push_back(std::move(phases));
    telemetry.margin.push_back(layer.margin);
  }
  const auto layers = static_cast<size_t>(model.config().layers);
  for (Telemetry::PerHead* table :
       {&telemetry.spectral_norm, &telemetry.stable_rank, &telemetry.relative_r2, &telemetry.positional_share}) {
    table->resize(layers);
  }
  const ModelSpectrumOptions options{.interaction = false, .most_sequences = kSequences};
  for (const HeadMeasures& head : measure_heads(model, batch_, options)) {
    const auto l = static_cast<size_t>(head.layer);
    telemetry.spectral_norm[l].push_back(head.spectral_norm);
    telemetry.stable_rank[l].push_back(head.stable_rank);
    telemetry.relative_r2[l].push_back(head.relative_r2);
    telemetry.positional_share[l].push_back(head.shares.positional());
  }
  return telemetry;
}

}  // namespace phasor
