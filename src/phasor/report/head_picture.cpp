#include "phasor/report/head_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace phasor {
namespace {

std::string shades(const std::vector<double>& drops, double most) {
  constexpr std::array<std::string_view, 5> kShades = {"·", "░", "▒", "▓", "█"};
  std::string text;
  for (const double drop : drops) {
    const double share = most > 0.0 && std::isfinite(drop) ? std::max(0.0, drop) / most : 0.0;
    text += kShades[static_cast<size_t>(std::clamp(std::lround(share * 4.0), 0L, 4L))];
  }
  return text;
}

}  // namespace

const SeedHeads& pictured_seed(const std::vector<SeedHeads>& seeds) {
  const auto converged = std::find_if(seeds.begin(), seeds.end(), [](const SeedHeads& seed) { return seed.converged; });
  return converged != seeds.end() ? *converged : seeds.front();
}

std::string head_picture(const SeedHeads& seed) {
  double most = 0.0;
  for (const std::vector<double>& layer : seed.loss_drops) {
    for (const double drop : layer) most = std::max(most, drop);
  }
  std::string picture;
  for (const std::vector<double>& layer : seed.loss_drops) {
    if (!picture.empty()) picture += ' ';
    picture += shades(layer, most);
  }
  return picture;
}

}  // namespace phasor
