#include "phasor/encoding/resolve/component.h"

namespace phasor {

std::string_view coupling_name(Coupling coupling) {
  switch (coupling) {
    case Coupling::none:
      return "none";
    case Coupling::input:
      return "input";
    case Coupling::toeplitz_bias:
      return "toeplitz_bias";
    case Coupling::hadamard_toeplitz:
      return "hadamard_toeplitz";
    case Coupling::content_bias:
      return "content_bias";
    case Coupling::distance_rows:
      return "distance_rows";
  }
  return "none";
}

}  // namespace phasor
