#include "phasor/encoding/measure/desiderata.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/measure/code_measures.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {
namespace {

using Place = CodeSite::Place;
using Origin = Desiderata::Origin;

constexpr int64_t kMostShiftPositions = 4096;

Fulfilment passes(bool condition) { return condition ? Fulfilment::pass : Fulfilment::fail; }

EncodingShape doubled(EncodingShape shape) {
  shape.positions *= 2;
  int64_t cells = 1;
  for (int64_t& extent : shape.grid) {
    extent *= 2;
    cells *= extent;
  }
  shape.positions = std::max(shape.positions, cells);
  return shape;
}

// What a place learns from.
const std::vector<TableSource>& sources_of(const ResolvedEncoding& encoding, const CodeSite& site) {
  if (site.place == Place::input) return encoding.input->learned;
  const LayerEncoding& layer = encoding.layers[static_cast<size_t>(site.layer)];
  if (site.place == Place::bias) return layer.bias->learned;
  const Rotation& rotation = *layer.rotation[static_cast<size_t>(site.head)];
  return rotation.learned.empty() ? rotation.learned_phases : rotation.learned;
}

// Numbers of the tables that are learned entry by entry.
int64_t table_numbers(const ResolvedEncoding& encoding, const CodeSite& site) {
  int64_t count = 0;
  for (const TableSource& source : sources_of(encoding, site)) {
    if (const auto* gather = std::get_if<GatherSource>(&source)) {
      count += encoding.parameters[static_cast<size_t>(gather->parameter)].size();
    }
  }
  return count;
}

// An entry with a seed draws its numbers.
bool draws_numbers(const Encoding& encoding) {
  for (const Term& term : encoding.terms) {
    const EncodingEntry& entry = *find_encoding(term.name);
    for (const EncodingParameter& parameter : entry.parameters) {
      if (parameter.name == "seed") return true;
      if (parameter.kind != EncodingParameter::Kind::encoding) continue;
      for (const TermArgument& argument : term.arguments) {
        if (parameter_name(argument, entry) != parameter.name) continue;
        if (draws_numbers(std::get<Encoding>(argument.value.content))) return true;
      }
    }
  }
  return false;
}

// One encoding on one shape.
struct Made {
  ResolvedEncoding resolved;  // with its sources
  ResolvedEncoding started;   // with their values

  Made(const Encoding& encoding, const EncodingShape& shape, uint64_t seed)
      : resolved(resolve(encoding, shape)), started(with_values(resolved, initial_values(resolved, seed))) {}
};

class PlaceMeasurement {
 public:
  PlaceMeasurement(const Encoding& encoding, const EncodingShape& shape, uint64_t seed, const Made& made,
                   const CodeSite& site)
      : encoding_(encoding),
        shape_(shape),
        seed_(seed),
        made_(made),
        site_(site),
        codes_(position_codes(made.started, site, shape.positions)) {}

  Desiderata measure() const {
    Desiderata result{.site = site_,
                      .by_distance = codes_.by_distance(),
                      .positions = codes_.query.rows,
                      .bounded = bounded(),
                      .origin = origin(),
                      .n_dimensional = passes(codes_.axes.size() > 1)};
    result.unique = uniqueness();
    result.shift = shift();
    result.norm_ratio = mean_norm(codes_.query) / codes_.content_norm;
    double sum = 0.0;
    double largest = 0.0;
    const std::vector<NeighbourRows> pairs = all_neighbours(codes_.extents);
    for (const NeighbourRows& pair : pairs) {
      const double step = row_distance(codes_.query, pair.row, codes_.query, pair.next);
      sum += step;
      largest = std::max(largest, step);
    }
    result.largest_step = largest / codes_.content_norm;
    result.unevenness = sum == 0.0 ? 0.0 : largest / (sum / static_cast<double>(pairs.size()));
    result.sides_alike = codes_.by_distance() && !shape_.causal && sides_alike();
    return result;
  }

 private:
  Desiderata::Uniqueness uniqueness() const {
    const double norm = mean_norm(codes_.query);
    const double unit = norm == 0.0 ? 1.0 : norm;
    Desiderata::Uniqueness result;
    result.nearest = smallest_distance(codes_.query) / unit;
    result.length_difference = largest_change(std::max<int64_t>(1, shape_.positions / 2)) / unit;
    result.verdict = passes(result.nearest > kSameCode && result.length_difference <= kSameCode);
    return result;
  }

  // Of a code when the sequence has only so many tokens.
  double largest_change(int64_t length) const {
    double most = 0.0;
    if (codes_.by_distance()) {
      const int64_t count = extent_of(codes_.axes[0], length);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < (shape_.causal ? i + 1 : count); ++j) most = std::max(most, bias_change(i, j, length));
      }
      return most;
    }
    const PositionCodes shorter = position_codes(made_.started, site_, length);
    for (int64_t row = 0; row < shorter.query.rows; ++row) {
      most = std::max(most, row_distance(shorter.query, row, codes_.query, row));
    }
    return most;
  }

  // Of what all heads add together.
  double bias_change(int64_t i, int64_t j, int64_t length) const {
    double square = 0.0;
    for (int64_t head = 0; head < shape_.heads; ++head) {
      const CodeSite site{.place = Place::bias, .layer = site_.layer, .head = head};
      const double change =
          bias_between(made_.started, site, i, j, shape_.positions) - bias_between(made_.started, site, i, j, length);
      square += change * change;
    }
    return std::sqrt(square);
  }

  Desiderata::Shift shift() const {
    EncodingShape shape = shape_;
    PositionCodes codes = codes_;
    Desiderata::Shift result;
    while (true) {
      bool determined = true;
      result = {.positions = codes.query.rows};
      for (size_t axis = 0; axis < codes.axes.size(); ++axis) {
        const ShiftFit fit = fit_shift(codes, axis);
        determined = determined && fit.determined;
        result.residual = std::max(result.residual, fit.residual);
        result.rank = std::max(result.rank, fit.rank);
      }
      if (spread(codes.query) == 0.0) return result;  // nothing moves
      if (determined) {
        result.verdict = passes(result.residual <= kSameCode);
        return result;
      }
      // Half of the neighbours must outnumber the channels.
      const int64_t enough = std::max(codes.query.rows + 1, 5 * codes.query.columns / 2 + 16);
      while (shape.positions < enough) shape = doubled(shape);
      if (codes.axes[0].kind == PositionAxis::Kind::randomized || shape.positions > kMostShiftPositions) return result;
      try {
        PositionCodes more = position_codes(Made(encoding_, shape, seed_).started, site_, shape.positions);
        if (more.query.rows <= codes.query.rows) return result;  // segments(max=...) has so many and no more
        codes = std::move(more);
      } catch (const EncodingError&) {
        return result;  // there are no more positions
      }
    }
  }

  Desiderata::Bounded bounded() const {
    Desiderata::Bounded result;
    result.verdict = Fulfilment::fail;
    const EncodingShape shape = doubled(shape_);
    std::optional<Made> made;
    try {
      made.emplace(encoding_, shape, seed_);
    } catch (const EncodingError& error) {
      result.reason = error.reason();
      return result;
    }
    const int64_t before = table_numbers(made_.resolved, site_);
    const int64_t after = table_numbers(made->resolved, site_);
    if (after != before) {
      result.reason = "the trained table ends";
      return result;
    }
    result.has_values = true;
    const PositionCodes codes = position_codes(made->started, site_, shape.positions);
    result.norm_ratio = codes_.by_distance() ? 1.0 + rise(codes) : norm_growth(codes);
    result.step_ratio = step_growth(codes);
    result.verdict =
        passes(result.norm_ratio <= kMostGrowth && (codes_.by_distance() || result.step_ratio <= kMostGrowth));
    return result;
  }

  // Whether the row of a longer table is a position that the shorter one does not have.
  bool is_beyond(const PositionCodes& codes, int64_t row) const {
    for (size_t a = codes.extents.size(); a-- > 0; row /= codes.extents[a]) {
      if (row % codes.extents[a] >= codes_.extents[a]) return true;
    }
    return false;
  }

  static double ratio(double beyond, double within, bool any_beyond) {
    if (!any_beyond || beyond == within) return 1.0;
    return beyond / within;
  }

  double norm_growth(const PositionCodes& codes) const {
    double within = 0.0;
    double beyond = 0.0;
    bool any = false;
    for (int64_t row = 0; row < codes_.query.rows; ++row) within = std::max(within, row_norm(codes_.query, row));
    for (int64_t row = 0; row < codes.query.rows; ++row) {
      if (!is_beyond(codes, row)) continue;
      any = true;
      beyond = std::max(beyond, row_norm(codes.query, row));
    }
    return ratio(beyond, within, any);
  }

  double step_growth(const PositionCodes& codes) const {
    double within = 0.0;
    double beyond = 0.0;
    bool any = false;
    for (const NeighbourRows& pair : all_neighbours(codes_.extents)) {
      within = std::max(within, row_distance(codes_.query, pair.row, codes_.query, pair.next));
    }
    for (const NeighbourRows& pair : all_neighbours(codes.extents)) {
      if (!is_beyond(codes, pair.next)) continue;
      any = true;
      beyond = std::max(beyond, row_distance(codes.query, pair.row, codes.query, pair.next));
    }
    return ratio(beyond, within, any);
  }

  // How far a bias rises above all that it was before, relative to its range; of the head where that is most.
  double rise(const PositionCodes& codes) const {
    double most = 0.0;
    for (int64_t head = 0; head < codes_.query.columns; ++head) {
      double least = codes_.query(0, head);
      double highest = least;
      for (int64_t row = 0; row < codes_.query.rows; ++row) {
        least = std::min(least, codes_.query(row, head));
        highest = std::max(highest, codes_.query(row, head));
      }
      for (int64_t row = codes_.query.rows; row < codes.query.rows; ++row) {
        const double above = codes.query(row, head) - highest;
        if (above > 0.0) most = std::max(most, above / (highest - least));
      }
    }
    return most;
  }

  Origin origin() const {
    using Kind = Origin::Kind;
    Origin result;
    const std::vector<TableSource>& sources = sources_of(made_.resolved, site_);
    if (codes_.axes[0].kind == PositionAxis::Kind::randomized) {
      result.kind = Kind::drawn_always;
    } else if (codes_.axes[0].kind == PositionAxis::Kind::scattered ||
               (site_.place == Place::input && draws_numbers(encoding_))) {
      result.kind = Kind::drawn_once;
    } else if (table_numbers(made_.resolved, site_) > 0 && (site_.place == Place::input || codes_.by_distance())) {
      result.kind = Kind::trained_table;
    } else if (!sources.empty()) {
      result.kind = Kind::trained_rule;
    }
    result.verdict = passes(result.kind == Kind::rule || result.kind == Kind::trained_rule);
    return result;
  }

  bool sides_alike() const {
    const int64_t count = codes_.extents[0];
    for (int64_t head = 0; head < shape_.heads; ++head) {
      const CodeSite site{.place = Place::bias, .layer = site_.layer, .head = head};
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t behind = 1; behind <= std::min(i, count - 1 - i); ++behind) {
          const double left = bias_between(made_.started, site, i, i - behind, shape_.positions);
          const double right = bias_between(made_.started, site, i, i + behind, shape_.positions);
          if (std::abs(left - right) > kSameCode * std::max(std::abs(left), std::abs(right))) return false;
        }
      }
    }
    return true;
  }

  const Encoding& encoding_;
  const EncodingShape& shape_;
  uint64_t seed_;
  const Made& made_;
  CodeSite site_;
  PositionCodes codes_;
};

}  // namespace

std::string_view verdict_name(Fulfilment verdict) {
  switch (verdict) {
    case Fulfilment::pass:
      return "pass";
    case Fulfilment::fail:
      return "fail";
    case Fulfilment::not_applicable:
      return "-";
  }
  return "-";
}

std::string_view origin_name(Desiderata::Origin::Kind kind) {
  switch (kind) {
    case Origin::Kind::rule:
      return "fixed";
    case Origin::Kind::trained_rule:
      return "trained rule";
    case Origin::Kind::trained_table:
      return "learned";
    case Origin::Kind::drawn_once:
      return "drawn once";
    case Origin::Kind::drawn_always:
      return "drawn anew";
  }
  return "fixed";
}

std::vector<Desiderata> measure_desiderata(const Encoding& encoding, const EncodingShape& shape, uint64_t seed) {
  const Encoding terms = parse_encoding(print(encoding));
  const Made made(terms, shape, seed);
  std::vector<Desiderata> result;
  for (const CodeSite& site : code_sites(made.started)) {
    result.push_back(PlaceMeasurement(terms, shape, seed, made, site).measure());
  }
  if (result.empty()) {
    Desiderata alike{.positions = shape.positions, .bounded = {}, .origin = {}};
    alike.unique.verdict = Fulfilment::fail;
    result.push_back(std::move(alike));
  }
  return result;
}

}  // namespace phasor
