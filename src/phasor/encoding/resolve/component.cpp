#include "phasor/encoding/resolve/component.h"

namespace phasor {

std::string_view coupling_name(Coupling coupling) {
  switch (coupling) {
    case Coupling::none:
      return "none";
    case Coupling::row_scale:
      return "row_scale";
    case Coupling::input:
      return "input";
    case Coupling::toeplitz_bias:
      return "toeplitz_bias";
    case Coupling::hadamard_toeplitz:
      return "hadamard_toeplitz";
    case Coupling::hadamard:
      return "hadamard";
    case Coupling::content_rotation:
      return "content_rotation";
    case Coupling::content_bias:
      return "content_bias";
    case Coupling::distance_rows:
      return "distance_rows";
  }
  return "none";
}

std::string_view beyond_name(Beyond beyond) {
  switch (beyond) {
    case Beyond::formula:
      return "formula";
    case Beyond::clamped:
      return "clamped";
    case Beyond::drawn:
      return "drawn";
    case Beyond::refused:
      return "refused";
  }
  return "formula";
}

}  // namespace phasor
