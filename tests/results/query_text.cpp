#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "phasor/base/error.h"
#include "results/query.h"

namespace phasor::results {
namespace {

constexpr std::array<const char*, 15> kFunctions = {"rows",
                                                    "distinct",
                                                    "count",
                                                    "mean",
                                                    "median",
                                                    "min",
                                                    "max",
                                                    "sum",
                                                    "interval",
                                                    "ends",
                                                    "success",
                                                    "difference",
                                                    "difference_interval",
                                                    "difference_ends",
                                                    "quoted"};

bool is_operator(char c) { return c == '=' || c == '!' || c == '<' || c == '>'; }

std::string unquoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != '"') result += c;
  }
  return result;
}

// At bars outside quotes.
std::vector<std::string> alternatives(const std::string& text) {
  std::vector<std::string> values(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == '|' && !quoted) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  for (std::string& value : values) value = unquoted(value);
  return values;
}

bool is_file(const std::string& word) { return word.ends_with(".csv"); }

// "mean(test_accuracy)", "count(position_verdict=DEPOSIT)", "rows"
Measure parse_measure(const std::string& word) {
  const size_t open = word.find('(');
  Measure measure{.function = word.substr(0, open)};
  if (std::find(kFunctions.begin(), kFunctions.end(), measure.function) == kFunctions.end()) {
    fail("there is no function '{}'; there are {}", measure.function, fmt::join(kFunctions, ", "));
  }
  const bool bare = measure.function == "rows" || measure.function == "success";
  if (open == std::string::npos) {
    if (!bare) fail("'{}' needs a column: {}(COLUMN)", word, measure.function);
    return measure;
  }
  if (bare || !word.ends_with(")")) fail("'{}' is no function of a column", word);
  const std::string argument = word.substr(open + 1, word.size() - open - 2);
  if (measure.function == "count") {
    measure.condition = parse_condition(argument);
  } else {
    measure.column = argument;
  }
  return measure;
}

bool is_digits(const std::string& word) {
  return word.size() == 2 && word[0] == '.' && word[1] >= '0' && word[1] <= '9';
}

void replace_or_add(std::vector<Condition>& conditions, const Condition& condition) {
  std::erase_if(conditions, [&](const Condition& it) { return it.column == condition.column; });
  conditions.push_back(condition);
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    const bool blank = !quoted && (c == ' ' || c == '\n' || c == '\t');
    if (blank) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  }
  if (quoted) fail("a quote is never closed in '{}'", text);
  return words;
}

Condition parse_condition(const std::string& word) {
  const auto begin = std::find_if(word.begin(), word.end(), is_operator);
  if (begin == word.begin() || begin == word.end()) {
    fail("'{}' is no condition; write COLUMN=VALUE, or one of != < <= > >=", word);
  }
  auto end = begin + 1;
  if (end != word.end() && *end == '=') ++end;
  Condition condition{.column = {word.begin(), begin}, .op = {begin, end}, .values = {}};
  if (condition.op == "!" || condition.op == "==") fail("'{}' has no operator of = != < <= > >=", word);
  const std::string value(end, word.end());
  condition.values = condition.op == "=" || condition.op == "!=" ? alternatives(value) : std::vector{value};
  return condition;
}

Query parse_query(std::string_view text) {
  Query query;
  bool measuring = true;
  for (std::string word : words_of(text)) {
    const bool more = measuring && word.size() > 1 && word.back() == ',';
    if (more) word.pop_back();
    if (measuring && !query.measures.empty() && word == "%") {
      query.measures.back().percent = true;
    } else if (measuring && !query.measures.empty() && is_digits(word)) {
      query.measures.back().digits = word[1] - '0';
    } else if (is_file(word)) {
      if (!query.file.empty()) fail("two files: {} and {}", query.file, word);
      query.file = word;
      measuring = false;
    } else if (word == "minus") {
      if (query.minus) fail("a difference has two sides, and one 'minus'");
      query.minus.emplace();
      measuring = false;
    } else if (measuring && (query.measures.empty() || word.find_first_of("=<>") == std::string::npos ||
                             word.starts_with("count("))) {
      query.measures.push_back(parse_measure(word));
    } else {
      measuring = false;
      (query.minus ? *query.minus : query.where).push_back(parse_condition(word));
    }
  }
  if (query.measures.empty()) fail("'{}' has no function; there are {}", text, fmt::join(kFunctions, ", "));
  for (const Measure& measure : query.measures) {
    if (measure.function.starts_with("difference") != query.minus.has_value()) {
      fail("'{}': a difference, and nothing else, has a 'minus' with the conditions of its other side",
           measure.function);
    }
  }
  return query;
}

Query Query::with_defaults(const Query& defaults) const {
  Query result = *this;
  // Conditions on the defaults' own file say nothing about another.
  if (!file.empty() && file != defaults.file) return result;
  result.file = defaults.file;
  result.where = defaults.where;
  for (const Condition& condition : where) replace_or_add(result.where, condition);
  return result;
}

}  // namespace phasor::results
