#include "phasor/encoding/measure/rotary_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "phasor/base/json_fields.h"
#include "phasor/encoding/measure/position_codes.h"

namespace phasor {
namespace {

using Change = RotaryPair::Change;

// Quotients of frequencies that are powers of a base: the rounding of both, with room.
constexpr double kSameStretch = 1e-9;

Change change_of(const Rotation& rotation, double slowed) {
  if (rotation.unscaled.empty()) return Change::none;
  if (std::abs(slowed - 1.0) <= kSameStretch) return Change::kept;
  if (slowed < 1.0) return Change::quickened;
  if (rotation.stretch == 0.0 || slowed >= rotation.stretch * (1.0 - kSameStretch)) return Change::stretched;
  return Change::ramped;
}

RotaryPair pair_of(const ResolvedEncoding& encoding, const Rotation& rotation, int64_t c) {
  const auto axes = static_cast<int64_t>(rotation.axes.size());
  const int64_t longest = rotation.frequencies.rows - axes;  // first row of the last class
  RotaryPair pair{.pair = c,
                  .channel = rotation.first + (rotation.halves ? c : 2 * c),
                  .partner = rotation.first + (rotation.halves ? rotation.pairs + c : 2 * c + 1)};
  double square = 0.0, turns = 0.0, single = 0.0;
  int64_t turning = 0;
  for (int64_t a = 0; a < axes; ++a) {
    const double along = rotation.frequencies(longest + a, c);
    if (along == 0.0) continue;
    const int64_t axis = rotation.axes[static_cast<size_t>(a)];
    pair.axis = turning++ == 0 ? axis : -1;
    const PositionAxis& positions = encoding.axes[static_cast<size_t>(axis)];
    turns += std::abs(along) * static_cast<double>(extent_of(positions, encoding.shape.positions));
    square += along * along;
    single = along;
  }
  if (turning == 0 && axes == 1) pair.axis = rotation.axes.front();
  pair.frequency = turning == 1 ? single : std::sqrt(square);
  pair.turns = turns / (2.0 * std::numbers::pi);
  pair.wavelength = pair.frequency == 0.0 ? std::numeric_limits<double>::infinity()
                                          : 2.0 * std::numbers::pi / std::abs(pair.frequency);
  pair.unscaled = rotation.unscaled.empty() ? pair.frequency : rotation.unscaled[static_cast<size_t>(c)];
  pair.change = change_of(rotation, pair.slowed());
  return pair;
}

bool turn_alike(const Rotation& a, const Rotation& b) {
  return a.frequencies == b.frequencies && a.first == b.first && a.halves == b.halves && a.axes == b.axes &&
         a.magnitude == b.magnitude && a.unscaled == b.unscaled;
}

void add_head(RotaryPairs& group, int64_t layer, int64_t head) {
  if (group.where.empty() || group.where.back().layer != layer) group.where.push_back({layer, {}});
  group.where.back().heads.push_back(head);
}

}  // namespace

std::string_view change_name(Change change) {
  switch (change) {
    case Change::none:
      return "";
    case Change::kept:
      return "kept";
    case Change::ramped:
      return "ramped";
    case Change::stretched:
      return "stretched";
    case Change::quickened:
      return "quickened";
  }
  return "";
}

std::vector<RotaryPairs> rotary_pairs(const ResolvedEncoding& encoding) {
  std::vector<RotaryPairs> groups;
  std::vector<const Rotation*> firsts;         // of each group
  std::map<const Rotation*, size_t> group_of;  // of rotations that were seen
  for (int64_t layer = 0; layer < encoding.shape.layers; ++layer) {
    const LayerEncoding& places = encoding.layers[static_cast<size_t>(layer)];
    for (int64_t head = 0; head < encoding.shape.heads; ++head) {
      const Rotation* rotation = places.rotation[static_cast<size_t>(head)].get();
      if (rotation == nullptr || rotation->frequencies.empty()) continue;
      const auto [seen, is_new] = group_of.try_emplace(rotation, 0);
      if (is_new) {
        const auto alike = std::find_if(firsts.begin(), firsts.end(),
                                        [&](const Rotation* first) { return turn_alike(*first, *rotation); });
        seen->second = static_cast<size_t>(alike - firsts.begin());
        if (alike == firsts.end()) {
          firsts.push_back(rotation);
          RotaryPairs group{
              .attention_factor = std::pow(rotation->magnitude, static_cast<double>(rotation->axes.size())),
              .stretch = rotation->stretch,
              .by_length = !rotation->class_of_length.empty()};
          for (int64_t c = 0; c < rotation->pairs; ++c) group.pairs.push_back(pair_of(encoding, *rotation, c));
          groups.push_back(std::move(group));
        }
      }
      add_head(groups[seen->second], layer, head);
    }
  }
  return groups;
}

static const Fields<RotaryPairs::Heads>& json_fields(const RotaryPairs::Heads*) {
  using H = RotaryPairs::Heads;
  static const Fields<H> fields = {field("layer", &H::layer, "of the model"), field("heads", &H::heads, "of it")};
  return fields;
}

static const Fields<RotaryPair>& json_fields(const RotaryPair*) {
  using P = RotaryPair;
  static const Fields<P> fields = {
      field("pair", &P::pair, "from 0"),
      field("channel", &P::channel, "the first of the pair; those beside a head's own follow its own"),
      field("partner", &P::partner, "the second"),
      field("axis", &P::axis, "place in `axes`; -1: several turn it"),
      field("frequency", &P::frequency, "radians per position"),
      field("wavelength", &P::wavelength, "positions per turn; null: it does not turn"),
      field("turns", &P::turns, "within the length"),
      field("unscaled", &P::unscaled, "frequency before the scaling"),
      derived_field<P>("slowed", &P::slowed, "`unscaled` / `frequency`"),
      derived_field<P>(
          "change", [](const P& pair) { return change_name(pair.change); },
          "`kept`, `ramped`, `stretched` in full, or `quickened`; empty: there is no scaling")};
  return fields;
}

const Fields<RotaryPairs>& json_fields(const RotaryPairs*) {
  using P = RotaryPairs;
  static const Fields<P> fields = {
      field("where", &P::where, "layers and heads that turn so"),
      field("attention_factor", &P::attention_factor, "on queries and on keys; its square is on their products"),
      field("stretch", &P::stretch, "of the rule, 1 without one; 0: each pair has a divisor of its own"),
      field("by_length", &P::by_length, "other lengths have other frequencies; these are of the longest"),
      field("pairs", &P::pairs, "one by one")};
  return fields;
}

}  // namespace phasor
