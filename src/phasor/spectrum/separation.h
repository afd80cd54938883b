#pragma once
// Can a head single out one distance? Keys stand at distances 0 .. distances - 1 before the query; the margin is
// logit(wanted) - the largest logit at any other distance, the least over all draws of content. Given are the keys: a
// content that all of them share plus one of their own, at a fixed length. Free are the query up to a fixed length and
// what the encoding adds: a table of biases within a range, a slope. The same parameters serve all draws.
//
// All draws may want one distance, or each its own (wanted_of_draw): then the content decides which distance is wanted,
// and no table of biases can separate, for what it gives to one draw's distance it takes from the other's.
//
// Keys are drawn here, not chosen. Lengths are exchanged between terms only as given: query_length * key_length * scale
// against bias_range.
#include <cstdint>
#include <vector>

#include "phasor/random/stream.h"
#include "phasor/spectrum/margin_game.h"

namespace phasor {

enum class SeparationEncoding : uint8_t { nope, alibi, relative, rope, mla };
const char* name(SeparationEncoding encoding);

struct SeparationSetting {
  int64_t distances = 32;
  int64_t wanted = 5;
  int64_t width = 16;
  double query_length = 4.0;
  double key_length = 4.0;
  double scale = 0.25;              // of the products; 1 / sqrt(width)
  double bias_range = 4.0;          // relative: largest - smallest entry; alibi: slope * (distances - 1) at most
  std::vector<double> frequencies;  // rope: width / 2 of them; neighbours (2 m, 2 m + 1) turn
  // mla: the first 2 * size channels turn, the rest are content alone; both under one length.
  std::vector<double> mla_frequencies;
  // Share of a key's squared length that is its own: 0 is content fixed, where every key is the same.
  double variation = 0.0;
  int64_t draws = 1;  // of content, all to be served by the same parameters
  // Where it is not empty, a distance for each draw, in place of `wanted`; the keys of a draw are then all alike, of a
  // content that is the draw's own.
  std::vector<int64_t> wanted_of_draw;

  int64_t wanted_in(int64_t draw) const {
    return wanted_of_draw.empty() ? wanted : wanted_of_draw[static_cast<size_t>(draw)];
  }
};

// base^(-2 m / width), m < width / 2.
std::vector<double> rotary_frequencies(int64_t width, double base = 10000.0);

// [draws * distances, width], row draw * distances + distance. The shared content depends on the stream alone, so that
// settings which differ in their variation can be compared.
Dense sampled_keys(const SeparationSetting& setting, const RandomStream& stream);

struct Separation {
  double margin = 0.0;  // the best that was reached; 0 where nothing separates
  double bound = 0.0;   // what no parameters exceed
  bool converged = false;
  double positive_share = 0.0;          // of random parameters: margin > 0, the wanted distance wins
  std::vector<double> fraction_shares;  // margin > fraction * the best margin, per fraction
  std::vector<double> level_shares;     // margin > level, per level: comparable between encodings
};

struct SeparationSearch {
  int64_t samples = 4000;  // queries evenly over the sphere, biases evenly over their range
  std::vector<double> fractions = {0.25, 0.5, 0.75};
  std::vector<double> levels;
  double tolerance = 1e-3;
  int64_t max_iterations = 20000;
};

Separation separation(SeparationEncoding encoding, const SeparationSetting& setting, const Dense& keys,
                      const RandomStream& stream, const SeparationSearch& search = {});

}  // namespace phasor
