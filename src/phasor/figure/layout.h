#pragma once
// A chart laid out on paper.
#include "phasor/figure/chart.h"
#include "phasor/figure/drawing.h"

namespace phasor::figure {

Drawing laid_out(const Chart& chart);

}  // namespace phasor::figure
