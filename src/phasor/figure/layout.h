#pragma once
// A chart laid out on paper.
#include <string_view>

#include "phasor/figure/chart.h"
#include "phasor/figure/drawing.h"

namespace phasor::figure {

Drawing laid_out(const Chart& chart);

// Whether a row of a chart with one panel can have this name in full.
bool fits_row(std::string_view name);

}  // namespace phasor::figure
