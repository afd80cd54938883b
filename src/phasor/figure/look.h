#pragma once
// Colours, sizes and lines that all figures share: those of the report's page (web/src/chart/look.ts), on white paper.
#include <array>

#include "phasor/figure/colour.h"

namespace phasor::figure {

inline constexpr double kOneColumn = 237.6;   // points: 3.3 inches
inline constexpr double kTwoColumns = 496.8;  // 6.9 inches

inline constexpr double kTextSize = 7.0;   // ticks, rows, legend
inline constexpr double kTitleSize = 8.0;  // of axes and panels
inline constexpr double kThinLine = 0.5;   // axes
inline constexpr double kLine = 1.1;       // data
inline constexpr double kMarkerSize = 4.2;

inline constexpr Colour kInk{0x1d2026};
inline constexpr Colour kSoft{0x575d68};
inline constexpr Colour kFaint{0x9aa0aa};
inline constexpr Colour kGrid{0xe6e4de};
inline constexpr Colour kPaper{0xffffff};

// Of layers of one model, from the input on.
inline constexpr std::array<Colour, 6> kLayerColours = {
    {{0x12355b}, {0x1b7f8c}, {0x7a9a01}, {0xc98a00}, {0xb8461b}, {0x7c1d52}}};

// From little to much.
inline constexpr std::array<Colour, 5> kHeatColours = {{{0xfbf7ee}, {0xf6cfa0}, {0xe2894a}, {0xad4a1f}, {0x571b0b}}};
// `share` between 0 and 1; beyond, the nearest end.
Colour heat_colour(double share);

}  // namespace phasor::figure
