#pragma once
// Where a training starts that does not start from its seed: at the weights of another run.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "phasor/base/json_fields_fwd.h"

namespace phasor {

struct StartConfig {
  std::string weights;   // hash of their numbers, tensor by tensor; empty: training starts from the seed
  std::string run;       // config_id() of the run that trained them
  std::string encoding;  // that it was trained with
  int64_t step = 0;      // after which they were taken
  int64_t samples = 0;   // that they had been trained on: training goes on with those that follow

  bool empty() const { return weights.empty(); }
  bool operator==(const StartConfig&) const = default;
};
const Fields<StartConfig>& json_fields(const StartConfig*);

// "start.weights" and so on, as config.json and canonical texts have them; none where training starts from the seed.
std::vector<std::pair<std::string, std::string>> start_settings(const StartConfig& start);
// Whether it is one of them.
bool is_start_setting(std::string_view key);
// Throws UsageError for an unknown key and for what is no count.
void set_start(StartConfig& start, std::string_view key, std::string_view value);
// Throws UsageError where only some of them were set.
void check_start(const StartConfig& start);

}  // namespace phasor
