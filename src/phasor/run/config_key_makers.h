#pragma once
// Makers of ConfigKey entries: a name, a sentence, a range, and the field as a pointer to member.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/suggest.h"
#include "phasor/run/config_keys.h"
#include "phasor/run/config_text.h"

namespace phasor::config_key {

// The part of a run's configuration that a member pointer belongs to.
template <class Part, class Config>
auto& part(Config& config) {
  if constexpr (std::is_same_v<Part, ModelConfig>) return config.model;
  if constexpr (std::is_same_v<Part, TrainConfig>) return config.train;
  if constexpr (std::is_same_v<Part, DataConfig>) return config.data;
  if constexpr (std::is_same_v<Part, TelemetryConfig>) return config.telemetry;
  if constexpr (std::is_same_v<Part, ProtocolConfig>) return config.switches;
  if constexpr (std::is_same_v<Part, SampleRules>) return config.switches.samples;
  if constexpr (std::is_same_v<Part, RunConfig>) return config;
}

using Words = std::vector<std::string>;

[[noreturn]] inline void refuse_unbuilt(std::string_view key, std::string_view text, const Words& built) {
  fail_usage("{}={} is not built yet; this version has {}", key, text, fmt::join(built, ", "));
}

[[noreturn]] inline void refuse_unknown(std::string_view key, std::string_view text, const Words& built) {
  fail_usage("{}: '{}' is not known{}", key, text, suggestion(text, built));
}

template <class Part>
ConfigKey whole(const char* name, const char* help, WholeRange range, int64_t Part::*field) {
  return {.name = name,
          .type = ConfigType::whole,
          .help = help,
          .range = describe(range),
          .get = [=](const RunConfig& config) { return fmt::format("{}", part<Part>(config).*field); },
          .set = [=](RunConfig& config,
                     std::string_view text) { part<Part>(config).*field = read_whole(name, text, range); }};
}

template <class Part>
ConfigKey seed(const char* name, const char* help, uint64_t Part::*field) {
  return {.name = name,
          .type = ConfigType::seed,
          .help = help,
          .range = "at least 0",
          .get = [=](const RunConfig& config) { return fmt::format("{}", part<Part>(config).*field); },
          .set = [=](RunConfig& config, std::string_view text) { part<Part>(config).*field = read_seed(name, text); }};
}

template <class Part>
ConfigKey real(const char* name, const char* help, RealRange range, double Part::*field) {
  return {.name = name,
          .type = ConfigType::real,
          .help = help,
          .range = describe(range),
          .get = [=](const RunConfig& config) { return write_real(part<Part>(config).*field); },
          .set = [=](RunConfig& config,
                     std::string_view text) { part<Part>(config).*field = read_real(name, text, range); }};
}

template <class Part>
ConfigKey flag(const char* name, const char* help, bool Part::*field) {
  return {.name = name,
          .type = ConfigType::flag,
          .help = help,
          .range = "true, false",
          .get = [=](const RunConfig& config) { return write_flag(part<Part>(config).*field); },
          .set = [=](RunConfig& config, std::string_view text) { part<Part>(config).*field = read_flag(name, text); }};
}

template <class Part>
ConfigKey list(const char* name, const char* help, WholeRange range, std::vector<int64_t> Part::*field) {
  return {.name = name,
          .type = ConfigType::list,
          .help = help,
          .range = "numbers with commas, or none",
          .get = [=](const RunConfig& config) { return write_list(part<Part>(config).*field); },
          .set = [=](RunConfig& config,
                     std::string_view text) { part<Part>(config).*field = read_list(name, text, range); }};
}

// A field with named values. `unbuilt` are values that people may know from the literature or from
// a later version: they are refused by name rather than as a slip of the pen.
template <class Part, class T>
ConfigKey word(const char* name, const char* help,
               const std::type_identity_t<std::vector<std::pair<std::string, T>>>& values, T Part::*field,
               const Words& unbuilt = {}) {
  Words built;
  for (const auto& value : values) built.push_back(value.first);
  return {.name = name,
          .type = ConfigType::word,
          .help = help,
          .range = fmt::format("{}", fmt::join(built, ", ")),
          .get =
              [=](const RunConfig& config) {
                const auto same = [&](const auto& value) { return value.second == part<Part>(config).*field; };
                const auto found = std::find_if(values.begin(), values.end(), same);
                if (found == values.end()) fail("{} holds a value without a name", name);
                return found->first;
              },
          .set =
              [=](RunConfig& config, std::string_view text) {
                const auto named = [&](const auto& value) { return value.first == text; };
                const auto found = std::find_if(values.begin(), values.end(), named);
                if (found == values.end()) {
                  if (std::find(unbuilt.begin(), unbuilt.end(), text) != unbuilt.end())
                    refuse_unbuilt(name, text, built);
                  refuse_unknown(name, text, built);
                }
                part<Part>(config).*field = found->second;
              }};
}

// A choice of the design with one value in this version, so that it needs no field yet.
inline ConfigKey only_word(const char* name, const char* help, const char* value, const Words& unbuilt) {
  return {.name = name,
          .type = ConfigType::word,
          .help = help,
          .range = value,
          .get = [=](const RunConfig&) { return std::string(value); },
          .set =
              [=](RunConfig&, std::string_view text) {
                if (text == value) return;
                if (std::find(unbuilt.begin(), unbuilt.end(), text) != unbuilt.end())
                  refuse_unbuilt(name, text, {value});
                refuse_unknown(name, text, {value});
              }};
}

inline ConfigKey only_false(const char* name, const char* help) {
  return {.name = name,
          .type = ConfigType::flag,
          .help = help,
          .range = "false",
          .get = [](const RunConfig&) { return write_flag(false); },
          .set =
              [=](RunConfig&, std::string_view text) {
                if (read_flag(name, text)) refuse_unbuilt(name, text, {"false"});
              }};
}

inline ConfigKey only_zero(const char* name, const char* help, ConfigType type) {
  return {.name = name,
          .type = type,
          .help = help,
          .range = "0",
          .get = [](const RunConfig&) { return std::string("0"); },
          .set =
              [=](RunConfig&, std::string_view text) {
                const bool zero =
                    type == ConfigType::real ? read_real(name, text, {}) == 0.0 : read_whole(name, text, {}) == 0;
                if (!zero) refuse_unbuilt(name, text, {"0"});
              }};
}

}  // namespace phasor::config_key
