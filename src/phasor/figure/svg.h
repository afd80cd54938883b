#pragma once
// A drawing as SVG 1.1: texts stay texts, and equal drawings give equal bytes.
#include <string>

#include "phasor/figure/drawing.h"

namespace phasor::figure {

std::string svg(const Drawing& drawing);

}  // namespace phasor::figure
