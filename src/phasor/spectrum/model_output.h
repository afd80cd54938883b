#pragma once
// The measures of a trained model's heads for people and for programs.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/spectrum/additive_states.h"
#include "phasor/spectrum/model_spectrum.h"

namespace phasor {

// One line per head, then one per layer with the means of its heads; at most 100 columns.
std::string measures_table(const std::vector<HeadMeasures>& heads);

const char* measures_legend();

// What the model says to the paper's assumptions: 3.1, states are a content part plus a position part; 3.2, the
// positional Gram depends on distance alone. Ranges are over all heads.
std::string assumptions_text(const std::vector<HeadMeasures>& heads, const std::vector<StreamStates>& states);
nlohmann::ordered_json assumptions_json(const std::vector<HeadMeasures>& heads,
                                        const std::vector<StreamStates>& states);

nlohmann::ordered_json measures_json(const HeadMeasures& head);
// The same members for the means of each layer's heads, without `head`.
nlohmann::ordered_json layer_means_json(const std::vector<HeadMeasures>& heads);

}  // namespace phasor
