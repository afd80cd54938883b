#pragma once
// The kernels of one place along one axis, head by head: what a card draws.
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/measure/kernel.h"

namespace phasor {

struct KernelCurves {
  struct Curve {
    std::vector<int64_t> heads;  // that share it; empty for an input term, which has none
    Kernel kernel;
  };
  CodeSite site;
  PositionAxis axis;
  std::vector<Curve> curves;
};

// Of the place of `first`, for that layer's heads from the one of `first` on; a group per axis. `encoding` has its
// values (values.h).
std::vector<KernelCurves> kernel_curves(const ResolvedEncoding& encoding, const CodeSite& first);

struct KernelText {
  std::string when;                      // of the numbers, such as ", as training starts"
  bool ascii = false;                    // without Braille dots
  const KernelCurves* before = nullptr;  // one curve that is drawn beside the one there is
};

// A plot with its legend, at most 100 columns wide.
std::string kernel_text(const KernelCurves& group, const KernelText& form);

std::string heads_text(const std::vector<int64_t>& heads);  // "heads 0-2,5"

}  // namespace phasor
