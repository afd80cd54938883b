#pragma once
// Up to which sizes an encoding is measured: kernels and desiderata compare every position with every other.
#include <string>

#include "phasor/encoding/encoding.h"

namespace phasor {

// Positions up to which there are measures. Where `tables_end` is set, there are no tables beyond either: those for
// each length, or for each query position, grow with the square of the length.
struct MeasuredPositions {
  int64_t most = 0;
  bool tables_end = false;
};
MeasuredPositions measured_positions(const Encoding& encoding, const EncodingShape& shape);

// Why an encoding is not measured on its shape, in a sentence; empty where it is.
std::string measures_left_out(const Encoding& encoding, const ResolvedEncoding& resolved);

}  // namespace phasor
