#pragma once
// Does contraction of the logits' spectrum go with steadier gradients and faster learning, and does it cause them?
// Runs that differ in their seed alone answer the first within an encoding; runs of one encoding at two logit scales
// answer the second, because the scale changes sigma_1 and nothing else that the encoding does.
#include <string>
#include <vector>

#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/permutation.h"
#include "phasor/study/records/run_facts.h"

namespace phasor {

enum class ContractionVerdict : uint8_t { holds, contradicted, undetermined };
const char* name(ContractionVerdict verdict);

// One planned comparison of a spectral measure before training with how a run went.
struct ContractionCorrelation {
  std::string cause, effect;
  statistics::BootstrapInterval within;  // over seeds, encodings taken out
  statistics::PermutationTest test;      // seeds permuted within encodings
  double holm = 1.0;
  int64_t runs = 0;        // in encodings where the measure varies
  double between = 0.0;    // of the encodings' means
  double between_p = 1.0;  // encodings permuted
  ContractionVerdict verdict =
      ContractionVerdict::undetermined;  // positive: a smaller norm goes with a steadier or faster run
};

// One encoding at two scales.
struct ScaleIntervention {
  std::string encoding, effect;
  double scale = 1.0;
  double norm_before = 0.0, norm_after = 0.0;  // product_norm before training, at scale 1 and at `scale`
  statistics::MeanInterval change;             // effect at `scale` - effect at 1
  statistics::PermutationTest test;
  double holm = 1.0;
  // `holds` where the effect moved with the norm: less of both, or more of both.
  ContractionVerdict verdict = ContractionVerdict::undetermined;
};

struct ContractionStudy {
  std::vector<ContractionCorrelation> correlations;
  std::vector<ScaleIntervention> interventions;
};

// At most six correlations; two effects per intervention. Adjusted p <= 0.05 decides, by Holm within each list.
ContractionStudy study_contraction(const std::vector<RunFacts>& runs);

}  // namespace phasor
