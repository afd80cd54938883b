#include "phasor/run/parameter_match.h"

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/model/parameters.h"

namespace phasor {

int64_t parameter_count(const RunConfig& config) {
  return ParameterLayout(config.model, resolve_encoding(config.model)).count();
}

int64_t matching_hidden(const RunConfig& config, const std::string& reference) {
  RunConfig other = config;
  other.model.encoding = reference;
  const int64_t wanted = parameter_count(other);
  // The number rises evenly with the width.
  other = config;
  other.model.hidden = config.model.hidden + 1;
  const int64_t own = parameter_count(config);
  const int64_t per_unit = parameter_count(other) - own;
  const int64_t hidden =
      config.model.hidden + std::llround(static_cast<double>(wanted - own) / static_cast<double>(per_unit));
  if (hidden < 1) {
    fail_usage("--match-parameters: {} has {} parameters, {} more than {} has without any feed-forward part",
               config.model.encoding, own, own - wanted, reference);
  }
  return hidden;
}

}  // namespace phasor
