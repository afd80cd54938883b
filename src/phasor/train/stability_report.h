#pragma once
// What 'phasor stability' says of a run: how smoothly it trained, how sharply its loss bends, how fast it could train.
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/session.h"
#include "phasor/train/hessian.h"
#include "phasor/train/largest_rate.h"
#include "phasor/train/stability.h"

namespace phasor {

struct StabilityReport {
  std::string task, encoding;
  TrainingStability training;
  HessianTop hessian;
  int64_t samples = 0;  // that the Hessian's loss is the mean of
  RateSearch search;
  std::optional<LargestRate> rate;
};

struct StabilityReportOptions {
  int64_t samples = 512;
  HessianOptions hessian;
  bool largest_rate = false;
  RateSearch search;
};

// `session` is the run's model with room for gradients, in fp32: differences of gradients need it.
StabilityReport measure_stability(const RunFolder& folder, Session& session, const StabilityReportOptions& options,
                                  const std::function<void(const RateTrial&)>& progress = {});

std::string to_text(const StabilityReport& report);
std::string to_text(const RateTrial& trial);  // one line
nlohmann::ordered_json to_json(const StabilityReport& report);
const Fields<StabilityReport>& json_fields(const StabilityReport*);

}  // namespace phasor
