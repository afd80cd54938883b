#pragma once
// What one would want of positions, measured (after Fleetwood, "You could have designed state of the art positional
// encoding"): a code per position that is unique whatever the sequence's length; a shift that is a linear map; values
// beyond the lengths of training; a rule rather than a table; more than one dimension. Numbers come with verdicts;
// the thresholds stand here.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/measure/position_codes.h"

namespace phasor {

enum class Fulfilment : uint8_t { pass, fail, not_applicable };

std::string_view verdict_name(Fulfilment verdict);

// Codes nearer to each other than this, relative to their mean norm, are one code to a model that computes in floats;
// a residual below it is a linear map, up to what is lost in finding it.
inline constexpr double kSameCode = 1e-6;
// Beyond the trained length, norms and steps may be larger by this factor before the model meets something new.
inline constexpr double kMostGrowth = 1.25;

struct Desiderata {
  CodeSite site;
  bool by_distance = false;  // codes are those of distances from a query, not of positions
  int64_t positions = 0;     // that were compared

  // Pass: both hold, by kSameCode.
  struct Uniqueness {
    double nearest = 0.0;            // distance of the two most similar codes, relative to the mean norm
    double length_difference = 0.0;  // largest change of a code from n tokens to n/2, relative to the mean norm
    Fulfilment verdict = Fulfilment::not_applicable;
  } unique;

  // The best affine map from each code to its neighbour, fitted on one half of the positions and judged on the other,
  // both scattered. Pass: residual below kSameCode.
  struct Shift {
    double residual = 0.0;  // root mean square, relative to the spread of the codes; the worst axis counts
    int64_t positions = 0;  // as many as it takes for a map to be determined
    int64_t rank = 0;       // directions that the codes differ in
    Fulfilment verdict = Fulfilment::not_applicable;
  } shift;

  // Pass: there are values, no larger than kMostGrowth times those before. Necessary for a model to work beyond its
  // training, by no means sufficient. Only rising biases count: a falling one makes far keys vanish.
  struct Bounded {
    bool has_values = false;  // at positions n to 2n-1; a trained table ends at n
    std::string reason;       // where there are none
    double norm_ratio = 0.0;  // largest norm there over the largest before; of biases 1 + rise / range
    double step_ratio = 0.0;  // the same of steps between neighbours
    Fulfilment verdict = Fulfilment::not_applicable;
  } bounded;

  // Pass: by a rule.
  struct Origin {
    enum class Kind : uint8_t {
      rule,
      trained_rule,   // a formula, a network or a rotation with trained numbers
      trained_table,  // a number for every position, distance or bucket
      drawn_once,
      drawn_always,  // anew at every step
    };
    Kind kind = Kind::rule;
    Fulfilment verdict = Fulfilment::not_applicable;
  } origin;

  Fulfilment n_dimensional = Fulfilment::not_applicable;  // pass: reads several coordinates

  double norm_ratio = 0.0;    // mean norm of the codes, over that of content
  double largest_step = 0.0;  // between neighbouring codes, over the norm of content
  double unevenness = 0.0;    // largest step over the mean one
  bool sides_alike = false;   // of a bias without a causal mask: keys ahead look like keys behind
};

std::string_view origin_name(Desiderata::Origin::Kind kind);

// One for each place that the encoding fills with positions, or one of place none, whose positions all look alike.
// Learned numbers are those that a model of this seed starts from.
std::vector<Desiderata> measure_desiderata(const Encoding& encoding, const EncodingShape& shape, uint64_t seed = 0);

// Every number, and the verdicts as true, false or, where one does not apply, null.
const Fields<Desiderata>& json_fields(const Desiderata*);
nlohmann::ordered_json desiderata_json(const Desiderata& measured);

}  // namespace phasor
