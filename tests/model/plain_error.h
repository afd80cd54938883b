#pragma once
// How far a plain computation of a model's logits and gradients in fp32 (or with bf16 storage) strays from the
// truth. The largest error of one run is a chancy number for a small tensor, so it is taken over several sets of
// parameters close by, which round differently and are alike in everything else.
#include "model/error_rule.h"
#include "model/reference_model.h"

namespace phasor::testing_support {

struct PlainErrors {
  double logits = 0.0;
  std::vector<double> gradients;  // by entry of the layout
};

inline std::span<const double> piece(const std::vector<double>& flat, const Parameter& entry) {
  return std::span(flat).subspan(static_cast<size_t>(entry.offset), static_cast<size_t>(entry.size));
}

template <Dtype kStorage>
PlainErrors plain_errors(const ModelData& data) {
  constexpr uint32_t kSets = 8;
  constexpr double kSpread = 1e-3;  // relative
  const std::vector<Parameter>& entries = data.layout.entries();
  PlainErrors errors{.gradients = std::vector<double>(entries.size())};
  ModelData near = data;
  for (uint32_t set = 0; set < kSets; ++set) {
    const RandomStream stream{.purpose = Purpose::test, .site = 4, .step = set};
    uint64_t drawn = 0;  // one for each parameter, wherever the layout puts it
    for (const Parameter& entry : entries) {
      for (int64_t i = entry.offset; i < entry.offset + entry.size; ++i) {
        const auto place = static_cast<size_t>(i);
        near.parameters[place] = data.parameters[place] * static_cast<float>(1.0 + kSpread * normal(stream, drawn++));
      }
    }
    const ModelNumbers truth = differentiate<double>(near);
    const ModelNumbers plain = differentiate<float, kStorage>(near);
    errors.logits = std::max(errors.logits, largest_error(plain.logits, truth.logits));
    for (size_t e = 0; e < entries.size(); ++e) {
      const double error = largest_error(piece(plain.gradients, entries[e]), piece(truth.gradients, entries[e]));
      errors.gradients[e] = std::max(errors.gradients[e], error);
    }
  }
  return errors;
}

// The bound on the error of each entry's gradient, given the true gradients.
inline std::vector<double> gradient_bounds(const ModelData& data, const PlainErrors& plain,
                                           const std::vector<double>& truth) {
  std::vector<double> bounds;
  for (const Parameter& entry : data.layout.entries()) {
    const double scale =
        std::max(largest_of(piece(truth, entry)), largest_of(piece(truth, data.layout.find(same_terms(entry.name)))));
    bounds.push_back(error_bound(kGradientFactor, plain.gradients[bounds.size()], scale));
  }
  return bounds;
}

}  // namespace phasor::testing_support
