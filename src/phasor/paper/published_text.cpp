// Our numbers beside the published ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "phasor/base/wrapped_text.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/paper/paper_text.h"
#include "phasor/paper/published.h"
#include "phasor/study/summary/cell_heads.h"
#include "phasor/study/summary/cell_numbers.h"

namespace phasor::paper {
namespace {

constexpr int64_t kPublishedHeads = 16;

// "92.6 p", "~4.0 d", "77.2-78.0 d": per cent, and how it was had.
std::string published_number(const PublishedPoint& point, Provenance provenance) {
  const bool printed = point.printed || provenance == Provenance::printed;
  const std::string number = point.is_range() ? fmt::format("{:.1f}-{:.1f}", 100.0 * point.low, 100.0 * point.high)
                                              : fmt::format("{:.1f}", 100.0 * point.low);
  return fmt::format("{}{} {}", point.approximate ? "~" : "", number, printed ? "p" : "d");
}

std::string published_number(const PublishedEntry& entry, double at) {
  const PublishedPoint* point = entry.find(at);
  return point == nullptr ? "-" : published_number(*point, entry.provenance);
}

// "98.3 (97.1 to 99.5) 1*"
std::string mean_text(const SeedInterval& percent, int64_t unconverged) {
  if (percent.count == 0) return "-";
  std::string text = fmt::format("{:.1f}", 100.0 * percent.mean);
  if (percent.low && !percent.degenerate) {
    text += fmt::format(" ({:.1f} to {:.1f})", 100.0 * *percent.low, 100.0 * *percent.high);
  }
  return unconverged > 0 ? text + fmt::format(" {}*", unconverged) : text;
}

std::string accuracy_text(const StudyResults& results, const CellName& cell) {
  const CellRuns* found = results.find(cell);
  if (found == nullptr) return "-";
  const int64_t unconverged =
      std::count_if(found->runs.begin(), found->runs.end(), [](const RunRecord& run) { return !run.converged; });
  return mean_text(
      seed_interval(per_run(found->runs, [](const RunRecord& run) { return run.test_accuracy; }), kShareRange),
      unconverged);
}

// A table with at least one number of ours; else nothing.
struct Beside {
  std::string title;
  TextTable table;
  size_t first_ours = 1, end_ours = 3;  // columns

  std::string text(TableFormat format) const {
    const bool ours = std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<std::string>& row) {
      return std::any_of(row.begin() + static_cast<std::ptrdiff_t>(first_ours),
                         row.begin() + static_cast<std::ptrdiff_t>(end_ours),
                         [](const std::string& cell) { return cell != "-"; });
    });
    if (!ours) return "";
    const bool markdown = format == TableFormat::markdown;
    return (markdown ? shown(title, format) + "\n\n" : wrapped(title, kTerminalColumns) + "\n") +
           to_text(table, format) + "\n";
  }
};

// The published curve whose subject is this encoding.
const PublishedEntry* curve_of(const std::string& figure, const std::string& subject, const std::string& quantity) {
  for (const PublishedEntry& entry : published()) {
    if (entry.figure == figure && entry.subject == subject && entry.quantity == quantity) return &entry;
  }
  return nullptr;
}

std::string last_number(const PublishedEntry* entry) {
  return entry == nullptr ? "-" : published_number(entry->last(), entry->provenance);
}

const PublishedEntry* printed_of(const std::string& task, const std::string& subject) {
  for (const PublishedEntry& entry : published()) {
    if (entry.task == task && entry.subject == subject && entry.provenance == Provenance::printed &&
        entry.quantity == "test_accuracy") {
      return &entry;
    }
  }
  return nullptr;
}

Beside accuracies(const StudyResults& results, const std::string& task, const std::string& figure) {
  Beside beside{.title = fmt::format("Test accuracy on {}, %", task),
                .table = {.titles = {"", kClean, kReleased, figure, "training", "table"}}};
  for (const PaperEncoding& encoding : paper_encodings()) {
    const PublishedEntry* test = curve_of(figure, encoding.name, "test_accuracy");
    const bool renamed = test != nullptr && test->encoding != encoding.name;
    beside.table.rows.push_back({encoding.name, accuracy_text(results, cell_of(encoding, task, kClean)),
                                 accuracy_text(results, cell_of(encoding, task, kReleased)),
                                 last_number(test) + (renamed ? fmt::format(" (as {})", test->encoding) : ""),
                                 last_number(curve_of(figure, encoding.name, "train_accuracy")),
                                 last_number(printed_of(task, encoding.name))});
  }
  return beside;
}

int64_t heads_of(const StudyResults& results) {
  for (const char* protocol : {kClean, kReleased}) {
    const CellRuns* rope = results.find(cell_of(paper_encoding("RoPE"), kDistance, protocol));
    if (rope != nullptr && !rope->runs.empty()) return rope->runs.front().heads;
  }
  return 0;
}

Beside rotary_heads(const StudyResults& results, const std::string& task, int64_t heads) {
  const PublishedEntry& entry = published_entry(fmt::format("fig6.{}", task));
  Beside beside{.title = fmt::format("Test accuracy on {} with k of {} heads of every layer rotary, %", task, heads),
                .table = {.titles = {"k", kClean, kReleased, fmt::format("Fig. 6, k of {}", kPublishedHeads),
                                     "Fig. 6, the same share"}}};
  for (int64_t k = 0; k <= heads; ++k) {
    const int64_t same_share = k * kPublishedHeads / heads;
    const bool is_whole = same_share * heads == k * kPublishedHeads;
    beside.table.rows.push_back({fmt::format("{}", k),
                                 accuracy_text(results, rotary_heads_cell(k, heads, task, kClean)),
                                 accuracy_text(results, rotary_heads_cell(k, heads, task, kReleased)),
                                 published_number(entry, static_cast<double>(k)),
                                 is_whole ? published_number(entry, static_cast<double>(same_share)) : "-"});
  }
  return beside;
}

// The accuracy without p in the stream that enters a layer, or with random vectors as long; layers count from 0.
std::string removal_text(const StudyResults& results, const CellName& cell, size_t layer, bool random) {
  const CellRuns* found = results.find(cell);
  if (found == nullptr) return "-";
  const std::vector<RemovalSummary> summary = removal_summary(found->runs);
  if (layer >= summary.size()) return "-";
  const SeedInterval& accuracy = random ? summary[layer].random : summary[layer].without_position;
  return accuracy.count == 0 ? "-" : fmt::format("{:.1f}", 100.0 * accuracy.mean);
}

Beside removal(const StudyResults& results, const std::string& subject, const std::string& figure_id) {
  const PublishedEntry& removed = published_entry(fmt::format("fig8.{}.removed", figure_id));
  const PublishedEntry& random = published_entry(fmt::format("fig8.{}.random", figure_id));
  Beside beside{
      .title = fmt::format("{} on distance: accuracy without p in the stream that enters a layer / with random "
                           "vectors as long, %",
                           subject),
      .table = {.titles = {"layer", kClean, kReleased, "Fig. 8"}}};
  const auto both = [](const std::string& left, const std::string& right) {
    return left == "-" && right == "-" ? std::string("-") : fmt::format("{} / {}", left, right);
  };
  for (size_t layer = 0; layer < removed.points.size(); ++layer) {
    std::vector<std::string> row = {fmt::format("{}", layer + 1)};
    for (const char* protocol : {kClean, kReleased}) {
      const CellName cell = cell_of(paper_encoding(subject), kDistance, protocol);
      row.push_back(both(removal_text(results, cell, layer, false), removal_text(results, cell, layer, true)));
    }
    const auto at = static_cast<double>(layer + 1);
    row.push_back(both(published_number(removed, at), published_number(random, at)));
    beside.table.rows.push_back(std::move(row));
  }
  return beside;
}

// What the head of a layer that costs most and the next one cost when switched off.
struct HeadLoss {
  double most = 0.0, second = 0.0;
};

HeadLoss loss_of(double baseline, std::vector<double> accuracies) {
  std::sort(accuracies.begin(), accuracies.end());
  return {.most = baseline - accuracies.front(),
          .second = accuracies.size() > 1 ? baseline - accuracies[1] : std::numeric_limits<double>::quiet_NaN()};
}

std::string loss_text(const HeadLoss& loss) {
  if (std::isnan(loss.second)) return fmt::format("{:.1f}", 100.0 * loss.most);
  return fmt::format("{:.1f} / {:.1f}", 100.0 * loss.most, 100.0 * loss.second);
}

// Means over the runs that have such an ablation.
template <class Losses>
std::string mean_loss_text(const StudyResults& results, const CellName& cell, const Losses& losses_of) {
  const CellRuns* found = results.find(cell);
  HeadLoss sum;
  int64_t count = 0;
  for (const RunRecord& run : found == nullptr ? std::vector<RunRecord>() : found->runs) {
    const std::optional<HeadLoss> loss = losses_of(run);
    if (!loss) continue;
    sum.most += loss->most;
    sum.second += loss->second;
    ++count;
  }
  if (count == 0) return "-";
  return loss_text({sum.most / static_cast<double>(count), sum.second / static_cast<double>(count)});
}

// Nothing where the run has no such layer. Layers count from 0.
std::optional<HeadLoss> loss_in(double baseline, const std::vector<std::vector<double>>& accuracies, size_t layer) {
  if (layer >= accuracies.size() || accuracies[layer].empty()) return std::nullopt;
  return loss_of(baseline, accuracies[layer]);
}

// The layer that an entry is about: by head it names it, by layer its first one is taken, with nothing else off.
struct PublishedLayer {
  int64_t number = 1;
  std::vector<double> accuracies;  // of its heads, or the lower end of their range
};

PublishedLayer published_layer(const PublishedEntry& entry) {
  constexpr std::string_view kByHead = "head of layer ";
  PublishedLayer layer;
  if (entry.axis.rfind(kByHead, 0) == 0) {
    layer.number = std::stoll(entry.axis.substr(kByHead.size()));
    for (const PublishedPoint& point : entry.points) layer.accuracies.push_back(point.low);
  } else {
    layer.accuracies = {entry.points.front().low};
  }
  return layer;
}

// Figs. 4, 5 and 7.
Beside heads_off(const StudyResults& results) {
  Beside beside{.title =
                    "Accuracy on distance lost with one head of a layer switched off, in points: the head that costs "
                    "most / the next one",
                .table = {.titles = {"", kClean, kReleased, "released, its way", "published"}},
                .end_ours = 4};
  for (const PublishedEntry& entry : published()) {
    if (entry.quantity != "accuracy_head_off" || entry.id == "fig5.heads.layer1") continue;
    const PaperEncoding& encoding = paper_encoding(entry.subject);
    const CellName clean = cell_of(encoding, entry.task, kClean), released = cell_of(encoding, entry.task, kReleased);
    const PublishedLayer paper = published_layer(entry);
    const auto layer = static_cast<size_t>(paper.number - 1);
    const auto alone = [&](const RunRecord& run) -> std::optional<HeadLoss> {
      if (!run.ablation || !run.ablation->importance) return std::nullopt;
      return loss_in(run.ablation->accuracy, run.ablation->importance->accuracies, layer);
    };
    const auto as_published = [&](const RunRecord& run) -> std::optional<HeadLoss> {
      return run.published ? loss_in(run.published->baseline, run.published->accuracy, layer) : std::nullopt;
    };
    const std::string task = entry.task == kDistance ? "" : " on " + entry.task;
    beside.table.rows.push_back({fmt::format("{}{}, layer {} ({})", entry.subject, task, paper.number, entry.figure),
                                 mean_loss_text(results, clean, alone), mean_loss_text(results, released, alone),
                                 mean_loss_text(results, released, as_published),
                                 fmt::format("{} {}", loss_text(loss_of(*entry.baseline, paper.accuracies)),
                                             entry.provenance == Provenance::printed ? "p" : "d")});
  }
  return beside;
}

}  // namespace

std::string published_text(const StudyResults& results, TableFormat format) {
  std::string text =
      accuracies(results, kDistance, "Fig. 2").text(format) + accuracies(results, kCounting, "Fig. 3").text(format);
  if (const int64_t heads = heads_of(results); heads > 0) {
    for (const char* task : {kDistance, kCounting}) text += rotary_heads(results, task, heads).text(format);
  }
  text += heads_off(results).text(format);
  text += removal(results, "Absolute", "absolute").text(format);
  text += removal(results, "RoPE+Absolute", "hybrid").text(format);
  if (text.empty()) return text;
  const std::string note = fmt::format(
      "Ours: means over all finished runs with 95 % intervals; * runs that have not converged. Published (arXiv "
      "2505.13027): p printed, d digitised from a figure (0.3 points on bars, 0.5 on curves), ~ read roughly; at the "
      "paper's size, 16 heads, 6 layers, one seed, at the last epoch shown.{} Heads are switched off alone, by zero, "
      "on "
      "held-out samples; \"its way\" is how the released code at commit ffe3159 does it, for MLA by latents, as in "
      "Fig. 7 "
      "(docs/ablation.md). What Figs. "
      "2 and 3 call RoPE is RoPE "
      "with a "
      "sinusoidal input term, and stands in that row (src/phasor/paper/data/README.md).",
      results.preset == "paper" ? "" : fmt::format(" Ours are of {} size: levels are not comparable.", results.preset));
  return text + (format == TableFormat::markdown ? shown(note, format) : wrapped(note, kTerminalColumns)) + "\n";
}

}  // namespace phasor::paper
