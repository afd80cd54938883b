#include "phasor/study/plan/extension.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "phasor/base/json_fields.h"
#include "phasor/run/config_json.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

// But for the seeds.
bool is_same(const PlannedCell& a, const PlannedCell& b) {
  return config_id(a.config) == config_id(b.config) && a.config.preset == b.config.preset && a.own_data == b.own_data &&
         a.measures == b.measures && a.rates == b.rates && a.rate_of == b.rate_of;
}

std::vector<uint64_t> missing_seeds(const PlannedCell& cell, const PlannedCell& from) {
  std::vector<uint64_t> missing;
  for (const uint64_t seed : cell.seeds) {
    if (std::find(from.seeds.begin(), from.seeds.end(), seed) == from.seeds.end()) missing.push_back(seed);
  }
  return missing;
}

// All cells of `part` with all their seeds.
bool contains(const StudyPlan& whole, const StudyPlan& part) {
  return std::all_of(part.cells.begin(), part.cells.end(), [&](const PlannedCell& cell) {
    const PlannedCell* found = whole.find(cell.cell);
    return found != nullptr && is_same(cell, *found) && missing_seeds(cell, *found).empty();
  });
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

template <class Part>
bool has(const StudyPlan& plan, const Part& part) {
  return std::any_of(plan.cells.begin(), plan.cells.end(), part);
}

}  // namespace

static const Fields<ExtendedCell>& json_fields(const ExtendedCell*) {
  using C = ExtendedCell;
  static const Fields<C> fields = {field("cell", &C::cell, "that runs were added to"),
                                   field("seeds", &C::seeds, "that are new; of a new cell all")};
  return fields;
}

const Fields<StudyExtension>& json_fields(const StudyExtension*) {
  using E = StudyExtension;
  static const Fields<E> fields = {field("date", &E::date, "UTC date"),
                                   field("commit", &E::commit, "of the program that extended it"),
                                   field("before", &E::before, "hash of the plan that was extended"),
                                   field("after", &E::after, "hash of the plan since then"),
                                   field("what", &E::what, "was added, in words"),
                                   field("added", &E::added, "cells with their new seeds")};
  return fields;
}

std::vector<ExtendedCell> added_cells(const StudyPlan& earlier, const StudyPlan& later) {
  if (!contains(later, earlier)) return {};
  std::vector<ExtendedCell> added;
  for (const PlannedCell& cell : later.cells) {
    const PlannedCell* before = earlier.find(cell.cell);
    std::vector<uint64_t> seeds = before == nullptr ? cell.seeds : missing_seeds(cell, *before);
    if (!seeds.empty()) added.push_back({cell.cell, std::move(seeds)});
  }
  return added;
}

bool is_part_of(const StudyPlan& part, const StudyPlan& whole) {
  const bool is_less = !contains(part, whole);  // NOLINT(readability-suspicious-call-argument): the other way round
  return contains(whole, part) && is_less;
}

bool has_cells_of(const StudyPlan& whole, const StudyPlan& part) {
  return std::all_of(part.cells.begin(), part.cells.end(), [&](const PlannedCell& cell) {
    const PlannedCell* found = whole.find(cell.cell);
    return found != nullptr && is_same(cell, *found);
  });
}

std::string seeds_text(std::vector<uint64_t> seeds) {
  std::sort(seeds.begin(), seeds.end());
  if (seeds.size() > 2 && seeds.back() - seeds.front() + 1 == seeds.size()) {
    return fmt::format("{} to {}", seeds.front(), seeds.back());
  }
  std::vector<std::string> names;
  names.reserve(seeds.size());
  for (const uint64_t seed : seeds) names.push_back(std::to_string(seed));
  return listed(names);
}

std::string extension_words(const StudyPlan& earlier, const std::vector<ExtendedCell>& added) {
  std::set<uint64_t> seeds;
  std::vector<std::string> parts, tasks, encodings, others;
  for (const ExtendedCell& cell : added) {
    const CellName& name = cell.cell;
    if (earlier.find(name) != nullptr) {
      seeds.insert(cell.seeds.begin(), cell.seeds.end());
    } else if (!has(earlier, [&](const PlannedCell& old) { return old.cell.task == name.task; })) {
      add_new(tasks, name.task);
    } else if (!has(earlier, [&](const PlannedCell& old) { return old.cell.encoding == name.encoding; })) {
      add_new(encodings, encoding_label(name));
    } else {
      add_new(others, text(name));
    }
  }
  if (!seeds.empty()) {
    parts.push_back(fmt::format("seed{} {}", seeds.size() == 1 ? "" : "s", seeds_text({seeds.begin(), seeds.end()})));
  }
  if (!encodings.empty()) {
    parts.push_back(fmt::format("the encoding{} {}", encodings.size() == 1 ? "" : "s", listed(encodings)));
  }
  if (!tasks.empty()) parts.push_back(fmt::format("the task{} {}", tasks.size() == 1 ? "" : "s", listed(tasks)));
  parts.insert(parts.end(), others.begin(), others.end());
  return listed(parts);
}

}  // namespace phasor
