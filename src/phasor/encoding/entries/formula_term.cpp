#include "phasor/encoding/entries/formula_term.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>

#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct OfferedNames {
  std::vector<std::string> rows, columns, counts;
};

OfferedNames offered(FormulaTerm::Place place) {
  if (place == FormulaTerm::Place::bias) return {.rows = {"i", "n", "h", "l"}, .columns = {"d"}, .counts = {"H", "L"}};
  if (place == FormulaTerm::Place::scale) return {.rows = {"n", "h", "l"}, .columns = {"i"}, .counts = {"H", "L"}};
  if (place == FormulaTerm::Place::input) return {.rows = {"i", "n"}, .columns = {"c"}, .counts = {"C"}};
  return {.rows = {"h", "l"}, .columns = {"c"}, .counts = {"C", "H", "L"}};
}

std::vector<std::string> used_of(const std::vector<std::string>& names, const std::vector<std::string>& used) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (contains(used, name)) result.push_back(name);
  }
  return result;
}

// One row of a table, as a formula's variables see it.
struct RowVariables {
  int64_t i = 0, n = 0, h = 0, l = 0;

  double value(const std::string& name) const {
    return static_cast<double>(name == "i" ? i : name == "n" ? n : name == "h" ? h : l);
  }
};

Table row_table(const std::vector<std::string>& names, const std::vector<RowVariables>& rows) {
  Table table(static_cast<int64_t>(names.size()), static_cast<int64_t>(rows.size()));
  for (int64_t v = 0; v < table.rows; ++v) {
    for (int64_t r = 0; r < table.columns; ++r) {
      table(v, r) = rows[static_cast<size_t>(r)].value(names[static_cast<size_t>(v)]);
    }
  }
  return table;
}

// The one column variable there is counts up by one.
Table column_table(const std::vector<std::string>& names, int64_t first, int64_t count) {
  Table table(static_cast<int64_t>(names.size()), count);
  for (int64_t v = 0; v < table.rows; ++v) {
    for (int64_t c = 0; c < count; ++c) table(v, c) = static_cast<double>(first + c);
  }
  return table;
}

}  // namespace

FormulaArgument formula_argument(const std::string& name, const LearnableNumber& number) {
  FormulaArgument result{.name = name, .learned = number.learned, .value = number.value, .initial = {}};
  if (number.learned) {
    result.initial.centre = number.value;
    result.per_head = number.per_head;
    result.least = number.least;
    result.most = number.most;
  }
  return result;
}

FormulaTerm::FormulaTerm(Place place, std::string_view formula, std::vector<FormulaArgument> arguments)
    : place_(place), formula_(Formula::parse(formula)), arguments_(std::move(arguments)) {
  note_names();
}

FormulaTerm::FormulaTerm(Place place, const EncodingArguments& arguments, std::string_view parameter,
                         std::vector<FormulaArgument> more)
    : place_(place), formula_(arguments.formula(parameter)), arguments_(std::move(more)) {
  note_names();
  const std::vector<std::string> used = formula_.names();
  const OfferedNames names = offered(place);
  const TextColumn start = arguments.column(parameter);
  std::vector<FormulaNames::Constant> unused;  // names that could stand here
  for (const FormulaArgument& argument : arguments_) {
    if (!contains(used, argument.name)) unused.push_back({argument.name, argument.value});
  }
  std::erase_if(arguments_, [&used](const FormulaArgument& argument) { return !contains(used, argument.name); });
  for (const FormulaVariable& variable : arguments.variables()) {
    if (contains(names.rows, variable.name) || contains(names.columns, variable.name) ||
        contains(names.counts, variable.name) || variable.name == "pi") {
      throw EncodingError(
          arguments.text(), variable.column,
          fmt::format("'{}' already means something in this formula; choose another name", variable.name));
    }
    if (!contains(used, variable.name)) {
      throw EncodingError(arguments.text(), variable.column,
                          fmt::format("the formula does not use '{}'", variable.name));
    }
    arguments_.push_back(formula_argument(variable.name, variable.number));
  }
  try {
    std::vector<FormulaNames::Constant> counts;
    for (const std::string& name : count_names_) counts.push_back({name, 1.0});
    FormulaNames checked = this->names(counts);
    // Errors list every name that could stand here, used or not.
    checked.constants.insert(checked.constants.end(), unused.begin(), unused.end());
    checked.row_variables = names.rows;
    checked.column_variables = names.columns;
    for (const std::string& name : names.counts) {
      if (!contains(count_names_, name)) checked.constants.push_back({name, 1.0});
    }
    (void)formula_.compile(checked);
  } catch (const FormulaError& error) {
    throw EncodingError(arguments.text(), {start.value + error.column()}, error.reason());
  }
}

void FormulaTerm::note_names() {
  const std::vector<std::string> used = formula_.names();
  const OfferedNames names = offered(place_);
  row_names_ = used_of(names.rows, used);
  column_names_ = used_of(names.columns, used);
  count_names_ = used_of(names.counts, used);
}

bool FormulaTerm::uses(std::string_view name) const {
  return contains(row_names_, name) || contains(column_names_, name) || contains(count_names_, name);
}

bool FormulaTerm::has(std::string_view argument) const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [argument](const FormulaArgument& it) { return it.name == argument; });
}

bool FormulaTerm::learned() const {
  return std::any_of(arguments_.begin(), arguments_.end(), [](const FormulaArgument& a) { return a.learned; });
}

FormulaNames FormulaTerm::names(std::vector<FormulaNames::Constant> constants) const {
  FormulaNames result{.row_variables = row_names_, .column_variables = column_names_, .parameters = {}};
  result.constants = std::move(constants);
  for (const FormulaArgument& argument : arguments_) {
    if (argument.learned) {
      result.parameters.push_back(argument.name);
    } else {
      result.constants.push_back({argument.name, argument.value});
    }
  }
  return result;
}

std::vector<FormulaSource::Argument> FormulaTerm::add_parameters(EncodingPlaces& places, int64_t layer) const {
  std::vector<FormulaSource::Argument> result;
  for (const FormulaArgument& argument : arguments_) {
    if (!argument.learned) continue;
    LearnedParameter parameter;
    parameter.shape = {argument.per_head ? static_cast<int64_t>(places.heads().size()) : 1};
    parameter.initial = argument.initial;
    parameter.least = argument.least;
    parameter.most = argument.most;
    if (argument.per_head) parameter.heads = places.heads();
    result.push_back(
        {.parameter = places.add_parameter(argument.name, parameter, layer), .stride = argument.per_head ? 1 : 0});
  }
  return result;
}

// Every value that a model could read must be a number that it can hold, at the start at least.
void FormulaTerm::check_finite(const EncodingPlaces& places, const Table& shape, const FormulaSource& source) const {
  ParameterValues values;
  size_t k = 0;
  for (const FormulaArgument& argument : arguments_) {
    if (!argument.learned) continue;
    const FormulaSource::Argument& place = source.arguments[k++];
    values.resize(std::max(values.size(), static_cast<size_t>(place.parameter) + 1));
    const int64_t count = argument.per_head ? static_cast<int64_t>(places.heads().size()) : 1;
    values[static_cast<size_t>(place.parameter)] = draw(argument.initial, count, argument.name, 0);
  }
  // Tables are floats on the device. Where a pair turns faster, rounding takes the place of its angle.
  constexpr double kMostFrequency = 1000.0;
  const double most = place_ == Place::frequencies ? kMostFrequency : double{std::numeric_limits<float>::max()};
  Table table(shape.rows, shape.columns);
  add_source(table, source, values);
  for (int64_t r = 0; r < table.rows; ++r) {
    for (int64_t c = 0; c < table.columns; ++c) {
      if (std::abs(table(r, c)) <= most) continue;  // no NaN is
      std::vector<std::string> where;
      for (size_t v = 0; v < column_names_.size(); ++v) {
        where.push_back(fmt::format("{}={}", column_names_[v], source.column_values(static_cast<int64_t>(v), c)));
      }
      for (size_t v = 0; v < row_names_.size(); ++v) {
        where.push_back(fmt::format("{}={}", row_names_[v], source.row_values(static_cast<int64_t>(v), r)));
      }
      const std::string limit = std::isfinite(table(r, c)) ? fmt::format("; the most is {:.4g}", most) : "";
      const std::string value = std::isnan(table(r, c)) ? "nan" : fmt::format("{}", table(r, c));  // never -nan
      places.fail_term(fmt::format("the formula gives {} at {}{}", value,
                                   where.empty() ? "every place" : fmt::format("{}", fmt::join(where, ", ")), limit));
    }
  }
}

FormulaSource FormulaTerm::bias_source(EncodingPlaces& places, int64_t layer, bool shared, bool one_head) const {
  places.check_bias_size();
  const EncodingShape& shape = places.shape();
  const int64_t reach = shape.positions - 1;
  const std::vector<int64_t> heads = places.heads();
  FormulaSource source;
  std::vector<RowVariables> rows;
  for (int64_t t = 0; t < (one_head ? 1 : places.bias_tables()); ++t) {
    const int64_t n = places.form().bias_per_length ? t + 1 : shape.positions;
    for (int64_t h = 0; h < (one_head ? 1 : shape.heads); ++h) {
      const auto found = std::find(heads.begin(), heads.end(), h);
      const int32_t group = one_head ? 0 : found == heads.end() ? -1 : static_cast<int32_t>(found - heads.begin());
      for (int64_t i = 0; i < places.bias_rows(); ++i) {
        rows.push_back({.i = i, .n = n, .h = h, .l = layer});
        const int64_t last = places.randomized() ? reach : n - 1;  // position
        int64_t from = places.form().bias_by_query ? -i : -last;
        int64_t to = places.form().bias_by_query ? last - i : last;
        if (shape.causal) to = std::min<int64_t>(to, 0);
        const bool unused = from > to || (places.form().bias_by_query && i > last);
        from = std::max(from, -reach);
        source.row_group.push_back(unused ? -1 : group);
        source.columns.push_back({static_cast<int32_t>(reach + from), static_cast<int32_t>(reach + to + 1)});
      }
    }
  }
  source.program =
      formula_.compile(names({{"H", static_cast<double>(shape.heads)}, {"L", static_cast<double>(shape.layers)}}));
  source.row_values = row_table(row_names_, rows);
  source.column_values = column_table(column_names_, -reach, 2 * reach + 1);
  source.arguments = add_parameters(places, shared ? EncodingPlaces::kAllLayers : layer);
  check_finite(places, Table(static_cast<int64_t>(rows.size()), 2 * reach + 1), source);
  return source;
}

void FormulaTerm::add_bias(EncodingPlaces& places, bool shared) const {
  const std::vector<int64_t> layers = places.layers();
  if (layers.empty() || places.heads().empty()) return;
  if (!learned()) {
    for (const int64_t layer : layers) {
      const FormulaSource source = bias_source(places, layer, shared, false);
      Table table(static_cast<int64_t>(source.row_group.size()), 2 * places.shape().positions - 1);
      add_source(table, source, {});
      places.add_full_bias(table, uses("l") ? layer : EncodingPlaces::kAllLayers);
      if (!uses("l")) return;
    }
    return;
  }
  FormulaSource first;
  for (const int64_t layer : layers) {
    if (!shared || layer == layers.front()) first = bias_source(places, layer, shared, false);
    places.add_bias(layer, first);
  }
}

FormulaSource FormulaTerm::scale_source(EncodingPlaces& places, int64_t layer) const {
  places.check_scale_size();
  const EncodingShape& shape = places.shape();
  const int64_t columns = places.scale_columns();
  const std::vector<int64_t> heads = places.heads();
  FormulaSource source;
  std::vector<RowVariables> rows;
  for (int64_t t = 0; t < places.scale_tables(); ++t) {
    const bool per_length = places.form().scale_per_length;
    const int64_t n = per_length ? t + 1 : shape.positions;
    const int64_t used = per_length && !places.randomized() ? std::min(n, columns) : columns;
    for (int64_t h = 0; h < shape.heads; ++h) {
      const auto found = std::find(heads.begin(), heads.end(), h);
      rows.push_back({.n = n, .h = h, .l = layer});
      source.row_group.push_back(found == heads.end() ? -1 : static_cast<int32_t>(found - heads.begin()));
      source.columns.push_back({0, static_cast<int32_t>(used)});
    }
  }
  source.program =
      formula_.compile(names({{"H", static_cast<double>(shape.heads)}, {"L", static_cast<double>(shape.layers)}}));
  source.row_values = row_table(row_names_, rows);
  source.column_values = column_table(column_names_, 0, columns);
  source.arguments = add_parameters(places, layer);
  check_finite(places, Table(static_cast<int64_t>(rows.size()), columns), source);
  return source;
}

void FormulaTerm::multiply_scale(EncodingPlaces& places) const {
  if (places.heads().empty()) return;
  for (const int64_t layer : places.layers()) {
    FormulaSource source = scale_source(places, layer);
    if (learned()) {
      places.multiply_row_scale(layer, std::move(source));
      continue;
    }
    Table table(static_cast<int64_t>(source.row_group.size()), places.scale_columns());
    add_source(table, source, {});
    const int64_t only = uses("l") ? layer : EncodingPlaces::kAllLayers;
    if (uses("i") || uses("n")) {
      places.multiply_row_scale(table, only);
    } else {
      std::vector<double> factors;
      for (int64_t h = 0; h < places.shape().heads; ++h) factors.push_back(table(h, 0));
      places.multiply_scale(factors, only);
    }
    if (!uses("l")) return;
  }
}

void FormulaTerm::add_input(EncodingPlaces& places) const {
  places.check_input_size();
  for (const FormulaArgument& argument : arguments_) {
    if (!argument.learned || !argument.per_head) continue;
    places.fail_term(fmt::format("{} is part of the embeddings, which all heads share: it cannot be learned per head",
                                 argument.name));
  }
  const EncodingShape& shape = places.shape();
  FormulaSource source;
  std::vector<RowVariables> rows;
  for (int64_t t = 0; t < places.input_tables(); ++t) {
    const int64_t n = places.form().input_per_length ? t + 1 : shape.positions;
    for (int64_t i = 0; i < shape.positions; ++i) {
      rows.push_back({.i = i, .n = n});
      source.row_group.push_back(i >= n && !places.randomized() ? -1 : 0);
    }
  }
  source.program = formula_.compile(names({{"C", static_cast<double>(shape.width)}}));
  source.row_values = row_table(row_names_, rows);
  source.column_values = column_table(column_names_, 0, shape.width);
  source.arguments = add_parameters(places, EncodingPlaces::kAllLayers);
  Table table(static_cast<int64_t>(rows.size()), shape.width);
  check_finite(places, table, source);
  if (learned()) return places.add_input(std::move(source));
  add_source(table, source, {});
  places.add_input(table);
}

void FormulaTerm::rotate(EncodingPlaces& places, const Rotation& prototype) const {
  const EncodingShape& shape = places.shape();
  const bool per_head = uses("h") || std::any_of(arguments_.begin(), arguments_.end(),
                                                 [](const FormulaArgument& a) { return a.learned && a.per_head; });
  const std::vector<int64_t> heads = places.heads();
  if (heads.empty()) return;
  const bool same_everywhere = !learned() && !uses("l");
  std::vector<std::shared_ptr<const Rotation>> made;  // of the layer before
  for (const int64_t layer : places.layers()) {
    const std::vector<FormulaSource::Argument> arguments = add_parameters(places, layer);
    if (!same_everywhere) made.clear();
    for (size_t g = 0; g < (per_head ? heads.size() : 1); ++g) {
      if (made.size() > g) {
        places.rotate(layer, per_head ? heads[g] : EncodingPlaces::kAllHeads, made[g]);
        continue;
      }
      FormulaSource source;
      source.row_values = row_table(row_names_, {{.h = heads[g], .l = layer}});
      source.column_values = column_table(column_names_, 0, prototype.pairs);
      source.row_group = {static_cast<int32_t>(g)};
      source.arguments = arguments;
      source.program = formula_.compile(names({{"C", static_cast<double>(2 * prototype.pairs)},
                                               {"H", static_cast<double>(shape.heads)},
                                               {"L", static_cast<double>(shape.layers)}}));
      auto rotation = std::make_shared<Rotation>(prototype);
      rotation->name = places.term_text();
      rotation->frequencies = Table(1, prototype.pairs);
      check_finite(places, rotation->frequencies, source);
      if (learned()) {
        rotation->learned.emplace_back(std::move(source));
      } else {
        add_source(rotation->frequencies, source, {});
        rotation->query = rotation_factors(rotation->frequencies, rotation->positions, rotation->magnitude);
        rotation->key = rotation->query;
      }
      places.rotate(layer, per_head ? heads[g] : EncodingPlaces::kAllHeads, rotation);
      made.push_back(std::move(rotation));
    }
  }
}

}  // namespace phasor
