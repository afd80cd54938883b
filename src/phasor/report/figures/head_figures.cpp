// What single heads are worth: verdicts, drops, drops in their order, and maps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "phasor/report/figures/figure_parts.h"

namespace phasor {
namespace {

using SeedDrops = std::vector<std::vector<double>>;  // [layers][heads]

struct AskedPlace {
  const FigurePlace* place = nullptr;
  std::vector<const FigureCell*> cells;
};

constexpr std::array<Question, 2> kAskedQuestions = {Question::position, Question::importance};

const QuestionSummary& asked(const FigureCell& cell, Question question) { return *cell.cell->summary(question); }

std::vector<AskedPlace> asked_places(const FigureStudy& study, Question question) {
  std::vector<AskedPlace> places;
  for (const FigurePlace& place : study.places) {
    AskedPlace it{.place = &place};
    for (const FigureCell& cell : place.cells) {
      const std::optional<QuestionSummary>& summary = cell.cell->summary(question);
      if (summary && !summary->seeds.empty()) it.cells.push_back(&cell);
    }
    if (!it.cells.empty()) places.push_back(std::move(it));
  }
  return places;
}

template <class Build>
auto for_all_questions(const Build& build) {
  return [build](const FigureStudy& study) {
    std::vector<ReportFigure> figures;
    for (const Question question : kAskedQuestions) {
      for (const AskedPlace& place : asked_places(study, question)) build(figures, place, question);
    }
    return figures;
  };
}

const char* drop_words(Question question) {
  return question == Question::position ? "without the head's position" : "without the head";
}

std::string drop_axis_title() { return "loss added (nats)"; }

int64_t most_layers(const std::vector<const FigureCell*>& cells) {
  int64_t layers = 1;
  for (const FigureCell* cell : cells) layers = std::max(layers, cell->cell->layers);
  return layers;
}

constexpr std::string_view kLackAblation = "no heads were ablated";

// Verdicts.

struct VerdictLook {
  Deposit verdict;
  const char* letter;
  figure::Colour colour;
  figure::Hatch hatch;
};
constexpr std::array<VerdictLook, 5> kVerdictLooks = {{{Deposit::deposit, "D", {0xb8461b}, figure::Hatch::none},
                                                       {Deposit::partial, "P", {0xe0ac63}, figure::Hatch::crossed},
                                                       {Deposit::spread, "S", {0x1f6fa3}, figure::Hatch::rising},
                                                       {Deposit::not_used, "N", {0x9aa39b}, figure::Hatch::dotted},
                                                       {Deposit::undetermined, "U", {0xd9d4c7}, figure::Hatch::none}}};

int64_t count_of(const QuestionSummary& summary, Deposit verdict) {
  return std::count_if(summary.seeds.begin(), summary.seeds.end(),
                       [&](const SeedHeads& seed) { return seed.verdict.verdict == verdict; });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

void verdict_figure(std::vector<ReportFigure>& figures, const AskedPlace& asked_place, Question question) {
  ReportFigure figure{.name = figure_name("head-verdicts", *asked_place.place, name(question))};
  figure.chart.title = figure_title("Verdicts over seeds", *asked_place.place, name(question));
  figure.chart.caption =
      "Runs by verdict. DEPOSIT: one head of the layer does what the layer does. PARTIAL: neither one head nor spread. "
      "SPREAD: no head does. NOT USED: the layer does not matter. UNDETERMINED: the samples cannot tell.";
  figure::Panel panel{.x = {.title = "runs", .with = 0.0, .whole = true}};
  std::vector<std::string> names;
  std::array<bool, kVerdictLooks.size()> seen{};
  for (const FigureCell* cell : asked_place.cells) {
    const QuestionSummary& summary = asked(*cell, question);
    double from = 0.0;
    for (size_t i = 0; i < kVerdictLooks.size(); ++i) {
      const VerdictLook& look = kVerdictLooks[i];
      const int64_t count = count_of(summary, look.verdict);
      figure.rows.push_back(cell_row(
          *cell, {name(question), name(look.verdict), count, std::ssize(summary.seeds), name(summary.verdict.verdict),
                  summary.verdict.max_share.value, summary.verdict.max_share.low, summary.verdict.max_share.high}));
      if (count == 0) continue;
      seen[i] = true;
      panel.marks.emplace_back(figure::Bar{.y = static_cast<double>(names.size()),
                                           .from = from,
                                           .to = from + static_cast<double>(count),
                                           .colour = look.colour,
                                           .hatch = look.hatch,
                                           .text = look.letter});
      from += static_cast<double>(count);
    }
    names.push_back(cell->label);
  }
  for (size_t i = 0; i < kVerdictLooks.size(); ++i) {
    if (!seen[i]) continue;
    const VerdictLook& look = kVerdictLooks[i];
    figure.chart.legend.push_back({.label = fmt::format("{}: {}", look.letter, lower(name(look.verdict))),
                                   .colour = look.colour,
                                   .box = true,
                                   .hatch = look.hatch});
  }
  panel.y = name_axis(std::move(names));
  figure.chart.panels.push_back(std::move(panel));
  figures.push_back(std::move(figure));
}

// Drops of all heads, with their density.

figure::Outline density(const std::vector<double>& values, double row, figure::Colour colour) {
  figure::Outline outline{.colour = colour};
  const auto n = static_cast<double>(values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (values.size() < 3 || !(*most > *least)) return outline;
  double mean = 0.0;
  for (const double value : values) mean += value / n;
  double variance = 0.0;
  for (const double value : values) variance += (value - mean) * (value - mean) / (n - 1);
  const double width = 1.06 * std::sqrt(variance) * std::pow(n, -0.2);  // Scott's rule
  constexpr int kSteps = 80;
  std::vector<double> at;
  std::vector<double> height;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = *least + (*most - *least) * i / kSteps;
    double sum = 0.0;
    for (const double value : values) sum += std::exp(-0.5 * (x - value) * (x - value) / (width * width));
    at.push_back(x);
    height.push_back(sum);
  }
  const double largest = *std::max_element(height.begin(), height.end());
  for (size_t i = 0; i < at.size(); ++i) {
    outline.x.push_back(at[i]);
    outline.y.push_back(row - 0.4 * height[i] / largest);
  }
  for (size_t i = at.size(); i-- > 0;) {
    outline.x.push_back(at[i]);
    outline.y.push_back(row + 0.4 * height[i] / largest);
  }
  return outline;
}

void drops_figure(std::vector<ReportFigure>& figures, const AskedPlace& asked_place, Question question) {
  ReportFigure figure{.name = figure_name("head-drops", *asked_place.place, name(question))};
  figure.chart.title = figure_title("What single heads are worth", *asked_place.place, name(question));
  figure.chart.caption = fmt::format(
      "Loss added {}, in nats. A point is one head of one run, hollow where the run did not converge; the outline is "
      "the density over all heads of all layers and seeds.",
      drop_words(question));
  figure::Panel panel{.x = {.title = drop_axis_title()}};
  panel.marks.emplace_back(figure::Rule{.along = figure::Rule::Along::x, .at = 0.0});
  std::vector<std::string> names;
  bool hollow = false;
  for (const FigureCell* cell : asked_place.cells) {
    const auto row = static_cast<double>(names.size());
    names.push_back(cell->label);
    figure::Points points{.colour = cell->style.colour, .marker = cell->style.marker, .size = 2.4, .opacity = 0.65};
    std::vector<double> values;
    for (const SeedHeads& seed : asked(*cell, question).seeds) {
      for (size_t layer = 0; layer < seed.loss_drops.size(); ++layer) {
        for (size_t head = 0; head < seed.loss_drops[layer].size(); ++head) {
          const double drop = seed.loss_drops[layer][head];
          if (!std::isfinite(drop)) continue;
          values.push_back(drop);
          hollow = hollow || !seed.converged;
          points.points.push_back(
              {.x = drop, .y = row + spread_at(values.size() * 7 % 11, 11, 0.2), .hollow = !seed.converged});
          figure.rows.push_back(cell_row(*cell, {name(question), seed.seed, seed.converged ? "yes" : "no",
                                                 static_cast<int64_t>(layer), static_cast<int64_t>(head), drop}));
        }
      }
    }
    if (!values.empty()) panel.marks.emplace_back(density(values, row, cell->style.colour));
    panel.marks.emplace_back(std::move(points));
  }
  figure.chart.legend.push_back(run_item("a head of a run"));
  if (hollow) figure.chart.legend.push_back(hollow_item());
  panel.y = name_axis(std::move(names));
  figure.chart.panels.push_back(std::move(panel));
  if (!figure.rows.empty()) figures.push_back(std::move(figure));
}

// Heads of each layer in the order of their drops.

void sorted_figure(std::vector<ReportFigure>& figures, const AskedPlace& asked_place, Question question) {
  ReportFigure figure{.name = figure_name("sorted-heads", *asked_place.place, name(question))};
  figure.chart = small_multiples(
      figure_title("Heads of each layer, sorted", *asked_place.place, name(question)),
      fmt::format(
          "Loss added {}, in nats, of the first, second, ... head of a layer. Lines are means over seeds; points "
          "are single seeds, hollow where the run did not converge.",
          drop_words(question)),
      72.0);
  for (const FigureCell* cell : asked_place.cells) {
    const QuestionSummary& summary = asked(*cell, question);
    figure::Panel panel{.title = cell->label,
                        .x = {.title = "head, by rank", .whole = true},
                        .y = {.title = drop_axis_title(), .with = 0.0}};
    const std::vector<std::vector<double>> means = sorted_drops(summary.seeds);
    for (size_t layer = 0; layer < means.size(); ++layer) {
      const auto number = static_cast<int64_t>(layer);
      figure::Points points{
          .colour = layer_colour(number), .marker = layer_marker(number), .size = 2.2, .opacity = 0.55};
      for (const SeedHeads& seed : summary.seeds) {
        if (layer >= seed.loss_drops.size()) continue;
        std::vector<double> drops = seed.loss_drops[layer];
        std::erase_if(drops, [](double drop) { return !std::isfinite(drop); });
        std::sort(drops.rbegin(), drops.rend());
        for (size_t rank = 0; rank < drops.size(); ++rank) {
          points.points.push_back({.x = static_cast<double>(rank + 1), .y = drops[rank], .hollow = !seed.converged});
          figure.rows.push_back(cell_row(*cell, {name(question), number, static_cast<int64_t>(rank + 1), seed.seed,
                                                 seed.converged ? "yes" : "no", drops[rank]}));
        }
      }
      figure::Line line{.y = means[layer], .colour = layer_colour(number), .dash = layer_dash(number)};
      for (size_t rank = 0; rank < means[layer].size(); ++rank) line.x.push_back(static_cast<double>(rank + 1));
      panel.marks.emplace_back(std::move(points));
      panel.marks.emplace_back(std::move(line));
    }
    figure.chart.panels.push_back(std::move(panel));
  }
  figure.chart.legend = layer_items(most_layers(asked_place.cells), false);
  for (size_t layer = 0; layer < figure.chart.legend.size(); ++layer) {
    figure.chart.legend[layer].marker = layer_marker(static_cast<int64_t>(layer));
    figure.chart.legend[layer].size = 2.6;
  }
  if (!figure.rows.empty()) figures.push_back(std::move(figure));
}

// Layers by heads of one seed.

void map_of_seed(std::vector<ReportFigure>& figures, const AskedPlace& asked_place, Question question, uint64_t seed) {
  const std::string which = fmt::format("{} seed {}", name(question), seed);
  ReportFigure figure{.name = figure_name("head-map", *asked_place.place, which)};
  figure.chart = small_multiples(
      figure_title("Layers by heads", *asked_place.place, which),
      fmt::format("Loss added {}, in nats, of one seed. Each map has its own scale, up to its largest drop; layers "
                  "count from the input.",
                  drop_words(question)),
      0.0);
  size_t most_rows = 1;
  for (const FigureCell* cell : asked_place.cells) {
    for (const SeedHeads& heads : asked(*cell, question).seeds) {
      if (heads.seed != seed || heads.loss_drops.empty()) continue;
      double most = 0.0;
      size_t columns = 1;
      for (size_t layer = 0; layer < heads.loss_drops.size(); ++layer) {
        columns = std::max(columns, heads.loss_drops[layer].size());
        const bool judged = layer < heads.verdict.layers.size();
        for (size_t head = 0; head < heads.loss_drops[layer].size(); ++head) {
          const double drop = heads.loss_drops[layer][head];
          if (std::isfinite(drop)) most = std::max(most, drop);
          const bool scored = layer < heads.accuracies.size() && head < heads.accuracies[layer].size();
          figure.rows.push_back(cell_row(
              *cell,
              {name(question), seed, heads.converged ? "yes" : "no", static_cast<int64_t>(layer),
               static_cast<int64_t>(head), drop, scored ? Datum(heads.accuracies[layer][head]) : Datum(),
               judged ? Datum(name(heads.verdict.layers[layer].verdict)) : Datum(), name(heads.verdict.verdict)}));
        }
      }
      most_rows = std::max(most_rows, heads.loss_drops.size());
      const double right = static_cast<double>(columns) - 0.5;
      const double bottom = static_cast<double>(heads.loss_drops.size()) - 0.5;
      figure::Panel panel{
          .title = cell->label,
          .subtitle = fmt::format("{}, max {:.2g}", lower(name(heads.verdict.verdict)), most),
          .x = {.title = "head", .low = -0.5, .high = right, .whole = true, .grid = false},
          .y = {.title = "layer", .low = -0.5, .high = bottom, .whole = true, .downwards = true, .grid = false}};
      panel.marks.emplace_back(figure::HeatMap{.rows = heads.loss_drops, .low = 0.0, .high = std::max(most, 1e-12)});
      figure.chart.panels.push_back(std::move(panel));
    }
  }
  if (figure.rows.empty()) return;
  figure.chart.panel_height = std::clamp(14.0 * static_cast<double>(most_rows), 30.0, 96.0);
  figure.chart.legend = {{.label = "from 0 to the largest drop of a map", .heat = true}};
  figures.push_back(std::move(figure));
}

void map_figures(std::vector<ReportFigure>& figures, const AskedPlace& asked_place, Question question) {
  std::vector<uint64_t> seeds;
  for (const FigureCell* cell : asked_place.cells) {
    for (const SeedHeads& heads : asked(*cell, question).seeds) seeds.push_back(heads.seed);
  }
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  for (const uint64_t seed : seeds) map_of_seed(figures, asked_place, question, seed);
}

}  // namespace

FigureBuilder head_verdicts_builder() {
  return {.id = "head-verdicts",
          .title = "Verdicts over seeds",
          .columns = cell_columns({{"question", "`position` or `importance`, a file for each"},
                                   {"verdict", "`DEPOSIT`, `PARTIAL`, `SPREAD`, `NOT USED` or `UNDETERMINED`"},
                                   {"runs", "with this verdict"},
                                   {"of", "runs that were asked"},
                                   {"over_seeds", "the encoding's verdict"},
                                   {"max_share", "largest head's share in its layer's drops, over seeds"},
                                   {"low", "of its 95 % interval"},
                                   {"high", "likewise"}}),
          .build = for_all_questions(verdict_figure),
          .lacking = kLackAblation};
}

FigureBuilder head_drops_builder() {
  return {.id = "head-drops",
          .title = "What single heads are worth",
          .columns = cell_columns({{"question", "`position` or `importance`, a file for each"},
                                   {"seed", "of the run"},
                                   {"converged", "`yes` or `no`"},
                                   {"layer", "from 0"},
                                   {"head", "from 0"},
                                   {"loss_drop", "loss that the ablation adds, nats"}}),
          .build = for_all_questions(drops_figure),
          .lacking = kLackAblation};
}

FigureBuilder sorted_heads_builder() {
  return {.id = "sorted-heads",
          .title = "Heads of each layer, sorted",
          .columns = cell_columns({{"question", "`position` or `importance`, a file for each"},
                                   {"layer", "from 0"},
                                   {"rank", "of the head within its layer and seed, from 1"},
                                   {"seed", "of the run"},
                                   {"converged", "`yes` or `no`"},
                                   {"loss_drop", "loss that the ablation adds, nats"}}),
          .build = for_all_questions(sorted_figure),
          .lacking = kLackAblation};
}

FigureBuilder head_map_builder() {
  return {.id = "head-map",
          .title = "Layers by heads",
          .columns = cell_columns({{"question", "`position` or `importance`, a file for each and for every seed"},
                                   {"seed", "of the run"},
                                   {"converged", "`yes` or `no`"},
                                   {"layer", "from 0"},
                                   {"head", "from 0"},
                                   {"loss_drop", "loss that the ablation adds, nats"},
                                   {"accuracy", "with the head ablated"},
                                   {"layer_verdict", "of the layer"},
                                   {"run_verdict", "of the layer that matters most"}}),
          .build = for_all_questions(map_figures),
          .lacking = kLackAblation};
}

}  // namespace phasor
