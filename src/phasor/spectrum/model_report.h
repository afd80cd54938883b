#pragma once
// What 'phasor spectrum RUN' says: every head of a trained model over a batch, its arrays and the theorems on one
// sample.
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/spectrum/additive_states.h"
#include "phasor/spectrum/head_summary.h"
#include "phasor/spectrum/model_spectrum.h"

namespace phasor {

struct ModelReport {
  std::vector<HeadMeasures> measures;  // over all samples
  std::vector<StreamStates> states;
  int64_t samples = 0;
  int64_t shown = 0;               // the longest sample: that of `heads`
  int64_t length = 0;              // its tokens
  std::vector<HeadSummary> heads;  // with arrays
};

ModelReport report_model(Transformer& model, const Batch& batch,
                         const std::function<void(const std::string& line)>& progress = {});

const Fields<ModelReport>& json_fields(const ModelReport*);
std::string model_report_text(const ModelReport& report, const std::string& title);
// `source` says where the model comes from; shown_sample and n are added to it.
nlohmann::ordered_json model_report_json(const ModelReport& report, nlohmann::ordered_json source);

}  // namespace phasor
