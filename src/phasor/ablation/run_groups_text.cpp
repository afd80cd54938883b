#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "phasor/ablation/run_groups.h"
#include "phasor/base/display_width.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

std::string with_interval(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "-";
  if (!std::isfinite(estimate.low) || !std::isfinite(estimate.high)) return fmt::format("{:.2f}", estimate.value);
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", estimate.value, estimate.low, estimate.high);
}

std::string accuracy_text(const AblatedGroup& group) {
  const double mean = 100.0 * statistics::mean(group.accuracy);
  if (group.accuracy.size() < 2) return fmt::format("{:.1f}", mean);
  return fmt::format("{:.1f} +- {:.1f}", mean, 100.0 * statistics::standard_deviation(group.accuracy));
}

// Cells in columns as wide as they need, the first of which is not shared by what is too long for it.
class GroupTable {
 public:
  explicit GroupTable(std::vector<std::string> titles) { rows_.push_back(std::move(titles)); }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string text() const {
    std::vector<size_t> widths(rows_.front().size(), 0);
    for (const std::vector<std::string>& row : rows_) {
      for (size_t c = 0; c < row.size(); ++c) {
        const size_t width = display_width(row[c]);
        if (c > 0 || width <= kWidestName) widths[c] = std::max(widths[c], width);
      }
    }
    std::string text;
    for (const std::vector<std::string>& row : rows_) {
      const bool above = display_width(row.front()) > kWidestName;
      if (above) text += isolated(row.front()) + "\n";
      std::string line = padded_to(above ? "" : isolated(row.front()), widths[0]);
      for (size_t c = 1; c < row.size(); ++c) line += "  " + padded_to(row[c], widths[c]);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

 private:
  static constexpr size_t kWidestName = 34;
  std::vector<std::vector<std::string>> rows_;
};

// A column each where groups differ in them, else a line above the tables.
struct SharedColumns {
  bool task = false, protocol = false;  // there is a column

  explicit SharedColumns(const std::vector<AblatedGroup>& groups) {
    for (const AblatedGroup& group : groups) {
      task = task || group.task != groups.front().task;
      protocol = protocol || group.protocol != groups.front().protocol;
    }
  }
  std::vector<std::string> titles() const { return cells("task", "protocol"); }
  std::vector<std::string> cells_of(const AblatedGroup& group) const { return cells(group.task, group.protocol); }
  std::string line(const AblatedGroup& any) const {
    if (task && protocol) return "";
    if (task) return fmt::format("protocol {}\n", any.protocol);
    if (protocol) return fmt::format("task {}\n", any.task);
    return fmt::format("task {}, protocol {}\n", any.task, any.protocol);
  }

 private:
  std::vector<std::string> cells(const std::string& of_task, const std::string& of_protocol) const {
    std::vector<std::string> result;
    if (task) result.push_back(of_task);
    if (protocol) result.push_back(of_protocol);
    return result;
  }
};

// Behind the place, the settings that tell a group apart: a few of them, of presets that differ in many.
std::string title(const AblatedGroup& group) {
  constexpr size_t kMost = 4;
  std::string text = group.place;
  for (size_t s = 0; s < std::min(kMost, group.settings.size()); ++s) text += " " + group.settings[s];
  const size_t left = group.settings.size() - std::min(kMost, group.settings.size());
  return left == 0 ? text : text + fmt::format(" and {} more", left);
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& middle,
                                const std::vector<std::string>& last) {
  first.insert(first.end(), middle.begin(), middle.end());
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

std::string p_text(const RunGroups& all, size_t g, size_t q) {
  const auto found = std::find_if(all.comparisons.begin(), all.comparisons.end(),
                                  [&](const GroupComparison& c) { return c.group == g && c.question == q; });
  if (found == all.comparisons.end() || !found->found.max_share.test) return "-";
  return fmt::format("{:.3f} ({:.3f})", found->found.max_share.test->p, found->p_holm.value_or(1.0));
}

std::string question_text(const RunGroups& all, size_t q) {
  const SharedColumns columns(all.groups);
  std::string text = fmt::format(
      "\n{} ({}): the layer that matters most, over seeds; D P S N U: DEPOSIT, PARTIAL, SPREAD, NOT USED, "
      "UNDETERMINED\n",
      name(kQuestions[q]), name(judged_method(kQuestions[q])));
  const auto judged = [&](const AblatedGroup& group) { return group.verdicts[q].has_value(); };
  if (std::none_of(all.groups.begin(), all.groups.end(), judged)) return text + "not measured\n";
  GroupTable table(joined({"encoding"}, columns.titles(),
                          {"accuracy %", "D P S N U", "verdict", "max share", "N2", "sufficiency",
                           fmt::format("p against {} (Holm)", all.against_name)}));
  for (size_t g = 0; g < all.groups.size(); ++g) {
    const AblatedGroup& group = all.groups[g];
    if (!group.verdicts[q]) continue;
    const EncodingVerdict& verdict = *group.verdicts[q];
    table.add(joined({title(group)}, columns.cells_of(group),
                     {accuracy_text(group) + (group.not_converged > 0 ? "*" : ""),
                      fmt::format("{} {} {} {} {}", verdict.deposit.seeds, verdict.partial.seeds, verdict.spread.seeds,
                                  verdict.not_used.seeds, verdict.undetermined.seeds),
                      std::string(name(verdict.verdict)), with_interval(verdict.max_share), with_interval(verdict.n2),
                      with_interval(verdict.sufficiency), p_text(all, g, q)}));
  }
  text += table.text();
  for (const AblatedGroup& group : all.groups) {
    if (!group.verdicts[q]) continue;
    const std::vector<std::string> where = columns.cells_of(group);
    text += fmt::format("  {}{}{}: {}\n", title(group), where.empty() ? "" : " on ", fmt::join(where, ", "),
                        group.verdicts[q]->reason);
  }
  return text;
}

double mean_random(const LayerRemoval& layer) {
  double sum = 0.0;
  for (const RemovalScore& score : layer.random) sum += score.accuracy;
  return sum / static_cast<double>(std::max<size_t>(1, layer.random.size()));
}

// Accuracy with p removed / with random vectors of its length removed, mean over seeds.
std::string removals_text(const std::vector<AblatedGroup>& groups) {
  const SharedColumns columns(groups);
  size_t layers = 0;
  for (const AblatedGroup& group : groups) layers = std::max(layers, group.removals.front().layers.size());
  std::vector<std::string> titles;
  for (size_t l = 0; l < layers; ++l) titles.push_back(fmt::format("layer {}", l));
  GroupTable table(joined({"encoding"}, columns.titles(), titles));
  for (const AblatedGroup& group : groups) {
    std::vector<std::string> cells;
    for (size_t l = 0; l < group.removals.front().layers.size(); ++l) {
      std::vector<double> without, random;
      for (const StreamRemoval& removal : group.removals) {
        without.push_back(100.0 * removal.layers[l].means.accuracy);
        random.push_back(100.0 * mean_random(removal.layers[l]));
      }
      cells.push_back(fmt::format("{:5.1f} / {:5.1f}", statistics::mean(without), statistics::mean(random)));
    }
    table.add(joined({title(group)}, columns.cells_of(group), cells));
  }
  return "\naccuracy in % with p taken out of the stream entering a layer / with random vectors as long\n" +
         table.text();
}

}  // namespace

std::string run_groups_text(const RunGroups& groups) {
  std::string text = groups.groups.empty() ? "" : SharedColumns(groups.groups).line(groups.groups.front());
  for (size_t q = 0; q < kQuestions.size(); ++q) text += question_text(groups, q);
  text += removals_text(groups.groups);
  if (std::any_of(groups.groups.begin(), groups.groups.end(),
                  [](const AblatedGroup& group) { return group.not_converged > 0; })) {
    text += "* some of these runs had not converged\n";
  }
  return text;
}

}  // namespace phasor
