#include "phasor/encoding/measure/position_codes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>

#include "phasor/random/distributions.h"

namespace phasor {
namespace {

using Place = CodeSite::Place;

constexpr uint32_t kContent = 0x636f6e;  // a random stream of its own

const LayerEncoding& layer_of(const ResolvedEncoding& encoding, const CodeSite& site) {
  return encoding.layers[static_cast<size_t>(site.layer)];
}

PositionAxis axis_at(const ResolvedEncoding& encoding, int64_t place) {
  return encoding.axes[static_cast<size_t>(place)];
}

bool all_zero(const Table& table, int64_t first_row, int64_t rows) {
  const auto begin = table.values.begin() + first_row * table.columns;
  return std::all_of(begin, begin + rows * table.columns, [](double value) { return value == 0.0; });
}

// Heads that a bias says nothing to have rows of zeros.
bool is_biased(const ResolvedEncoding& encoding, int64_t layer, int64_t head) {
  const BiasTerm* bias = encoding.layers[static_cast<size_t>(layer)].bias.get();
  if (bias == nullptr) return false;
  assert(bias->learned.empty());
  const int64_t step = encoding.shape.heads * bias->rows;
  for (int64_t r = head * bias->rows; r < bias->fixed.rows; r += step) {
    if (!all_zero(bias->fixed, r, bias->rows)) return true;
  }
  return false;
}

void add_input_codes(PositionCodes& codes, const ResolvedEncoding& encoding, int64_t length) {
  const InputTerm& input = *encoding.input;
  assert(input.learned.empty());
  codes.axes = {axis_at(encoding, input.axis)};
  codes.extents = {extent_of(codes.axes[0], length)};
  codes.content_norm = std::sqrt(static_cast<double>(encoding.embedding_width));
  const int64_t positions = encoding.axes[static_cast<size_t>(input.axis)].extent;
  const int64_t first = input.per_length ? (length - 1) * positions : 0;
  Table table(codes.extents[0], input.fixed.columns);
  std::copy_n(input.fixed.values.begin() + first * table.columns, table.rows * table.columns, table.values.begin());
  codes.query = table;
  codes.key = std::move(table);
}

using Content = std::vector<std::complex<double>>;  // a number per pair

Content equal_content(int64_t pairs) {
  return Content(static_cast<size_t>(pairs), 1.0 / std::sqrt(static_cast<double>(pairs)));
}

// Of norm 1, always the same.
Content random_content(int64_t pairs) {
  const RandomStream stream{.purpose = Purpose::encoding, .site = kContent};
  Content result;
  double square = 0.0;
  for (int64_t c = 0; c < pairs; ++c) {
    const auto index = static_cast<uint64_t>(2 * c);
    result.emplace_back(normal(stream, index), normal(stream, index + 1));
    square += std::norm(result.back());
  }
  for (std::complex<double>& number : result) number /= std::sqrt(square);
  return result;
}

// Of all combinations of positions; a pair's factor is the product over the axes.
Table turned(const Rotation& rotation, const std::vector<std::complex<double>>& factors, int64_t length_class,
             const std::vector<int64_t>& extents, const Content& content) {
  int64_t cells = 1;
  for (const int64_t extent : extents) cells *= extent;
  const int64_t axes = static_cast<int64_t>(extents.size());
  Table table(cells, 2 * rotation.pairs);
  for (int64_t cell = 0; cell < cells; ++cell) {
    for (int64_t c = 0; c < rotation.pairs; ++c) {
      std::complex<double> product = content[static_cast<size_t>(c)];
      int64_t rest = cell;
      for (int64_t a = axes - 1; a >= 0; --a) {
        const int64_t position = rest % extents[static_cast<size_t>(a)];
        rest /= extents[static_cast<size_t>(a)];
        const int64_t row = (length_class * axes + a) * rotation.positions + position;
        product *= factors[static_cast<size_t>(row * rotation.pairs + c)];
      }
      table(cell, 2 * c) = product.real();
      table(cell, 2 * c + 1) = product.imag();
    }
  }
  return table;
}

void add_rotation_codes(PositionCodes& codes, const ResolvedEncoding& encoding, int64_t length) {
  const Rotation& rotation = *layer_of(encoding, codes.site).rotation[static_cast<size_t>(codes.site.head)];
  assert(rotation.learned.empty() && rotation.learned_phases.empty());
  for (const int64_t axis : rotation.axes) {
    codes.axes.push_back(axis_at(encoding, axis));
    codes.extents.push_back(extent_of(codes.axes.back(), length));
  }
  const int64_t length_class =
      rotation.class_of_length.empty() ? 0 : rotation.class_of_length[static_cast<size_t>(length)];
  const Content equal = equal_content(rotation.pairs);
  codes.query = turned(rotation, rotation.query, length_class, codes.extents, equal);
  codes.key = turned(rotation, rotation.key, length_class, codes.extents, equal);
  codes.other = turned(rotation, rotation.query, length_class, codes.extents, random_content(rotation.pairs));
}

void add_bias_codes(PositionCodes& codes, const ResolvedEncoding& encoding, int64_t length) {
  const BiasTerm& bias = *layer_of(encoding, codes.site).bias;
  codes.axes = {axis_at(encoding, bias.axis)};
  codes.extents = {extent_of(codes.axes[0], length)};
  std::vector<int64_t> heads;
  for (int64_t head = 0; head < encoding.shape.heads; ++head) {
    if (is_biased(encoding, codes.site.layer, head)) heads.push_back(head);
  }
  codes.content_norm = std::sqrt(static_cast<double>(heads.size()));
  codes.query = Table(codes.extents[0], static_cast<int64_t>(heads.size()));
  const int64_t last = codes.extents[0] - 1;
  for (int64_t behind = 0; behind <= last; ++behind) {
    for (size_t h = 0; h < heads.size(); ++h) {
      codes.query(behind, static_cast<int64_t>(h)) = bias_between(
          encoding, {.place = Place::bias, .layer = codes.site.layer, .head = heads[h]}, last, last - behind, length);
    }
  }
}

}  // namespace

std::string_view place_name(CodeSite::Place place) {
  switch (place) {
    case Place::none:
      return "none";
    case Place::input:
      return "input term";
    case Place::rotation:
      return "rotation";
    case Place::decoupled:
      return "decoupled path";
    case Place::bias:
      return "distance bias";
  }
  return "none";
}

std::vector<CodeSite> code_sites(const ResolvedEncoding& encoding, int64_t layer, int64_t head) {
  std::vector<CodeSite> sites;
  if (encoding.input) sites.push_back({.place = Place::input});
  const LayerEncoding& places = encoding.layers[static_cast<size_t>(layer)];
  if (const Rotation* rotation = places.rotation[static_cast<size_t>(head)].get()) {
    const bool beside = places.decoupled && rotation->first >= encoding.shape.head_width;
    sites.push_back({.place = beside ? Place::decoupled : Place::rotation, .layer = layer, .head = head});
  }
  if (is_biased(encoding, layer, head)) sites.push_back({.place = Place::bias, .layer = layer, .head = head});
  return sites;
}

std::vector<CodeSite> code_sites(const ResolvedEncoding& encoding) {
  std::vector<CodeSite> sites;
  for (int64_t layer = 0; layer < encoding.shape.layers; ++layer) {
    for (int64_t head = 0; head < encoding.shape.heads; ++head) {
      for (const CodeSite& site : code_sites(encoding, layer, head)) {
        const auto same = [&site](const CodeSite& other) { return other.place == site.place; };
        if (std::none_of(sites.begin(), sites.end(), same)) sites.push_back(site);
      }
    }
  }
  return sites;
}

PositionCodes position_codes(const ResolvedEncoding& encoding, const CodeSite& site, int64_t length) {
  assert(length >= 1 && length <= encoding.shape.positions);
  PositionCodes codes{.site = site, .axes = {}, .extents = {}, .query = {}, .key = {}, .other = {}};
  switch (site.place) {
    case Place::none:
      break;
    case Place::input:
      add_input_codes(codes, encoding, length);
      break;
    case Place::rotation:
    case Place::decoupled:
      add_rotation_codes(codes, encoding, length);
      break;
    case Place::bias:
      add_bias_codes(codes, encoding, length);
      break;
  }
  return codes;
}

double bias_between(const ResolvedEncoding& encoding, const CodeSite& site, int64_t i, int64_t j, int64_t length) {
  const BiasTerm& bias = *layer_of(encoding, site).bias;
  const int64_t table = bias.per_length ? length - 1 : 0;
  const int64_t row = (table * encoding.shape.heads + site.head) * bias.rows + (bias.rows > 1 ? i : 0);
  return bias.fixed(row, bias.reach + j - i);
}

int64_t extent_of(const PositionAxis& axis, int64_t length) {
  return axis.kind == PositionAxis::Kind::index ? length : axis.extent;
}

}  // namespace phasor
