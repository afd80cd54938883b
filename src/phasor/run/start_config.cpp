#include "phasor/run/start_config.h"

#include <fmt/format.h>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/run/config_text.h"

namespace phasor {
namespace {

constexpr std::string_view kGroup = "start.";

}  // namespace

const Fields<StartConfig>& json_fields(const StartConfig*) {
  using S = StartConfig;
  static const Fields<S> fields = {
      field("weights", &S::weights, "hash of the numbers that training started from, tensor by tensor"),
      field("run", &S::run, "the hash of the settings of the run that trained them"),
      field("encoding", &S::encoding, "that it was trained with"),
      size_field("step", &S::step, "of that run, after which they were taken"),
      size_field("samples", &S::samples, "that they had been trained on; training goes on with those that follow")};
  return fields;
}

std::vector<std::pair<std::string, std::string>> start_settings(const StartConfig& start) {
  if (start.empty()) return {};
  return {{"start.weights", start.weights},
          {"start.run", start.run},
          {"start.encoding", start.encoding},
          {"start.step", fmt::format("{}", start.step)},
          {"start.samples", fmt::format("{}", start.samples)}};
}

bool is_start_setting(std::string_view key) { return key.substr(0, kGroup.size()) == kGroup; }

void set_start(StartConfig& start, std::string_view key, std::string_view value) {
  const std::string_view name = key.substr(kGroup.size());
  if (name == "weights") {
    start.weights = value;
  } else if (name == "run") {
    start.run = value;
  } else if (name == "encoding") {
    start.encoding = value;
  } else if (name == "step") {
    start.step = read_whole(key, value, {.least = 0});
  } else if (name == "samples") {
    start.samples = read_whole(key, value, {.least = 0});
  } else {
    fail_usage("unknown key '{}'; known: start.weights, start.run, start.encoding, start.step, start.samples", key);
  }
}

void check_start(const StartConfig& start) {
  const bool any = !start.run.empty() || !start.encoding.empty() || start.step > 0 || start.samples > 0;
  if (start.empty() && any) fail_usage("the key 'start.weights' is missing");
  if (!start.empty() && (start.run.empty() || start.encoding.empty())) {
    fail_usage("the key 'start.{}' is missing", start.run.empty() ? "run" : "encoding");
  }
}

}  // namespace phasor
