#pragma once
// The measures of a trained model's heads for people and for programs.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/spectrum/additive_states.h"
#include "phasor/spectrum/head_summary.h"
#include "phasor/spectrum/model_spectrum.h"

namespace phasor {

// One line per head, then one per layer with the means of its heads; at most 100 columns.
std::string measures_table(const std::vector<HeadMeasures>& heads);

const char* measures_legend();

// What the model says to the paper's assumptions: 3.1, states are a content part plus a position part; 3.2, the
// positional Gram depends on distance alone. Ranges are over all heads.
std::string assumptions_text(const std::vector<HeadMeasures>& heads, const std::vector<StreamStates>& states);

// The same for programs.
nlohmann::ordered_json assumptions_json(const std::vector<HeadMeasures>& heads,
                                        const std::vector<StreamStates>& states);
struct Assumptions {
  std::vector<StreamStates> states;
  Spread interaction, mixed, positional, position_toeplitz;  // over heads
};
Assumptions assumptions(const std::vector<HeadMeasures>& heads, const std::vector<StreamStates>& states);
const Fields<Assumptions>& json_fields(const Assumptions*);

// Means of all numbers over the heads of a layer.
struct LayerMeans {
  int64_t layer = 0;
  HeadMeasures means;
};
std::vector<LayerMeans> layer_means(const std::vector<HeadMeasures>& heads);
const Fields<LayerMeans>& json_fields(const LayerMeans*);

nlohmann::ordered_json measures_json(const HeadMeasures& head);
// The same members for the means of each layer's heads, without `head`.
nlohmann::ordered_json layer_means_json(const std::vector<HeadMeasures>& heads);
const Fields<PartShares>& json_fields(const PartShares*);
const Fields<HeadMeasures>& json_fields(const HeadMeasures*);

}  // namespace phasor
