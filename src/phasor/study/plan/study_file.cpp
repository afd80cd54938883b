#include "phasor/study/plan/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/suggest.h"
#include "phasor/run/config_file.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/study/plan/plan_json.h"
#include "phasor/study/plan/study_grid.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string>& grid_members() {
  static const std::vector<std::string> members = {"encodings", "tasks",    "protocols", "switches", "seeds",
                                                   "variant",   "settings", "tune",      "measure",  "ablation_samples",
                                                   "lengths"};
  return members;
}

void require_known(const Json& object, std::vector<std::string> known) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail_usage("'{}' is not known here{}", name, suggestion(name, known));
    }
  }
}

std::vector<std::string> words(const Json& grid, const char* name, std::vector<std::string> fallback) {
  if (!grid.contains(name)) return fallback;
  const Json& value = grid[name];
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array() || value.empty()) fail_usage("'{}' must be a list of texts, [\"rope\", \"alibi\"]", name);
  std::vector<std::string> list;
  for (const Json& word : value) {
    if (!word.is_string()) fail_usage("'{}' holds {}, which is no text", name, word.dump());
    list.push_back(word);
  }
  return list;
}

NamedEncoding encoding_of(const Json& value) {
  if (value.is_string()) return parse_named_encoding(value.get<std::string>());
  if (!value.is_object()) {
    fail_usage("'encodings' holds {}; an encoding is \"rope\" or {{\"name\": \"mine\", \"expression\": \"rope\"}}",
               value.dump());
  }
  require_known(value, {"name", "expression"});
  for (const char* member : {"name", "expression"}) {
    if (!value.contains(member) || !value[member].is_string()) {
      fail_usage("'encodings' holds {}, where '{}' is missing or no text", value.dump(), member);
    }
  }
  NamedEncoding named{.name = value["name"], .expression = value["expression"]};
  check_name(named.name, named.expression);
  return named;
}

std::vector<NamedEncoding> encodings(const Json& grid) {
  if (!grid.contains("encodings")) return {};
  const Json& value = grid["encodings"];
  if (value.is_string() || value.is_object()) return {encoding_of(value)};
  if (!value.is_array() || value.empty()) fail_usage("'encodings' must be a list of texts, [\"rope\", \"alibi\"]");
  std::vector<NamedEncoding> list;
  for (const Json& element : value) list.push_back(encoding_of(element));
  return list;
}

std::vector<uint64_t> seeds(const Json& grid) {
  if (!grid.contains("seeds")) return StudyGrid().seeds;
  const Json& value = grid["seeds"];
  constexpr uint64_t kMost = 1000;
  if (value.is_number_unsigned() && value.get<uint64_t>() >= 1 && value.get<uint64_t>() <= kMost) {
    return StudyGrid::first_seeds(value.get<int64_t>());
  }
  const auto is_seed = [](const Json& seed) { return seed.is_number_unsigned(); };
  if (!value.is_array() || value.empty() || !std::all_of(value.begin(), value.end(), is_seed)) {
    fail_usage("'seeds' must be how many (1 to {}) or a list of whole numbers, not {}", kMost, value.dump());
  }
  return value.get<std::vector<uint64_t>>();
}

std::vector<double> numbers(const Json& grid, const char* name) {
  if (!grid.contains(name)) return {};
  const Json& value = grid[name];
  const auto is_positive = [](const Json& number) { return number.is_number() && number.get<double>() > 0.0; };
  if (!value.is_array() || value.empty() || !std::all_of(value.begin(), value.end(), is_positive)) {
    fail_usage("'{}' must be a list of numbers above 0, not {}", name, value.dump());
  }
  return value.get<std::vector<double>>();
}

std::vector<double> lengths(const Json& grid) {
  std::vector<double> factors = numbers(grid, "lengths");
  for (const double factor : factors) {
    if (factor < 1.0 || factor > kMostLengthFactor) {
      fail_usage("'lengths' holds {}: a factor of the training length, from 1 to {}", factor, kMostLengthFactor);
    }
  }
  return factors;
}

// Names are printed as they are: nothing in them may move a terminal's cursor.
void require_plain(const std::string& name, const char* what) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    fail_usage("'{}' holds a control character, {}", what, Json(name).dump());
  }
}

ConfigBundle settings(const Json& object, const char* name, std::string_view file) {
  if (!object.contains(name)) return {};
  if (!object[name].is_object()) fail_usage("'{}' must be an object of keys, {{\"train.steps\": 500}}", name);
  ConfigBundle bundle;
  for (const ConfigEntry& entry : read_config_entries(object[name].dump(), file)) {
    for (const char* own : {"preset", "task", "protocol", "model.encoding", "seed"}) {
      if (entry.key == own) fail_usage("'{}' is no setting of a study: it has a member for it", own);
    }
    bundle.emplace_back(entry.key, entry.value);
  }
  return bundle;
}

std::vector<GridSwitch> switches(const Json& grid, std::string_view file) {
  if (!grid.contains("switches")) return {};
  if (!grid["switches"].is_object()) fail_usage("'switches' must be an object: {{\"name\": {{\"key\": value}}}}");
  std::vector<GridSwitch> list;
  for (const auto& [name, value] : grid["switches"].items()) {
    require_plain(name, "switches");
    list.push_back({name, settings(grid["switches"], name.c_str(), file)});
  }
  return list;
}

RunMeasures measures(const Json& grid) {
  RunMeasures measures = parse_measures(words(grid, "measure", {}));
  if (grid.contains("lengths")) measures.lengths = lengths(grid);
  if (!grid.contains("ablation_samples")) return measures;
  const Json& samples = grid["ablation_samples"];
  constexpr int64_t kFewest = 20;
  if (!samples.is_number_integer() || samples.get<int64_t>() < kFewest) {
    fail_usage("'ablation_samples' must be a whole number of at least {}, not {}", kFewest, samples.dump());
  }
  measures.ablation_samples = samples;
  return measures;
}

void add_grid(StudyPlan& plan, const Json& grid, const ConfigBundle& common, std::string_view file) {
  StudyGrid read{.preset = plan.preset,
                 .tasks = words(grid, "tasks", {"distance"}),
                 .protocols = words(grid, "protocols", {"clean"}),
                 .switches = switches(grid, file),
                 .seeds = seeds(grid),
                 .settings = common,
                 .rates = numbers(grid, "tune"),
                 .measures = measures(grid)};
  for (const NamedEncoding& encoding : encodings(grid)) add_encoding(read, encoding);
  if (grid.contains("variant")) {
    if (!grid["variant"].is_string()) fail_usage("'variant' must be a text");
    read.variant = grid["variant"];
    require_plain(read.variant, "variant");
  }
  for (const auto& setting : settings(grid, "settings", file)) read.settings.push_back(setting);
  add_cells(plan, read);
}

std::string text_member(const Json& root, const char* name, const char* fallback) {
  if (!root.contains(name)) return fallback;
  if (!root[name].is_string()) fail_usage("'{}' must be a text", name);
  require_plain(root[name], name);
  return root[name];
}

StudyPlan plan_of(const Json& root, std::string_view file) {
  if (!root.is_object()) fail_usage("the outermost value must be an object");
  StudyPlan plan{.name = text_member(root, "name", "study"), .preset = text_member(root, "preset", "quick")};
  std::vector<std::string> outer = {"name", "preset"};
  if (!root.contains("grids")) {
    outer.insert(outer.end(), grid_members().begin(), grid_members().end());
    require_known(root, outer);
    add_grid(plan, root, {}, file);
  } else {
    outer.insert(outer.end(), {"grids", "settings"});
    require_known(root, outer);
    if (!root["grids"].is_array()) fail_usage("'grids' must be a list of objects");
    const ConfigBundle common = settings(root, "settings", file);
    for (const Json& grid : root["grids"]) {
      if (!grid.is_object()) fail_usage("'grids' must be a list of objects");
      require_known(grid, grid_members());
      add_grid(plan, grid, common, file);
    }
  }
  check(plan);
  refuse_duplicates(plan);
  return plan;
}

}  // namespace

StudyPlan read_study(std::string_view text, std::string_view file) {
  const Json root = read_json(text, file);
  if (root.is_object() && root.contains("format")) return plan_from_json(text, file);
  try {
    return plan_of(root, file);
  } catch (const UsageError& error) {
    fail_usage("{}: {}", file, error.what());
  }
}

}  // namespace phasor
