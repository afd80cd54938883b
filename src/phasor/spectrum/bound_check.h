#pragma once
// A theorem beside what was measured.
#include <string>

namespace phasor {

struct BoundCheck {
  std::string name;
  bool applies = false;  // the hypotheses are met
  double bound = 0.0;
  double measured = 0.0;
  bool holds = false;   // measured <= bound up to rounding, whether or not the theorem applies
  std::string why;      // which hypothesis fails, or which comparison is shown
  bool masked = false;  // numbers of a causal head's lower triangle; else of whole matrices, also of a causal head

  const char* verdict() const { return !applies ? "does not apply" : holds ? "holds" : "violated"; }
};

}  // namespace phasor
