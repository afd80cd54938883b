#pragma once
// Rotations of which far keys see another angle than near ones: what their entries have in common.
#include <functional>
#include <string>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"

namespace phasor {

// base, layout and fraction, as those of rope.
std::vector<EncodingParameter> near_rotation_parameters();

class NearRotation {
 public:
  NearRotation(const EncodingArguments& arguments, std::string entry);

  // The angle that a pair of frequency w has at position p towards keys at smaller positions, at larger ones, and that
  // of a key there: complex numbers of modulus 1.
  using Factor = std::function<std::complex<double>(int64_t position, double frequency)>;
  struct Far {
    int64_t window = 1;
    Factor query_back, query_ahead, key;
  };

  // Turns as rope does, and far keys by these.
  void fill(EncodingPlaces& places, const Far& far) const;

 private:
  std::string entry_;
  double base_;
  bool halves_;
  double fraction_;
};

}  // namespace phasor
