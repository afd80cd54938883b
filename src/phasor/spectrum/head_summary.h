#pragma once
// One head over several sequences: the spread of its numbers, and how often each theorem held.
#include <string>
#include <vector>

#include "phasor/spectrum/head_report.h"

namespace phasor {

// Over those sequences where the number is defined.
struct Spread {
  int64_t count = 0;
  double mean = 0.0, least = 0.0, most = 0.0;

  void add(double value);
};

struct CheckTally {
  BoundCheck first;  // of the first sequence
  int64_t sequences = 0;
  int64_t applied = 0;  // hypotheses met
  int64_t held = 0;     // measured <= bound, whether or not they were

  // Over all sequences: a theorem that was violated once is violated.
  const char* verdict() const;
  bool violated = false;  // in a sequence where it applied
};

struct HeadSummary {
  int64_t layer = 0, head = 0;
  int64_t sequences = 0;
  bool biased = false;
  Spread spectral_norm, stable_rank, effective_rank, participation_ratio, numerical_rank, condition;
  Spread abscissa, symmetric_width, antisymmetry, spectral_radius, henrici;
  Spread contraction, stable_rank_ratio, majorisation_gap;  // against angles at zero
  Spread bias_expansion;
  Spread relative_r2;                              // adjusted
  Spread toeplitz;                                 // share, less its null
  Spread gauge, relative, absolute_key, residual;  // the logits' split
  std::vector<CheckTally> checks;
  HeadReport first;  // with its arrays
};

// [sequences][heads] turned about and summarised, heads in parallel: reports of the sequences in order. Sequences of
// one length share a reporter; the numerical range is the first one's.
std::vector<HeadSummary> summarize_heads(int64_t layer, const std::vector<std::vector<HeadLogits>>& sequences,
                                         const HeadReportOptions& options = {});

}  // namespace phasor
