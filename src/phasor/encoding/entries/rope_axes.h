#pragma once
// Rotations by several coordinates at once: which pair turns with which of them, and how fast.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/places.h"
#include "phasor/encoding/syntax/arguments.h"
#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

class RopeAxes {
 public:
  static std::vector<EncodingParameter> parameters();

  // Throws EncodingError for a map or sections without axes to go with.
  explicit RopeAxes(const EncodingArguments& arguments);

  int64_t count() const { return count_; }
  // Every pair turns with a direction in space, and layers and heads have their own.
  bool mixed() const { return map_ == "mixed"; }

  // Of which pair turns with which coordinate; empty for one axis.
  std::string formula() const;
  // Whether one of parameters() has a say.
  bool reads(std::string_view parameter) const;

  // An error at the term where so many pairs cannot be shared out.
  void check(const EncodingPlaces& places, int64_t pairs) const;

  // Channels that one grid of frequencies spans: all of them, or an axis's share where each has a grid of its own.
  int64_t grid_channels(int64_t pairs) const;
  // [axes, pairs]: what a position on an axis turns a pair by, 0 for nothing. Where the map is not mixed, `layer` and
  // `head` have no say.
  Table spread(const std::vector<double>& grid, int64_t pairs, int64_t layer, int64_t head) const;

 private:
  std::vector<int64_t> section_sizes(int64_t pairs) const;
  // Of each pair; an axis per pair.
  std::vector<int64_t> axis_of_pair(int64_t pairs) const;

  int64_t count_;
  std::string map_;
  std::vector<double> sections_;
};

}  // namespace phasor
