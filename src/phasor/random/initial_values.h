#pragma once
// How the entries of a tensor start: a function of the seed and the tensor's name alone.
#include <cstdint>
#include <string_view>
#include <vector>

namespace phasor {

struct InitialValues {
  enum class Kind : uint8_t {
    constant,  // centre
    normal,    // N(centre, size^2)
    uniform,   // from centre - size to centre + size
    values,    // as listed
  };

  Kind kind = Kind::constant;
  double centre = 0.0;
  double size = 0.0;
  std::vector<double> values = {};

  bool operator==(const InitialValues&) const = default;
};

// Tensors draw by name, so that models which differ in one of them start from equal values in the others.
std::vector<double> draw(const InitialValues& initial, int64_t count, std::string_view name, uint64_t seed);

}  // namespace phasor
