#pragma once
// What a finished run says about spectra and about how it learned.
#include <filesystem>
#include <string>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/run/config.h"
#include "phasor/run/metrics.h"
#include "phasor/run/session.h"
#include "phasor/spectrum/model_spectrum.h"

namespace phasor {

// Means over heads and over the first test sequences.
struct SpectralFacts {
  double contraction = 0.0;   // sigma_1 with angles / sigma_1 with angles at zero
  double product_norm = 0.0;  // sigma_1 of the logits without their bias
  double spectral_norm = 0.0;
  double stable_rank = 0.0;
};

struct RunFacts {
  std::filesystem::path folder;
  std::string encoding;
  double logit_scale = 1.0;
  uint64_t seed = 0;
  bool converged = false;
  double test_accuracy = 0.0;
  SpectralFacts start, end;  // before the first update and after the last
  // Standard deviation / mean of the gradient norms at evaluations after the warm-up: unsteadiness.
  double gradient_variation = 0.0;
  // Mean test loss over all evaluations / loss before the first update: small where learning is fast.
  double loss_area = 0.0;
  double loss_spikes = 0.0;
};

RunFacts read_facts(Backend& backend, const std::filesystem::path& folder);

// How many test sequences spectra of heads are measured over.
inline constexpr int64_t kSpectralSequences = 32;

// The first test sequences, at most as many as the session's model has memory for.
Batch first_test_sequences(const Session& session, int64_t most);

// Means over heads.
SpectralFacts spectral_facts(const std::vector<HeadMeasures>& heads);

// As in RunFacts, from the evaluations of a run, of which there is at least one.
double gradient_variation_of(const std::vector<Metrics>& history, const TrainConfig& train);
double loss_area_of(const std::vector<Metrics>& history);

// Of a model with these settings before training.
SpectralFacts initial_facts(Backend& backend, const RunConfig& config);

// The model.logit_scale at which a model with these settings starts with the product_norm of the same model with the
// encoding `reference`.
double matching_logit_scale(Backend& backend, const RunConfig& config, const std::string& reference);

}  // namespace phasor
