#pragma once
// Controls with equal numbers of parameters: encodings bring parameters of their own (MLA's latents, tables), so that a
// fair comparison widens the other model's feed-forward part until the numbers agree.
#include <cstdint>
#include <string>

#include "phasor/run/config.h"

namespace phasor {

int64_t parameter_count(const RunConfig& config);

// The model.hidden with which the configuration has as nearly as can be the number of parameters that it has with the
// encoding `reference` and the hidden width it was given. Throws UsageError where no width would do.
int64_t matching_hidden(const RunConfig& config, const std::string& reference);

}  // namespace phasor
