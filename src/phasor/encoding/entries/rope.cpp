// Queries and keys turned by their positions, so that their product sees the distance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "phasor/base/suggest.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/formula_term.h"
#include "phasor/encoding/entries/frequencies.h"
#include "phasor/encoding/entries/learned_places.h"
#include "phasor/encoding/entries/rope_axes.h"
#include "phasor/encoding/entries/rope_scaling.h"
#include "phasor/encoding/entries/trained_frequencies.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/other_spellings.h"

namespace phasor {
namespace {

std::vector<EncodingParameter> parameters() {
  std::vector<EncodingParameter> result = {
      learnable_parameter("base", 10000, 1, 1e12,
                          "the slowest pair turns once in about 2 pi base positions; learned(10000) only where a "
                          "formula of the frequencies uses it"),
      pair_layout_parameter(),
      number_parameter("fraction", 1, 0, 1,
                       "share of a head's channels that turn, rounded down to whole pairs; the rest carry content "
                       "alone"),
      formula_parameter(
          "frequencies", {"fixed", "learned"},
          "base^(-2c/C); the same as a start, trained in each layer; or a formula in quotes, of c pair, C "
          "channels that turn, h head, l layer, H heads, L layers, base and your own names")};
  for (const EncodingParameter& parameter : RopeScaling::parameters()) result.push_back(parameter);
  for (const EncodingParameter& parameter : RopeAxes::parameters()) result.push_back(parameter);
  return result;
}

class Rope : public EncodingComponent {
 public:
  explicit Rope(const EncodingArguments& arguments)
      : base_(arguments.learnable("base")),
        halves_(arguments.word("layout") == "half"),
        fraction_(arguments.number("fraction")),
        scaling_(arguments, "rope", base_.value),
        axes_(arguments) {
    const std::string* word = arguments.word_if("frequencies");
    trained_ = word != nullptr && *word == "learned";
    if (word == nullptr) {
      check_formula(arguments);
      formula_.emplace(FormulaTerm::Place::frequencies, arguments, "frequencies",
                       std::vector<FormulaArgument>{formula_argument("base", base_)});
    } else {
      check_without_formula(arguments);
    }
    if (!scaling_.depends_on_length()) return;
    const std::string& rule = arguments.word("scaling");
    if (trained_) {
      fail_at(arguments, "scaling", fmt::format("scaling={} goes by length, which learned frequencies cannot", rule));
    }
    if (axes_.count() > 1) {
      fail_at(arguments, "scaling", fmt::format("scaling={} goes by length, which coordinates do not have", rule));
    }
  }

  EncodingTraits traits() const override {
    return {.coupling = Coupling::hadamard_toeplitz,
            .exactly_relative = true,
            .learnable = trained_ || (formula_ && formula_->learned()),
            .extrapolates = !scaling_.none(),
            .bidirectional = true,
            .depends_on_length = scaling_.depends_on_length(),
            .n_dimensional = axes_.count() > 1};
  }

  std::string beyond() const override {
    if (scaling_.depends_on_length()) return "frequencies go by each sequence's own length";
    if (scaling_.none()) return {};
    return "frequencies are stretched at every length, so that more positions keep to angles of training";
  }

  std::string formula() const override {
    const std::string turned = halves_ ? "(q[c] + i q[C/2+c])" : "(q[2c] + i q[2c+1])";
    const std::string angle = axes_.count() > 1 ? "e^(i <p, w>), p the coordinates" : "e^(i p w)";
    const std::string spectrum =
        formula_   ? formula_->text()
        : trained_ ? fmt::format("trained in each layer, from {} on", scaling_.formula("base^(-2c/C)"))
                   : scaling_.formula("base^(-2c/C)");
    std::string text = fmt::format("{} {}, the same for k; w = {}; C = {}", turned, angle, spectrum,
                                   fraction_ < 1.0 ? "fraction * head width" : "head width");
    for (const std::string& more : {axes_.formula(), scaling_.attention_formula()}) {
      if (!more.empty()) text += "; " + more;
    }
    return text;
  }

  bool reads(std::string_view parameter) const override {
    const auto is_one_of = [parameter](const std::vector<EncodingParameter>& list) {
      return std::any_of(list.begin(), list.end(), [&](const EncodingParameter& p) { return p.name == parameter; });
    };
    if (parameter == "base") return !formula_ || formula_->has(parameter);
    if (parameter == "fraction") return fraction_ < 1.0;
    if (parameter == "frequencies") return formula_ || trained_;
    if (is_one_of(RopeScaling::parameters())) return scaling_.reads(parameter);
    return !is_one_of(RopeAxes::parameters()) || axes_.reads(parameter);
  }

  void fill(EncodingPlaces& places) const override {
    const Rotation prototype = make_prototype(places);
    const std::vector<int64_t> heads = places.heads();
    if (heads.empty()) return;
    if (const double factor = scaling_.logit_factor(); factor != 1.0) {
      places.multiply_scale(std::vector<double>(static_cast<size_t>(places.shape().heads), factor));
    }
    if (formula_) return formula_->rotate(places, prototype);
    if (!axes_.mixed()) {
      const Table frequencies = tables(places, prototype, 0, 0);
      if (!trained_) return places.rotate(turning(prototype, frequencies));
      if (axes_.count() == 1) return rotate_learned(places, "frequencies", {turning(prototype, frequencies)});
      for (const int64_t layer : places.layers())
        rotate_trained(places, "frequencies", layer, prototype, {frequencies});
      return;
    }
    for (const int64_t layer : places.layers()) {
      std::vector<Table> frequencies;
      frequencies.reserve(heads.size());
      for (const int64_t head : heads) frequencies.push_back(tables(places, prototype, layer, head));
      if (trained_) {
        rotate_trained(places, "frequencies", layer, prototype, frequencies);
        continue;
      }
      for (size_t g = 0; g < heads.size(); ++g) {
        Rotation rotation = turning(prototype, frequencies[g]);
        rotation.name = places.term_text();
        places.rotate(layer, heads[g], std::make_shared<const Rotation>(std::move(rotation)));
      }
    }
  }

 private:
  [[noreturn]] static void fail_at(const EncodingArguments& arguments, std::string_view name,
                                   const std::string& reason) {
    throw EncodingError(arguments.text(), arguments.column(name), fmt::format("rope: {}", reason));
  }

  void check_formula(const EncodingArguments& arguments) const {
    if (!scaling_.none()) {
      fail_at(arguments, "scaling", "scaling stretches rope's own frequencies; write it into the formula instead");
    }
    if (axes_.count() > 1) fail_at(arguments, "axes", "a formula gives the frequencies of one axis only");
    const std::vector<std::string> used = arguments.formula("frequencies").names();
    if (arguments.given("base") && std::find(used.begin(), used.end(), "base") == used.end()) {
      throw EncodingError(arguments.text(), arguments.column("frequencies"), "the formula does not use 'base'");
    }
  }

  // Names that a formula could use mean nothing here.
  void check_without_formula(const EncodingArguments& arguments) const {
    for (const FormulaVariable& variable : arguments.variables()) {
      std::vector<std::string> names;
      for (const EncodingParameter& parameter : parameters()) names.push_back(parameter.name);
      const std::string hint = argument_hint(variable.name);
      throw EncodingError(arguments.text(), variable.column,
                          fmt::format("rope has no argument '{}'{}", variable.name,
                                      hint.empty() ? suggestion(variable.name, names) : hint));
    }
    if (base_.learned) {
      fail_at(
          arguments, "base",
          "base can be learned only in a formula, such as frequencies=\"base^(-2*c/C)\"; frequencies=learned trains "
          "each of them");
    }
  }

  // All but the frequencies.
  Rotation make_prototype(EncodingPlaces& places) const {
    Rotation rotation;
    rotation.pairs = pairs_of_share(places, "fraction", fraction_, head_pairs(places, "rope"));
    rotation.halves = halves_;
    // Of each axis; their factors are multiplied.
    rotation.magnitude = std::pow(scaling_.turned_factor(), 1.0 / static_cast<double>(axes_.count()));
    scaling_.check(places, rotation.pairs);
    axes_.check(places, rotation.pairs);
    if (axes_.count() == 1) {
      rotation.axes = {places.position_axis()};
    } else {
      rotation.axes = places.coordinate_axes(axes_.count());
    }
    if (!scaling_.none()) {
      const std::vector<double> grid = geometric_frequencies(base_.value, axes_.grid_channels(rotation.pairs));
      for (size_t c = 0; c < static_cast<size_t>(rotation.pairs); ++c) {
        rotation.unscaled.push_back(grid[c % grid.size()]);
      }
      rotation.stretch = scaling_.stretch(longest_class(places));
    }
    rotation.class_of_length = scaling_.class_of_length(places.lengths());
    if (!places.shape().factors) return rotation;
    for (const int64_t axis : rotation.axes) {
      rotation.positions = std::max(rotation.positions, places.axis_extent(axis));
    }
    if (!rotation.class_of_length.empty()) rotation.classes = rotation.class_of_length.back() + 1;
    check_rotation_size(places, rotation);
    return rotation;
  }

  int64_t longest_class(const EncodingPlaces& places) const {
    const std::vector<int32_t> classes = scaling_.class_of_length(places.lengths());
    return classes.empty() ? 0 : classes.back();
  }

  // [classes * axes, pairs]; of the longest sequences alone where the shape asks for no factors.
  Table tables(const EncodingPlaces& places, const Rotation& prototype, int64_t layer, int64_t head) const {
    const int64_t first = places.shape().factors ? 0 : longest_class(places);
    const int64_t axes = axes_.count();
    Table result(0, prototype.pairs);
    for (int64_t k = 0; k < prototype.classes; ++k) {
      // The grid spans the channels that turn, as in GPT-NeoX, not the whole head.
      const std::vector<double> grid =
          scaling_.frequencies(base_.value, axes_.grid_channels(prototype.pairs), first + k);
      const Table spread = axes_.spread(grid, prototype.pairs, layer, head);
      result.values.insert(result.values.end(), spread.values.begin(), spread.values.end());
      result.rows += axes;
    }
    return result;
  }

  static Rotation turning(Rotation rotation, const Table& frequencies) {
    rotation.frequencies = frequencies;
    rotation.query = rotation_factors(frequencies, rotation.positions, rotation.magnitude);
    rotation.key = rotation.query;
    return rotation;
  }

  LearnableNumber base_;
  bool halves_;
  double fraction_;
  RopeScaling scaling_;
  RopeAxes axes_;
  bool trained_ = false;
  std::optional<FormulaTerm> formula_;
};

}  // namespace

EncodingEntry rope_entry() {
  return {
      .name = "rope",
      .summary = "pairs of query and key channels are turned by the position",
      .formula = "(q[2c] + i q[2c+1]) e^(i p w), the same for k; w = base^(-2c/C), C = fraction * head width",
      .paper =
          "Su, Lu, Pan, Murtadha, Wen, Liu: RoFormer: Enhanced Transformer with Rotary Position Embedding "
          "(arXiv 2104.09864)",
      .year = 2021,
      .parameters = parameters(),
      .other_arguments = OtherArguments::formula_variables,
      .notes =
          "The head width must be even, and at least one pair must turn.\n\n"
          "`frequencies=learned` trains the frequencies, in each layer its own: the tensors "
          "`layers.<l>.encoding.rope.frequencies`. A formula may have names of its own, given as further arguments: "
          "`rope(frequencies=\"base^(-2*c/C)\",base=learned(100))` trains the base.\n\n"
          "`scaling` (f = factor, n0 = original): `linear` w/f (position interpolation, arXiv 2306.15595); `ntk` "
          "base f^(C/(C-2)); `dynamic` the same with f n/n0 - (f-1) for a sequence of n > n0 tokens; `yarn` from w "
          "for pairs that turn often within n0 to w/f for those that do not, and queries and keys times 0.1 log(f) "
          "+ 1 (arXiv 2309.00071); `llama3` likewise by other bounds, without that factor (arXiv 2407.21783); "
          "`longrope` w divided by lists of numbers, one for sequences up to n0 and one beyond, with sqrt(1 + "
          "log(f)/log(n0)) on queries and keys (arXiv 2402.13753). All as in Hugging Face's `modeling_rope_utils`; "
          "`dynamic` and `longrope` go by each sequence's own length. Factors touch turned channels only.\n\n"
          "With f the factor on queries and keys, products of turned channels get f^2 and those of channels at rest "
          "nothing; `attention_on=logits` puts f^2 on whole logits instead, which differs with `fraction` below 1. "
          "With "
          "mscale and mscale_all_dim it is DeepSeek's code: the ratio of their factors on turned channels, and the "
          "square of mscale_all_dim's on whole logits; with equal ones, `attention_on=rotated` has no factor at "
          "all.\n\n"
          "`axes=2` to `4` turn by coordinates of the tokens instead of their index. `map=axial`: the pairs are cut "
          "into blocks, one per axis, each with all frequencies from fast to slow. `map=mixed`: RoPE-Mixed (arXiv "
          "2403.13298): the blocks turn along orthogonal directions in space, drawn once for every layer and head; "
          "as published they are `frequencies=learned`, per head, with base=10. `map=sections`: M-RoPE (arXiv "
          "2409.12191): consecutive pairs of one grid of frequencies. `map=interleaved`: the axes take turns over "
          "that grid, and the first has what is left, as in Qwen3-VL (arXiv 2511.21631).",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Rope>(arguments);
      }};
}

}  // namespace phasor
