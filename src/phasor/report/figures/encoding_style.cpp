#include "phasor/report/figures/encoding_style.h"

#include <array>
#include <set>

namespace phasor {
namespace {

using figure::Colour;
using figure::Dash;
using figure::Marker;

constexpr std::array<Colour, 8> kHues = {
    {{0xc24e00}, {0x0067a5}, {0x00845f}, {0xa9498a}, {0xa87400}, {0x6d7480}, {0x2b94cf}, {0x43389c}}};

// A diamond is a published value.
constexpr std::array<Marker, 9> kMarkers = {Marker::circle,        Marker::square,   Marker::triangle_up,
                                            Marker::triangle_down, Marker::plus,     Marker::cross,
                                            Marker::star,          Marker::pentagon, Marker::hexagon};

constexpr std::array<Dash, 8> kDashes = {Dash::solid,     Dash::dashed,        Dash::dotted,       Dash::dash_dot,
                                         Dash::long_dash, Dash::long_dash_dot, Dash::dash_dot_dot, Dash::fine};

EncodingStyle style_at(size_t index) {
  const size_t round = index / kHues.size();
  return {.colour = kHues[index % kHues.size()],
          .marker = kMarkers[(index + round) % kMarkers.size()],
          .dash = kDashes[(index + round) % kDashes.size()]};
}

// So that an encoding looks the same in all reports.
const std::map<std::string, size_t>& usual_places() {
  static const std::map<std::string, size_t> places = {
      {"rope", 0}, {"sinusoidal", 1},      {"relative", 2}, {"alibi", 3}, {"learned(init=1)", 4},
      {"nope", 5}, {"sinusoidal+rope", 6}, {"mla", 7}};
  return places;
}

}  // namespace

std::map<std::string, EncodingStyle> encoding_styles(const std::vector<std::string>& names,
                                                     const std::map<std::string, std::string>& expressions) {
  std::map<std::string, EncodingStyle> styles;
  std::set<size_t> taken;
  for (const std::string& name : names) {
    const auto expression = expressions.find(name);
    const auto usual = usual_places().find(expression == expressions.end() ? name : expression->second);
    if (usual == usual_places().end() || !taken.insert(usual->second).second) continue;
    styles[name] = style_at(usual->second);
  }
  size_t next = 0;
  for (const std::string& name : names) {
    if (styles.contains(name)) continue;
    while (taken.contains(next)) ++next;
    taken.insert(next);
    styles[name] = style_at(next);
  }
  return styles;
}

}  // namespace phasor
