#pragma once
// One colour, marker and dash per encoding, the same as on the page (web/src/study/encoding_style.ts). Colours are
// after Okabe and Ito; marker and dash tell encodings apart without colour.
#include <map>
#include <string>
#include <vector>

#include "phasor/figure/chart.h"

namespace phasor {

struct EncodingStyle {
  figure::Colour colour;
  figure::Marker marker = figure::Marker::circle;
  figure::Dash dash = figure::Dash::solid;
};

// `names` in the order of the study. `expressions` has what is behind a name, where that is something else.
std::map<std::string, EncodingStyle> encoding_styles(const std::vector<std::string>& names,
                                                     const std::map<std::string, std::string>& expressions = {});

}  // namespace phasor
