#pragma once
// Learned tables in double on the host: what the engine's table ops compute on the device.
#include <complex>
#include <cstdint>
#include <vector>

#include "phasor/encoding/resolve/resolved.h"

namespace phasor {

using ParameterValues = std::vector<std::vector<double>>;  // one list per entry of ResolvedEncoding::parameters

// As a model of this seed starts.
ParameterValues initial_values(const ResolvedEncoding& encoding, uint64_t seed);

// table += what the source makes of the parameters.
void add_source(Table& table, const TableSource& source, const ParameterValues& parameters);

// The same encoding with nothing left to learn: every table holds its numbers.
ResolvedEncoding with_values(ResolvedEncoding encoding, const ParameterValues& parameters);

// Factors times e^(i phase), [rows of one axis, pairs].
std::vector<std::complex<double>> with_phases(std::vector<std::complex<double>> factors, const Table& phases);

// magnitude e^(i p w) for each row of the frequencies, position and pair.
std::vector<std::complex<double>> rotation_factors(const Table& frequencies, int64_t positions, double magnitude = 1.0);

}  // namespace phasor
