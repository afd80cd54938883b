#pragma once
// How a number of a page follows from a CSV file, as the comment behind the number says it:
//
//   mean(test_accuracy) % quick_runs.csv task=indirect protocol=clean encoding=rope variant=
//   difference_interval(test_accuracy) % quick_runs.csv task=indirect encoding=rope minus encoding=alibi
//
// Functions, a file, and conditions on lines of the file. docs/results/README.md has the whole of it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/csv_table.h"

namespace phasor::results {

// column OP value; "=" and "!=" of texts, with several values "a|b" or any "*", the others of numbers.
struct Condition {
  std::string column, op;
  std::vector<std::string> values;

  bool holds(const CsvTable& table, const CsvRow& row) const;
};

struct Measure {
  std::string function;
  std::string column;                  // its argument; of `count` a condition instead
  std::optional<Condition> condition;  // of `count`
  bool percent = false;                // times 100
  int digits = 1;                      // behind the point, in tables
};

struct Query {
  std::vector<Measure> measures;
  std::string file;
  std::vector<Condition> where;
  std::optional<std::vector<Condition>> minus;  // the other side of a difference, as far as it differs

  // With what the page said before: its file where this has none, and its conditions on other columns.
  Query with_defaults(const Query& defaults) const;
};

// Throws Error that says what is wrong and what there is.
Query parse_query(std::string_view text);

// Words at blanks, with "..." for what has blanks in it.
std::vector<std::string> words_of(std::string_view text);
Condition parse_condition(const std::string& word);

// What a measure comes to.
struct Found {
  std::vector<double> numbers;  // as many as a page has to print
  bool all_equal = false;       // an interval that is a point: the page prints the mean and "(all equal)"
  bool is_quote = false;        // numbers that have to occur in `text`
  std::string text;             // of a quote
  size_t rows = 0;              // behind it

  // "99.4 (97.3..100.0)", "2/3"; for tables.
  std::string shown(const Measure& measure) const;
};

// Throws Error where the lines of the file do not answer it: none matches, or a mean would be over several cells.
Found find(const Query& query, const Measure& measure, const CsvTable& table);

std::vector<const CsvRow*> matching(const CsvTable& table, const std::vector<Condition>& where);

}  // namespace phasor::results
