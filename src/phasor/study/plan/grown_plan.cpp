#include "phasor/study/plan/grown_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/model/transformer.h"
#include "phasor/run/config_keys.h"
#include "phasor/study/plan/encoding_labels.h"
#include "phasor/study/plan/own_settings.h"

namespace phasor {
namespace {

struct NewCell {
  std::string task, encoding;
  ConfigBundle settings;
};

bool has_key(const std::string& task, const std::string& name) {
  const std::vector<ConfigKey> keys = config_keys(find_task(task));
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) { return key.name == name; });
}

// A setting of the old task that the new one does not have stays behind.
RunConfig config_like(const RunConfig& like, const NewCell& wanted) {
  ConfigBundle settings;
  for (const auto& [key, value] : own_settings(like)) {
    if (has_key(wanted.task, key)) settings.emplace_back(key, value);
  }
  settings.insert(settings.end(), wanted.settings.begin(), wanted.settings.end());
  RunConfig config = preset_config(like, wanted.task, wanted.encoding, settings);
  config.seed = like.seed;
  resolve_encoding(config.model);  // refuses what does not fit the model
  return config;
}

// A cell that takes over another one's rate is no model for one that needs a rate of its own.
const PlannedCell& better_model(const PlannedCell& a, const PlannedCell& b) { return a.rate_of && !b.rate_of ? b : a; }

PlannedCell cell_like(const PlannedCell& like, const NewCell& wanted) {
  PlannedCell cell = like;
  cell.config = config_like(like.config, wanted);
  cell.cell.task = cell.config.task;
  cell.cell.encoding = cell.config.model.encoding;
  return cell;
}

// "rope, alibi on distance", as studies from options are called.
std::string usual_name(const StudyPlan& plan) {
  std::vector<std::string> encodings, tasks;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const PlannedCell& cell : plan.cells) {
    add(encodings, cell.cell.encoding);
    add(tasks, cell.cell.task);
  }
  return fmt::format("{} on {}", fmt::join(encodings, ", "), fmt::join(tasks, ", "));
}

// With encodings by their names; empty where all are called as they are written.
std::string usual_title(const StudyPlan& plan) {
  const bool is_labelled = std::any_of(plan.cells.begin(), plan.cells.end(), [](const PlannedCell& cell) {
    return encoding_label(cell.cell) != cell.cell.encoding;
  });
  return is_labelled ? title_by_labels(plan) : "";
}

// Those of `wanted` that neither `seeds` nor `others` have.
void add_missing(std::vector<uint64_t>& seeds, const std::vector<uint64_t>& wanted,
                 const std::vector<uint64_t>& others = {}) {
  const auto has = [](const std::vector<uint64_t>& list, uint64_t seed) {
    return std::find(list.begin(), list.end(), seed) != list.end();
  };
  for (const uint64_t seed : wanted) {
    if (!has(seeds, seed) && !has(others, seed)) seeds.push_back(seed);
  }
}

void add_seeds(StudyPlan& plan, int64_t count) {
  bool has_so_many = false;
  for (PlannedCell& cell : plan.cells) {
    for (uint64_t seed = 0; std::ssize(cell.seeds) < count; ++seed) {
      if (seed == kTuningSeed || std::find(cell.seeds.begin(), cell.seeds.end(), seed) != cell.seeds.end()) continue;
      cell.seeds.push_back(seed);
    }
    has_so_many = has_so_many || std::ssize(cell.seeds) == count;
  }
  if (!has_so_many) {
    const auto most = std::max_element(plan.cells.begin(), plan.cells.end(),
                                       [](const auto& a, const auto& b) { return a.seeds.size() < b.seeds.size(); });
    fail_usage("--seeds {}: the study '{}' has {}, and only grows", count, shown_name(plan), most->seeds.size());
  }
}

// One cell for every protocol, and variant, that the place has.
template <class IsOfPlace>
std::vector<PlannedCell> models(const StudyPlan& plan, const IsOfPlace& is_of_place) {
  std::vector<PlannedCell> found;
  for (const PlannedCell& cell : plan.cells) {
    if (!is_of_place(cell)) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const PlannedCell& it) {
      return it.cell.task == cell.cell.task && it.cell.protocol == cell.cell.protocol &&
             it.cell.variant == cell.cell.variant;
    });
    if (same == found.end()) {
      found.push_back(cell);
    } else {
      *same = better_model(*same, cell);
    }
  }
  return found;
}

void add_encoding(StudyPlan& plan, const NamedEncoding& encoding) {
  StudyPlan grown = plan;
  for (const PlannedCell& model : models(plan, [](const PlannedCell&) { return true; })) {
    PlannedCell cell = cell_like(model, {model.cell.task, encoding.expression, {}});
    if (plan.find(cell.cell) != nullptr) continue;
    // Behind the last of its task and protocol, where a study made at once would have it.
    const auto last = std::find_if(grown.cells.rbegin(), grown.cells.rend(), [&](const PlannedCell& it) {
      return it.cell.task == cell.cell.task && it.cell.protocol == cell.cell.protocol;
    });
    grown.cells.insert(last.base(), std::move(cell));
  }
  if (!encoding.name.empty()) add_name(grown.names, {encoding.name, print(parse_encoding(encoding.expression))});
  plan = std::move(grown);
}

void add_task(StudyPlan& plan, const std::string& task, const ConfigBundle& settings) {
  const std::string first = plan.cells.front().cell.task;
  const std::vector<PlannedCell> cells = plan.cells;
  for (const PlannedCell& model : cells) {
    if (model.cell.task != first) continue;
    PlannedCell cell = cell_like(model, {task, model.config.model.encoding, settings});
    if (plan.find(cell.cell) != nullptr) continue;
    if (cell.rate_of) cell.rate_of->task = cell.cell.task;
    plan.cells.push_back(std::move(cell));
  }
}

}  // namespace

StudyPlan with_asked(const StudyPlan& there, const StudyPlan& asked) {
  StudyPlan later = there;
  std::vector<uint64_t> new_seeds;
  for (const PlannedCell& cell : asked.cells) {
    const PlannedCell* before = there.find(cell.cell);
    if (before != nullptr) add_missing(new_seeds, cell.seeds, before->seeds);
  }
  for (PlannedCell& cell : later.cells) {
    const PlannedCell* wanted = asked.find(cell.cell);
    add_missing(cell.seeds, wanted == nullptr ? new_seeds : wanted->seeds);
  }
  for (const NamedEncoding& named : asked.names) {
    std::erase_if(later.names, [&](const NamedEncoding& old) { return old.expression == named.expression; });
  }
  for (const NamedEncoding& named : asked.names) add_name(later.names, named);
  label_cells(later);
  if (!later.title.empty() || later.name == usual_name(later)) later.title = usual_title(later);
  check(later);
  return later;
}

StudyPlan grown(const StudyPlan& plan, const StudyGrowth& growth) {
  check(plan);
  const bool is_usual = plan.name == usual_name(plan);
  StudyPlan later = plan;
  for (const std::string& task : growth.tasks) add_task(later, task, growth.settings);
  for (const NamedEncoding& encoding : growth.encodings) add_encoding(later, encoding);
  if (growth.seeds) add_seeds(later, *growth.seeds);
  label_cells(later);
  if (is_usual) {
    later.name = usual_name(later);
    later.title = usual_title(later);
  }
  check(later);
  refuse_duplicates(later);
  return later;
}

}  // namespace phasor
