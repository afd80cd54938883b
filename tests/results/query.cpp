#include "results/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "phasor/base/error.h"
#include "phasor/statistics/mean_difference.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/summary/comparison.h"
#include "phasor/study/summary/seed_interval.h"
#include "results/recorded_runs.h"

namespace phasor::results {
namespace {

using Rows = std::vector<const CsvRow*>;

constexpr double kNever = std::numeric_limits<double>::infinity();

bool is_accuracy(const std::string& column) { return column.find("accuracy") != std::string::npos; }

// Where the ends of an interval can lie, as in the report.
std::optional<statistics::Interval> range_of(const std::string& column) {
  if (is_accuracy(column) || column.ends_with("max_share")) return kShareRange;
  for (const char* positive : {"test_loss", "steps_to_90", "loss_area", "loss_spikes", "gradient_variation"}) {
    if (column == positive) return kPositiveRange;
  }
  return std::nullopt;
}

// Means are of one cell: a forgotten condition would mix encodings without a word.
void require_one_cell(const CsvTable& table, const Rows& rows) {
  std::set<std::string> cells;
  for (const CsvRow* row : rows) {
    const CellName cell = cell_of(table, *row);
    cells.insert(fmt::format("task={} protocol={} encoding={} variant={}", cell.task, cell.protocol, cell.encoding,
                             cell.variant));
  }
  if (cells.size() > 1) {
    fail("{} cells match; add conditions until it is one of: {}", cells.size(), fmt::join(cells, "; "));
  }
}

// A run that has not come to 90 % is later than any step; other empty fields have no value.
std::vector<double> values_of(const CsvTable& table, const Rows& rows, const std::string& column) {
  table.column(column);
  std::vector<double> values;
  for (const CsvRow* row : rows) {
    const std::optional<double> value = table.number(*row, column);
    if (value) {
      values.push_back(*value);
    } else if (column == "steps_to_90" && table.number(*row, "test_accuracy")) {
      values.push_back(kNever);
    }
  }
  if (values.empty()) fail("no line that matches has a {}", column);
  return values;
}

double require_finite(double value, const std::string& column) {
  if (!std::isfinite(value)) fail("some of these runs never came to their {}", column);
  return value;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t upper = values.size() / 2;
  return values.size() % 2 == 1 ? values[upper] : 0.5 * (values[upper - 1] + values[upper]);
}

double one_number(const Measure& measure, const std::vector<double>& values) {
  if (measure.function == "min") return *std::min_element(values.begin(), values.end());
  if (measure.function == "max") return *std::max_element(values.begin(), values.end());
  if (measure.function == "median") return median_of(values);
  for (const double value : values) require_finite(value, measure.column);
  const double mean = statistics::mean(values);
  return measure.function == "sum" ? mean * static_cast<double>(values.size()) : mean;
}

// A column as comparisons name it; nothing where the product compares no such number.
std::optional<ComparedNumber> compared(const std::string& column) {
  constexpr std::string_view kLength = "accuracy_at_";
  if (column.starts_with(kLength)) {
    return ComparedNumber{ComparedQuantity::accuracy_at_length, std::strtod(column.c_str() + kLength.size(), nullptr)};
  }
  for (int q = 0; q <= static_cast<int>(ComparedQuantity::logit_interaction); ++q) {
    const ComparedNumber number{static_cast<ComparedQuantity>(q)};
    if (number.quantity != ComparedQuantity::accuracy_at_length && name(number) == column) return number;
  }
  return std::nullopt;
}

CellRuns runs_of(const CsvTable& table, const Rows& rows) { return recorded_runs(table, rows).cells.front(); }

statistics::MeanDifference difference_of(const CsvTable& table, const Rows& x, const Rows& y,
                                         const std::string& column) {
  const std::optional<ComparedNumber> number = compared(column);
  if (!number) return statistics::compare_means({values_of(table, x, column)}, {values_of(table, y, column)});
  if (is_accuracy(column) && !table.has("test_samples")) {
    fail("{} has no column test_samples, which the interval of a difference of accuracies rests on", table.name);
  }
  const Comparison found = compare(runs_of(table, x), runs_of(table, y), *number);
  if (!found.difference) fail("fewer than two runs on a side have a {}", column);
  return *found.difference;
}

Rows other_side(const CsvTable& table, const Query& query) {
  std::vector<Condition> where = query.where;
  for (const Condition& condition : *query.minus) {
    std::erase_if(where, [&](const Condition& it) { return it.column == condition.column; });
    where.push_back(condition);
  }
  return matching(table, where);
}

std::vector<double> difference_numbers(const Query& query, const Measure& measure, const CsvTable& table,
                                       const Rows& rows) {
  const Rows other = other_side(table, query);
  if (other.empty()) fail("no line of {} matches the side behind 'minus'", table.name);
  require_one_cell(table, rows);
  require_one_cell(table, other);
  if (measure.function == "difference") {
    const Measure mean{.function = "mean", .column = measure.column, .condition = {}};
    return {one_number(mean, values_of(table, rows, measure.column)) -
            one_number(mean, values_of(table, other, measure.column))};
  }
  const statistics::MeanDifference found = difference_of(table, rows, other, measure.column);
  if (measure.function == "difference_ends") return {found.low, found.high};
  return {found.difference, found.low, found.high};
}

std::vector<double> interval_numbers(const Measure& measure, const std::vector<double>& values, bool& all_equal) {
  for (const double value : values) require_finite(value, measure.column);
  const SeedInterval found = seed_interval(values, range_of(measure.column));
  if (!found.low) fail("one value has no interval");
  all_equal = found.degenerate;
  if (all_equal) return {found.mean};
  if (measure.function == "ends") return {*found.low, *found.high};
  return {found.mean, *found.low, *found.high};
}

}  // namespace

bool Condition::holds(const CsvTable& table, const CsvRow& row) const {
  const std::string& field = row[table.column(column)];
  if (op == "=" && values == std::vector<std::string>{"*"}) return true;
  if (op == "=" || op == "!=") {
    const bool among = std::find(values.begin(), values.end(), field) != values.end();
    return among == (op == "=");
  }
  const std::optional<double> number = table.number(row, column);
  char* end = nullptr;
  const double bound = std::strtod(values.front().c_str(), &end);
  if (values.front().empty() || *end != '\0') fail("'{}{}{}' compares with no number", column, op, values.front());
  if (!number) return false;
  if (op == "<") return *number < bound;
  if (op == "<=") return *number <= bound;
  return op == ">" ? *number > bound : *number >= bound;
}

std::vector<const CsvRow*> matching(const CsvTable& table, const std::vector<Condition>& where) {
  Rows rows;
  for (const CsvRow& row : table.rows) {
    if (std::all_of(where.begin(), where.end(), [&](const Condition& it) { return it.holds(table, row); })) {
      rows.push_back(&row);
    }
  }
  return rows;
}

Found find(const Query& query, const Measure& measure, const CsvTable& table) {
  const Rows rows = matching(table, query.where);
  Found found{.rows = rows.size()};
  const auto all = static_cast<double>(rows.size());
  if (measure.function == "rows") {
    found.numbers = {all};
    return found;
  }
  if (rows.empty()) fail("no line of {} matches", table.name);
  if (measure.function == "count" || measure.function == "success") {
    // A run succeeds as in the report: with at least 90 %.
    const Condition condition = measure.condition.value_or(Condition{"test_accuracy", ">=", {"0.9"}});
    const auto held =
        std::count_if(rows.begin(), rows.end(), [&](const CsvRow* row) { return condition.holds(table, *row); });
    found.numbers = {static_cast<double>(held), all};
  } else if (measure.function == "distinct") {
    std::set<std::string> texts;
    for (const CsvRow* row : rows) texts.insert((*row)[table.column(measure.column)]);
    found.numbers = {static_cast<double>(texts.size())};
  } else if (measure.function == "quoted") {
    if (rows.size() != 1) fail("{} lines match; a quote is from one", rows.size());
    found.is_quote = true;
    found.text = (*rows.front())[table.column(measure.column)];
  } else if (measure.function.starts_with("difference")) {
    found.numbers = difference_numbers(query, measure, table, rows);
  } else {
    const bool of_cell = measure.function != "min" && measure.function != "max" && measure.function != "sum";
    if (of_cell) require_one_cell(table, rows);
    const std::vector<double> values = values_of(table, rows, measure.column);
    if (measure.function == "interval" || measure.function == "ends") {
      found.numbers = interval_numbers(measure, values, found.all_equal);
    } else {
      found.numbers = {require_finite(one_number(measure, values), measure.column)};
    }
  }
  if (measure.percent) {
    for (double& number : found.numbers) number *= 100.0;
  }
  return found;
}

std::string Found::shown(const Measure& measure) const {
  const auto number = [&](double value) {
    const std::string printed = fmt::format("{:.{}f}", value, measure.digits);
    return printed.find_first_not_of("-0.") == std::string::npos && printed.front() == '-' ? printed.substr(1)
                                                                                           : printed;
  };
  if (measure.function == "count" || measure.function == "success") {
    return fmt::format("{:.0f}/{:.0f}", numbers[0], numbers[1]);
  }
  if (measure.function == "rows" || measure.function == "distinct") return fmt::format("{:.0f}", numbers[0]);
  if (all_equal) return number(numbers[0]) + " (all equal)";
  if (numbers.size() == 2) return fmt::format("{}..{}", number(numbers[0]), number(numbers[1]));
  if (numbers.size() == 3) {
    return fmt::format("{} ({}..{})", number(numbers[0]), number(numbers[1]), number(numbers[2]));
  }
  return is_quote ? text : number(numbers[0]);
}

}  // namespace phasor::results
