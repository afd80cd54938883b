#pragma once
// A formula that fills a place: by distance, by query, by position and channel, or by channel pair. What it needs of
// names is offered here; what is learned becomes a source, what is not becomes a table.
//
//   bias         d distance p_j - p_i, i the query's position, n length, h head, l layer, H heads, L layers
//   scale        i query's position, n length, h head, l layer, H heads, L layers
//   input        i position, n length, c channel, C channels
//   frequencies  c channel pair, C rotated channels, h head, l layer, H heads, L layers
#include <string>
#include <vector>

#include "phasor/encoding/resolve/places.h"
#include "phasor/encoding/syntax/arguments.h"

namespace phasor {

struct FormulaArgument {
  std::string name;
  bool learned = false;
  double value = 0.0;     // where not learned
  InitialValues initial;  // where learned: of one number, or of one per head
  bool per_head = false;
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};

FormulaArgument formula_argument(const std::string& name, const LearnableNumber& number);

class FormulaTerm {
 public:
  enum class Place : uint8_t { bias, scale, input, frequencies };

  // An entry's own formula; mistakes in it are ours.
  FormulaTerm(Place place, std::string_view formula, std::vector<FormulaArgument> arguments);
  // A formula and variables that a person wrote behind `parameter`. Throws EncodingError at the column for a name
  // that stands for nothing, for a variable that the formula does not use, and for one that hides a name.
  FormulaTerm(Place place, const EncodingArguments& arguments, std::string_view parameter,
              std::vector<FormulaArgument> more = {});

  std::string text() const { return formula_.print(); }
  bool uses(std::string_view name) const;
  bool has(std::string_view argument) const;  // one that the formula uses
  bool learned() const;

  // Each layer learns numbers of its own, unless they are shared.
  void add_bias(EncodingPlaces& places, bool shared = false) const;
  // A factor on the logits of a query; without i and n, and with nothing learned, one per head.
  void multiply_scale(EncodingPlaces& places) const;
  TableForm scale_form() const { return {.scale_by_query = uses("i"), .scale_per_length = uses("n")}; }
  void add_input(EncodingPlaces& places) const;
  // `prototype` says what turns; the frequencies are filled in here.
  void rotate(EncodingPlaces& places, const Rotation& prototype) const;

  // Over all rows of a bias table, or over those of one head (the input of a network, say). Adds the parameters.
  FormulaSource bias_source(EncodingPlaces& places, int64_t layer, bool shared, bool one_head) const;

 private:
  void note_names();
  FormulaNames names(std::vector<FormulaNames::Constant> constants) const;
  FormulaSource scale_source(EncodingPlaces& places, int64_t layer) const;
  std::vector<FormulaSource::Argument> add_parameters(EncodingPlaces& places, int64_t layer) const;
  void check_finite(const EncodingPlaces& places, const Table& shape, const FormulaSource& source) const;

  Place place_;
  Formula formula_;
  std::vector<FormulaArgument> arguments_;
  std::vector<std::string> row_names_, column_names_, count_names_;  // those that the formula uses
};

}  // namespace phasor
