#pragma once
// A small plot for the terminal: numbers over distance.
#include <cstdint>
#include <string>
#include <vector>

namespace phasor {

struct PlotCurve {
  char mark = '*';
  std::vector<double> values;  // as many as the other curves have
};

struct PlotFrame {
  int64_t first = 0;  // the distance that each curve's first value belongs to
  int64_t columns = 61;
  int64_t rows = 10;
  bool ascii = false;  // marks, also for a single curve, which is drawn in Braille dots otherwise
};

// Lines, each with its end. Where curves meet, the first one shows.
std::string kernel_plot(const std::vector<PlotCurve>& curves, const PlotFrame& frame);

}  // namespace phasor
