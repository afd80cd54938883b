// Swaps over seeds for people, as JSON and as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/csv.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/text_table.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/study/summary/cell_json.h"
#include "phasor/study/swap/swap_study.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kStarLevel = 0.05;

constexpr const char* kAsTrained = "as trained";

std::string row_name(const SwapCell& cell) { return cell.swap.empty() ? kAsTrained : cell.swap; }

std::vector<double> swap_factors(const SwapSummary& summary) {
  std::vector<double> factors;
  for (const SwapCell& cell : summary.cells) {
    if (std::find(factors.begin(), factors.end(), cell.factor) == factors.end()) factors.push_back(cell.factor);
  }
  return factors;
}

std::string length_title(const SwapSummary& summary, double factor) {
  int64_t longest = 0;
  for (const SwapCell& cell : summary.cells) {
    if (cell.factor == factor) longest = std::max(longest, cell.longest);
  }
  return fmt::format("{:g}x, {}", factor, longest);
}

std::string swapped_accuracy(const SwapCell& cell) {
  const SeedInterval& accuracy = cell.accuracy;
  if (accuracy.count == 0) return "-";
  if (!accuracy.low) return fmt::format("{:.1f}", 100.0 * accuracy.mean);
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100.0 * accuracy.mean, 100.0 * *accuracy.low, 100.0 * *accuracy.high);
}

// A star where it is not 0, whatever the other encodings at this length came to.
std::string swapped_change(const SwapCell& cell) {
  if (!cell.change) return "-";
  const statistics::MeanDifference& change = *cell.change;
  const bool sure = change.significant() && cell.holm && *cell.holm <= kStarLevel;
  if (!change.decides()) return fmt::format("{:+.1f}", 100.0 * change.difference);
  return fmt::format("{:+.1f} [{:.1f}, {:.1f}]{}", 100.0 * change.difference, 100.0 * change.low, 100.0 * change.high,
                     sure ? "*" : "");
}

std::string swapped_damage(const SwapCell& cell) {
  if (cell.moved.count == 0) return "-";
  return cell.divergence.count == cell.moved.count
             ? fmt::format("{:.3f}, {:.0f} %", cell.divergence.mean, 100.0 * cell.moved.mean)
             : fmt::format("infinite, {:.0f} %", 100.0 * cell.moved.mean);
}

// One table, a row per encoding and a column per length. Wide ones are cut into several.
template <class Cell>
std::string table_of(const SwapSummary& summary, bool with_own, const Cell& text_of) {
  const std::vector<double> factors = swap_factors(summary);
  constexpr size_t kColumns = 3;
  std::string text;
  for (size_t first = 0; first < factors.size(); first += kColumns) {
    TextTable table{.titles = {"encoding"}};
    const size_t last = std::min(factors.size(), first + kColumns);
    for (size_t f = first; f < last; ++f) table.titles.push_back(length_title(summary, factors[f]));
    for (const SwapCell& cell : summary.cells) {
      if (cell.factor != factors[first] || (cell.swap.empty() && !with_own)) continue;
      std::vector<std::string> row = {row_name(cell)};
      for (size_t f = first; f < last; ++f) {
        const auto found = std::find_if(summary.cells.begin(), summary.cells.end(), [&](const SwapCell& other) {
          return other.swap == cell.swap && other.factor == factors[f];
        });
        row.push_back(found == summary.cells.end() ? "-" : text_of(*found));
      }
      table.rows.push_back(std::move(row));
    }
    if (!table.rows.empty()) text += to_text(table, TableFormat::terminal) + "\n";
  }
  return text;
}

const char* reading_of(const SwapCell& cell) {
  switch (cell.reading) {
    case statistics::DifferenceReading::of_interest:
      return "of interest";
    case statistics::DifferenceReading::significant:
      return "significant";
    case statistics::DifferenceReading::not_of_interest:
      return "no difference of interest";
    case statistics::DifferenceReading::open:
      break;
  }
  return "open";
}

}  // namespace

std::string to_text(const SwapSummary& summary) {
  std::string blind;
  for (const double factor : swap_factors(summary)) {
    for (const SwapCell& cell : summary.cells) {
      if (cell.factor != factor || !cell.blind) continue;
      blind += fmt::format("{}{:.1f} at {:g}x", blind.empty() ? "" : ", ", 100.0 * *cell.blind, factor);
      break;
    }
  }
  std::string text = fmt::format("{} on {}, {} seeds, trained on up to {} tokens, then under other encodings\n\n",
                                 summary.base, summary.task, summary.seeds, summary.trained_length);
  text += "accuracy in per cent, mean over seeds with its 95 % interval\n" + table_of(summary, true, swapped_accuracy);
  text += "change against the same runs as trained, in points\n" + table_of(summary, false, swapped_change);
  text += wrapped(
              "*: not 0, by the interval of the paired differences and after Holm's correction over all encodings at "
              "that length",
              kTerminalColumns) +
          "\n" + wrapped(fmt::format("without reading the tokens: {}", blind), kTerminalColumns) + "\n\n";
  text += "damage to attention: KL in nats, and the share that goes to other keys\n" +
          table_of(summary, false, swapped_damage);
  for (const SwapCell& cell : summary.cells) {
    if (cell.refused.empty()) continue;
    text +=
        wrapped(fmt::format("{} at {:g}x: {}", row_name(cell), cell.factor, cell.refused), kTerminalColumns, 2) + "\n";
  }
  return text;
}

const Fields<SwapPoint>& json_fields(const SwapPoint*) {
  using P = SwapPoint;
  static const Fields<P> fields = {
      field("id", &P::run, "of the run, its folder's name in `runs`"),
      field("task", &P::task, "its name"),
      field("protocol", &P::protocol, "its name"),
      field("encoding", &P::base, "that the run was trained with"),
      derived_field<P>(
          "variant", [](const P& point) { return point.swap.empty() ? std::string(kAsTrained) : point.swap; },
          "what the encoding is called that it is under; `as trained`: its own"),
      field("expression", &P::expression, "that encoding, as it was asked for"),
      field("further_steps", &P::further_steps, "of training under it; 0: the weights as they were"),
      field("seed", &P::seed, "of initial weights and dropout"),
      field("samples", &P::samples, "sequences scored at each length")};
  return fields;
}

static const Fields<statistics::MeanDifference>& change_fields() {
  using D = statistics::MeanDifference;
  static const Fields<D> fields = {field("difference", &D::difference, "mean of the paired differences of accuracy"),
                                   field("low", &D::low, "lower end of its 95 % interval"),
                                   field("high", &D::high, "upper end"),
                                   field("p", &D::p, "two-sided, before any correction")};
  return fields;
}

static const Fields<SwapCell>& json_fields(const SwapCell*) {
  using C = SwapCell;
  static const Fields<C> fields = {
      field("swap", &C::swap, "what the encoding is called; empty: the runs as they were trained"),
      field("expression", &C::expression, "as it was asked for"),
      field("further_steps", &C::further_steps, "of training under it; 0: the weights as they were"),
      field("factor", &C::factor, "times the training length"),
      field("longest", &C::longest, "tokens"),
      field("accuracy", &C::accuracy, "share of targets"),
      field("loss", &C::loss, "mean over targets"),
      field("divergence", &C::divergence, "KL of the trained attention from the other one, in nats"),
      field("moved", &C::moved, "the share of attention that goes to other keys"),
      field("blind", &C::blind, "accuracy without reading the tokens; of runs as they were trained"),
      json_field<C>(
          "change", "object or null",
          [](const C& cell) { return cell.change ? write_fields(*cell.change, change_fields()) : Json(nullptr); },
          "against the same runs as they were trained: `difference` of accuracy with its 95 % interval (`low`, `high`) "
          "and `p`; null with fewer than two runs"),
      derived_field<C>("reading", reading_of, "of the change, as in summary.json"),
      field("holm", &C::holm, "p after Holm's correction over all encodings at this length"),
      field("refused", &C::refused, "why runs have no answer; empty: they have")};
  return fields;
}

const Fields<SwapSummary>& json_fields(const SwapSummary*) {
  using S = SwapSummary;
  static const Fields<S> fields = {field("task", &S::task, "of the runs"),
                                   field("base", &S::base, "the encoding that they were trained with"),
                                   field("trained_length", &S::trained_length, "the longest of training, in tokens"),
                                   field("seeds", &S::seeds, "runs"),
                                   field("samples", &S::samples, "sequences scored of each run at each length"),
                                   field("cells", &S::cells, "by encoding, then by length")};
  return fields;
}

Json to_json(const SwapSummary& summary) { return write_json(summary); }

namespace {

// One number of a point, with the accuracy of the same run as it was trained.
struct CsvNumber {
  const char* name;
  std::optional<double> (*value)(const SwapPoint& point, const std::optional<double>& own);
};

constexpr CsvNumber kNumbers[] = {
    {"accuracy", [](const SwapPoint& point, const std::optional<double>&) { return point.accuracy; }},
    {"change",
     [](const SwapPoint& point, const std::optional<double>& own) -> std::optional<double> {
       if (point.swap.empty() || !point.accuracy || !own) return std::nullopt;
       return *point.accuracy - *own;
     }},
    {"loss", [](const SwapPoint& point, const std::optional<double>&) { return point.loss; }},
    {"whole", [](const SwapPoint& point, const std::optional<double>&) { return point.whole; }},
    {"divergence", [](const SwapPoint& point, const std::optional<double>&) { return point.divergence; }},
    {"moved", [](const SwapPoint& point, const std::optional<double>&) { return point.moved; }},
    {"blind", [](const SwapPoint& point, const std::optional<double>&) { return point.blind; }},
};

const SwapPoint* find_point(const std::vector<SwapPoint>& points, const SwapPoint& like, const std::string& swap,
                            double factor) {
  const auto found = std::find_if(points.begin(), points.end(), [&](const SwapPoint& point) {
    return point.run == like.run && point.swap == swap && point.factor == factor;
  });
  return found == points.end() ? nullptr : &*found;
}

}  // namespace

std::string swap_csv(const std::vector<SwapPoint>& points) {
  std::vector<double> factors;
  for (const SwapPoint& point : points) {
    if (std::find(factors.begin(), factors.end(), point.factor) == factors.end()) factors.push_back(point.factor);
  }
  std::string text = csv_titles(fields_of<SwapPoint>());
  for (const CsvNumber& number : kNumbers) {
    for (const double factor : factors) text += fmt::format(",{}_at_{:g}", number.name, factor);
  }
  text += "\n";
  for (const SwapPoint& first : points) {
    if (first.factor != factors.front()) continue;
    text += csv_line(first, fields_of<SwapPoint>());
    for (const CsvNumber& number : kNumbers) {
      for (const double factor : factors) {
        const SwapPoint* own = find_point(points, first, "", factor);
        const SwapPoint* point = find_point(points, first, first.swap, factor);
        std::optional<double> value;
        if (point != nullptr) value = number.value(*point, own != nullptr ? own->accuracy : std::nullopt);
        text += "," + csv_field(JsonValue<std::optional<double>>::write(value));
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace phasor
