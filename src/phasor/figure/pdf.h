#pragma once
// A drawing as PDF 1.4: one page of the figure's size, without dates, so that equal drawings give equal bytes.
#include <string>
#include <vector>

#include "phasor/figure/drawing.h"

namespace phasor::figure {

struct Pdf {
  std::string bytes;
  std::vector<std::string> unset;  // texts with characters that its fonts lack: '?' stands there
};

Pdf pdf(const Drawing& drawing);

}  // namespace phasor::figure
