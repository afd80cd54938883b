#include "phasor/spectrum/separation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

using Vector = std::vector<double>;

void require_setting(const SeparationSetting& s) {
  if (s.distances < 2) fail("separation needs at least two distances, not {}", s.distances);
  if (s.wanted < 0 || s.wanted >= s.distances) {
    fail("the wanted distance {} is not one of 0 .. {}", s.wanted, s.distances - 1);
  }
  for (const int64_t wanted : s.wanted_of_draw) {
    if (wanted < 0 || wanted >= s.distances) {
      fail("the wanted distance {} is not one of 0 .. {}", wanted, s.distances - 1);
    }
  }
  if (!s.wanted_of_draw.empty() && static_cast<int64_t>(s.wanted_of_draw.size()) != s.draws) {
    fail("{} wanted distances for {} draws of content", s.wanted_of_draw.size(), s.draws);
  }
  if (s.width < 1 || s.draws < 1) fail("separation with width {} and {} draws", s.width, s.draws);
  if (!(s.variation >= 0.0 && s.variation <= 1.0)) fail("a variation of {} is not a share", s.variation);
  if (!(s.query_length > 0.0 && s.key_length > 0.0 && s.bias_range >= 0.0 && std::isfinite(s.scale))) {
    fail("separation with lengths {} and {}, a bias range of {} and a scale of {}", s.query_length, s.key_length,
         s.bias_range, s.scale);
  }
}

const Vector& frequencies_of(SeparationEncoding encoding, const SeparationSetting& s) {
  static const Vector none;
  if (encoding == SeparationEncoding::rope) return s.frequencies;
  return encoding == SeparationEncoding::mla ? s.mla_frequencies : none;
}

// What the query meets at a distance: query and key turned by their positions, or the key turned back by the distance.
Vector turned(const double* key, int64_t width, int64_t distance, const Vector& frequencies) {
  Vector result(key, key + width);
  for (size_t m = 0; m < frequencies.size(); ++m) {
    const double angle = -frequencies[m] * static_cast<double>(distance);
    const double x = key[2 * m];
    const double y = key[2 * m + 1];
    result[2 * m] = std::cos(angle) * x - std::sin(angle) * y;
    result[2 * m + 1] = std::sin(angle) * x + std::cos(angle) * y;
  }
  return result;
}

// A row per draw and other distance: the wanted key's logit less that one's, as a function of the query and slope.
MarginGame game_of(SeparationEncoding encoding, const SeparationSetting& s, const Dense& keys) {
  const Vector& frequencies = frequencies_of(encoding, s);
  if (2 * static_cast<int64_t>(frequencies.size()) > s.width) {
    fail("{} frequencies turn {} channels, more than the width {}", frequencies.size(), 2 * frequencies.size(),
         s.width);
  }
  MarginGame game;
  game.radius = s.query_length;
  game.rows = Dense(s.draws * (s.distances - 1), s.width);
  const bool sloped = encoding == SeparationEncoding::alibi;
  if (sloped) game.slope = s.bias_range / static_cast<double>(s.distances - 1);
  int64_t row = 0;
  for (int64_t draw = 0; draw < s.draws; ++draw) {
    const auto key = [&](int64_t distance) {
      return turned(keys.row(draw * s.distances + distance), s.width, distance, frequencies);
    };
    const int64_t own = s.wanted_in(draw);
    const Vector wanted = key(own);
    for (int64_t distance = 0; distance < s.distances; ++distance) {
      if (distance == own) continue;
      const Vector other = key(distance);
      for (int64_t c = 0; c < s.width; ++c) {
        game.rows(row, c) = s.scale * (wanted[static_cast<size_t>(c)] - other[static_cast<size_t>(c)]);
      }
      // -slope * wanted - (-slope * distance)
      if (sloped) game.slopes.push_back(static_cast<double>(distance - own));
      ++row;
    }
  }
  return game;
}

bool wants_one_distance(const SeparationSetting& s) {
  return std::all_of(s.wanted_of_draw.begin(), s.wanted_of_draw.end(),
                     [&](int64_t wanted) { return wanted == s.wanted_of_draw.front(); });
}

double share_above(const Vector& margins, double level) {
  const auto above = std::count_if(margins.begin(), margins.end(), [&](double margin) { return margin > level; });
  return static_cast<double>(above) / static_cast<double>(margins.size());
}

// Sample `index`: a query on the sphere, then whatever the encoding has.
class RandomParameters {
 public:
  RandomParameters(SeparationEncoding encoding, const SeparationSetting& setting, const MarginGame& game,
                   const RandomStream& stream)
      : encoding_(encoding), setting_(setting), game_(game), stream_(stream) {}

  double margin(int64_t index) const {
    RandomStream stream = stream_;
    stream.step = static_cast<uint32_t>(index) + 1;  // 0 is the keys'
    Vector query(static_cast<size_t>(setting_.width));
    for (size_t c = 0; c < query.size(); ++c) query[c] = normal(stream, c);
    const double factor = setting_.query_length / norm(query);
    for (double& value : query) value *= factor;
    const uint64_t after = 2 * query.size() + 8;  // in words of the stream, beyond those of the normals
    if (encoding_ == SeparationEncoding::relative) return margin_with_table(query, stream, after);
    const double slope = encoding_ == SeparationEncoding::alibi ? game_.slope * uniform(stream, after) : 0.0;
    return margin_of(game_, query, slope);
  }

 private:
  double margin_with_table(const Vector& query, const RandomStream& stream, uint64_t after) const {
    Vector bias(static_cast<size_t>(setting_.distances));
    for (size_t d = 0; d < bias.size(); ++d) bias[d] = setting_.bias_range * uniform(stream, after + d);
    double worst = std::numeric_limits<double>::infinity();
    int64_t row = 0;
    for (int64_t draw = 0; draw < setting_.draws; ++draw) {
      const int64_t wanted = setting_.wanted_in(draw);
      for (int64_t distance = 0; distance < setting_.distances; ++distance) {
        if (distance == wanted) continue;
        double total = bias[static_cast<size_t>(wanted)] - bias[static_cast<size_t>(distance)];
        for (int64_t c = 0; c < setting_.width; ++c) total += game_.rows(row, c) * query[static_cast<size_t>(c)];
        worst = std::min(worst, total);
        ++row;
      }
    }
    return worst;
  }

  SeparationEncoding encoding_;
  const SeparationSetting& setting_;
  const MarginGame& game_;
  RandomStream stream_;
};

}  // namespace

const char* name(SeparationEncoding encoding) {
  switch (encoding) {
    case SeparationEncoding::nope:
      return "nope";
    case SeparationEncoding::alibi:
      return "alibi";
    case SeparationEncoding::relative:
      return "relative";
    case SeparationEncoding::rope:
      return "rope";
    case SeparationEncoding::mla:
      return "mla";
  }
  return "";
}

Vector rotary_frequencies(int64_t width, double base) {
  Vector result;
  for (int64_t m = 0; m < width / 2; ++m) {
    result.push_back(std::pow(base, -2.0 * static_cast<double>(m) / static_cast<double>(width)));
  }
  return result;
}

Dense sampled_keys(const SeparationSetting& s, const RandomStream& stream) {
  require_setting(s);
  RandomStream own = stream;
  own.step = 0;
  const auto direction = [&](uint64_t first) {
    Vector x(static_cast<size_t>(s.width));
    for (size_t c = 0; c < x.size(); ++c) x[c] = normal(own, first + c);
    const double length = norm(x);
    for (double& value : x) value /= length;
    return x;
  };
  const Vector shared = direction(0);
  Dense keys(s.draws * s.distances, s.width);
  if (!s.wanted_of_draw.empty()) {
    for (int64_t row = 0; row < keys.rows(); ++row) {
      const Vector content = direction(static_cast<uint64_t>((row / s.distances + 1) * s.width));
      for (int64_t c = 0; c < s.width; ++c) keys(row, c) = s.key_length * content[static_cast<size_t>(c)];
    }
    return keys;
  }
  for (int64_t row = 0; row < keys.rows(); ++row) {
    const Vector content = direction(static_cast<uint64_t>((row + 1) * s.width));
    double squares = 0.0;
    for (int64_t c = 0; c < s.width; ++c) {
      const auto at = static_cast<size_t>(c);
      keys(row, c) = std::sqrt(1.0 - s.variation) * shared[at] + std::sqrt(s.variation) * content[at];
      squares += keys(row, c) * keys(row, c);
    }
    for (int64_t c = 0; c < s.width; ++c) keys(row, c) *= s.key_length / std::sqrt(squares);
  }
  return keys;
}

Separation separation(SeparationEncoding encoding, const SeparationSetting& setting, const Dense& keys,
                      const RandomStream& stream, const SeparationSearch& search) {
  require_setting(setting);
  if (keys.rows() != setting.draws * setting.distances || keys.columns() != setting.width) {
    fail("separation: keys are {} x {}, the setting asks for {} x {}", keys.rows(), keys.columns(),
         setting.draws * setting.distances, setting.width);
  }
  if (search.samples < 1) fail("separation with {} random samples", search.samples);
  const MarginGame game = game_of(encoding, setting, keys);
  const MarginAnswer best = best_margin(game, search.tolerance, search.max_iterations);
  Separation result{best.margin, best.bound, best.converged};
  if (encoding == SeparationEncoding::relative && wants_one_distance(setting)) {
    // Whatever the query, the best table has the wanted distance at its top and all others at its bottom.
    result.margin += setting.bias_range;
    result.bound += setting.bias_range;
  } else if (encoding == SeparationEncoding::relative) {
    // With a wanted and b wanted by another draw, the margins are at most t_a - t_b and t_b - t_a.
    result.margin = result.bound = 0.0;
    result.converged = true;
  }
  const RandomParameters parameters(encoding, setting, game, stream);
  Vector margins(static_cast<size_t>(search.samples));
  for (int64_t i = 0; i < search.samples; ++i) margins[static_cast<size_t>(i)] = parameters.margin(i);
  result.positive_share = share_above(margins, 0.0);
  for (const double fraction : search.fractions) {
    result.fraction_shares.push_back(result.margin > 0.0 ? share_above(margins, fraction * result.margin) : 0.0);
  }
  for (const double level : search.levels) result.level_shares.push_back(share_above(margins, level));
  return result;
}

}  // namespace phasor
