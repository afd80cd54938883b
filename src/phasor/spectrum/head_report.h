#pragma once
// One head's logits over one sequence in numbers: spectra with and without angles, how much depends on distance alone,
// and the theorems beside them. Spectra are those of what attention reads, in the gauge it comes in; of causal logits
// the lower triangle, by singular values only. Windows and chunks are not applied: their logits would be -infinity.
#include <optional>
#include <vector>

#include "phasor/spectrum/bound_check.h"
#include "phasor/spectrum/contraction.h"
#include "phasor/spectrum/head_logits.h"
#include "phasor/spectrum/logit_split.h"
#include "phasor/spectrum/numerical_range.h"
#include "phasor/spectrum/relative_fit.h"
#include "phasor/spectrum/spectrum.h"
#include "phasor/spectrum/symbol.h"

namespace phasor {

struct HeadReport {
  int64_t size = 0;
  bool causal = false;
  int64_t window = 0, chunk = 0;  // that attention has besides, and these numbers know nothing of; 0: none
  bool biased = false;
  bool gated = false;  // some of the bias is made of tokens
  Spectrum logits;
  Spectrum products;                       // without the bias
  std::optional<Spectrum> plain;           // of the same queries and keys with angles at zero; no bias
  std::optional<Contraction> contraction;  // products against plain
  double bias_expansion = 1.0;             // sigma_1(logits) / sigma_1(products); 0 where those are 0
  std::optional<NumericalRange> range;     // where asked for, of unmasked logits
  RelativeFit relative;
  ToeplitzShare toeplitz;  // of the logits as they are, without row constants
  Symbol symbol;           // of the fitted kernel, whose mean is 0
  LogitSplit split;
  std::vector<BoundCheck> checks;
};

struct HeadReportOptions {
  bool eigenvalues = true;
  bool numerical_range = true;
  int64_t angles = 64;
  bool checks = true;
};

// For sequences of one length: what the fits share is factored once.
class HeadReporter {
 public:
  HeadReporter(int64_t size, bool causal);
  HeadReport report(const HeadLogits& head, const HeadReportOptions& options = {}) const;

 private:
  int64_t size_;
  bool causal_;
  RelativeFitter fitter_;
  LogitSplitter splitter_;
};

// Fails by name for shapes that do not belong together and for entries that are no numbers; `what` begins the message.
void require_head(const HeadLogits& head, std::string_view what);

}  // namespace phasor
