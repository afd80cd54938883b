#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "phasor/base/json_fields.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding_list.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/encoding/measure/mask_text.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

bool is_of_segments(const PositionAxis& axis) {
  return axis.kind == PositionAxis::Kind::segment || axis.kind == PositionAxis::Kind::offset;
}

const char* segment_word_place(Segments::At at) {
  switch (at) {
    case Segments::At::end:
      return "end";
    case Segments::At::start:
      return "start";
    case Segments::At::inside:
      return "inside";
  }
  return "";
}

const char* kind_name(PositionAxis::Kind kind) {
  switch (kind) {
    case PositionAxis::Kind::index:
      return "index";
    case PositionAxis::Kind::randomized:
      return "randomized";
    case PositionAxis::Kind::scattered:
      return "scattered";
    case PositionAxis::Kind::coordinate:
      return "coordinate";
    case PositionAxis::Kind::segment:
      return "segment";
    case PositionAxis::Kind::offset:
      return "offset";
  }
  return "";
}

const char* kind_name(InitialValues::Kind kind) {
  switch (kind) {
    case InitialValues::Kind::constant:
      return "constant";
    case InitialValues::Kind::normal:
      return "normal";
    case InitialValues::Kind::uniform:
      return "uniform";
    case InitialValues::Kind::values:
      return "values";
  }
  return "";
}

// A parameter of an entry with what a term gives for it.
struct GivenParameter {
  EncodingParameter parameter;
  const TermValue* value = nullptr;  // null: not given
  bool has_say = true;
};

Json value_json(const GivenParameter& given) {
  if (given.value == nullptr) return write_json(given.parameter)["default"];
  if (const double* number = std::get_if<double>(&given.value->content)) return *number;
  if (const auto* quoted = std::get_if<QuotedText>(&given.value->content)) return quoted->text;
  return print_expression(*given.value);
}

const EncodingEntry& entry_of(const CardTerm& shown) { return *find_encoding(shown.term->name); }

std::vector<GivenParameter> given_parameters(const CardTerm& shown) {
  std::vector<GivenParameter> list;
  for (const EncodingParameter& parameter : entry_of(shown).parameters) {
    list.push_back({parameter, given_value(*shown.term, parameter), has_say(*shown.term, parameter)});
  }
  return list;
}

// Names in a formula that are no parameters of the entry.
Json variables_json(const CardTerm& shown) {
  const EncodingEntry& entry = entry_of(shown);
  Json variables = Json::object();
  for (const TermArgument& argument : shown.term->arguments) {
    bool known = false;
    for (const EncodingParameter& parameter : entry.parameters)
      known = known || parameter.name == parameter_name(argument, entry);
    if (!known) variables[argument.key] = print_expression(argument.value);
  }
  return variables;
}

struct CardKernel {
  CodeSite site;
  PositionAxis axis;
  std::vector<int64_t> heads;
  Kernel kernel;
};

std::vector<CardKernel> card_kernels(const EncodingCard& card) {
  std::vector<CardKernel> list;
  for (const KernelCurves& group : card.kernels) {
    for (const KernelCurves::Curve& curve : group.curves) {
      list.push_back({group.site, group.axis, curve.heads, curve.kernel});
    }
  }
  return list;
}

const Fields<GivenParameter>& json_fields(const GivenParameter*) {
  using G = GivenParameter;
  static const Fields<G> fields =
      joined_fields<G>({part_fields(&G::parameter, fields_of<EncodingParameter>()),
                        {derived_field<G>(
                             "given", [](const G& given) { return given.value != nullptr; }, "in the expression"),
                         json_field<G>("value", "number, text or null", value_json, "that is used"),
                         field("has_say", &G::has_say, "false: the others leave it without effect")}});
  return fields;
}

}  // namespace

static const Fields<PositionAxis>& json_fields(const PositionAxis*) {
  using A = PositionAxis;
  static const Fields<A> fields = {
      derived_field<A>(
          "kind", [](const A& axis) { return kind_name(axis.kind); },
          "`index`, `randomized`, `scattered`, `coordinate`, `segment` or `offset`"),
      field("coordinate", &A::coordinate, "which one; absent for other kinds").left_out_if([](const A& axis) {
        return axis.kind != A::Kind::coordinate;
      }),
      field("seed", &A::seed, "of the draw; absent for other kinds").left_out_if([](const A& axis) {
        return axis.kind != A::Kind::scattered;
      }),
      derived_field<A>(
          "words", [](const A& axis) { return print(axis.segments.words); },
          "numbers of the words that make segments; `none` where only a task would tell; absent for other kinds")
          .left_out_if([](const A& axis) { return !is_of_segments(axis); }),
      derived_field<A>(
          "at", [](const A& axis) { return segment_word_place(axis.segments.at); },
          "`end`, `start` or `inside`: where in a segment they stand; absent for other kinds")
          .left_out_if([](const A& axis) { return !is_of_segments(axis); }),
      derived_field<A>(
          "shift", [](const A& axis) { return axis.segments.shift; },
          "largest start while training; absent for other kinds")
          .left_out_if([](const A& axis) { return !is_of_segments(axis); }),
      field("extent", &A::extent, "positions are 0 to extent - 1")};
  return fields;
}

static const Fields<CardTerm>& json_fields(const CardTerm*) {
  using C = CardTerm;
  const auto of_entry = [](const char* name, std::string EncodingEntry::*member, const char* help) {
    return derived_field<C>(
        name, [member](const C& shown) { return entry_of(shown).*member; }, help);
  };
  static const Fields<C> fields = {
      of_entry("name", &EncodingEntry::name, "of the catalogue's entry"),
      derived_field<C>(
          "expression", [](const C& shown) { return print_expression(*shown.term); }, "the term, canonical"),
      field("within", &C::depth, "within how many other terms"),
      of_entry("summary", &EncodingEntry::summary, "as in the list"),
      derived_field<C>(
          "formula", [](const C& shown) { return formula_in_force(*shown.term); }, "in force, with these arguments"),
      of_entry("general_formula", &EncodingEntry::formula, "of the entry, as in the list, like the next three"),
      of_entry("paper", &EncodingEntry::paper, "of the entry"),
      derived_field<C>(
          "year", [](const C& shown) { return entry_of(shown).year; }, "of the paper"),
      of_entry("notes", &EncodingEntry::notes, "of the entry"),
      derived_field<C>("parameters", given_parameters, "with their values"),
      json_field<C>("variables", "object", variables_json, "what a formula names beside them")};
  return fields;
}

static const Fields<Rotation>& json_fields(const Rotation*) {
  using R = Rotation;
  static const Fields<R> fields = {
      field("term", &R::name, "that made it"),
      field("first", &R::first, "first rotated channel"),
      field("pairs", &R::pairs, "of channels"),
      derived_field<R>(
          "layout", [](const R& rotation) { return rotation.halves ? "half" : "interleaved"; },
          "`interleaved`: pairs (2 c, 2 c + 1); `half`: (c, pairs + c)"),
      field("axes", &R::axes, "places in `axes`"),
      derived_field<R>(
          "length_classes",
          [](const R& rotation) { return rotation.class_of_length.empty() ? 1 : rotation.class_of_length.back() + 1; },
          "tables for different lengths of sequences"),
      derived_field<R>(
          "phases", [](const R& rotation) { return !rotation.phases.empty(); },
          "keys turn by angles of their own beside that, the same at every position")};
  return fields;
}

static const Fields<BiasTerm>& json_fields(const BiasTerm*) {
  using B = BiasTerm;
  static const Fields<B> fields = {
      derived_field<B>(
          "by_query", [](const B& bias) { return bias.rows > 1; }, "depends on the query's position too"),
      field("per_length", &B::per_length, "a table for every length"), field("axis", &B::axis, "place in `axes`")};
  return fields;
}

static const Fields<ScaleTerm>& json_fields(const ScaleTerm*) {
  using S = ScaleTerm;
  static const Fields<S> fields = {
      derived_field<S>(
          "by_query", [](const S& scale) { return scale.fixed.columns > 1; }, "depends on the query's position"),
      field("per_length", &S::per_length, "a table for every length"), field("axis", &S::axis, "place in `axes`")};
  return fields;
}

static const Fields<RowTerm>& json_fields(const RowTerm*) {
  using R = RowTerm;
  static const Fields<R> fields = {
      field("term", &R::name, "that made them"),
      derived_field<R>(
          "vectors", [](const R& rows) { return rows.fixed.rows; }, "of each head; distances may share one"),
      field("axis", &R::axis, "place in `axes`")};
  return fields;
}

static const Fields<DecoupledPath>& json_fields(const DecoupledPath*) {
  using D = DecoupledPath;
  static const Fields<D> fields = {field("key_latent", &D::key_latent, "width that keys and values are made from"),
                                   field("query_latent", &D::query_latent, "width that queries are made from"),
                                   field("rotary", &D::rotary, "extra channels of queries and keys"),
                                   field("shared_query", &D::shared_query, "heads share these channels of queries too"),
                                   field("norm", &D::norm, "RMS norm on the latents")};
  return fields;
}

static const Fields<HeadMask>& json_fields(const HeadMask*) {
  using M = HeadMask;
  static const Fields<M> fields = {field("window", &M::window, "keys less than so many tokens away; 0: all"),
                                   field("chunk", &M::chunk, "keys of the query's own chunk of so many; 0: all")};
  return fields;
}

static std::vector<int64_t> heads_with_sinks(const LayerEncoding& layer) {
  std::vector<int64_t> heads;
  for (int64_t h = 0; layer.sink != nullptr && h < layer.sink->fixed.columns; ++h) {
    if (std::isfinite(layer.sink->fixed(0, h))) heads.push_back(h);
  }
  return heads;
}

static const Fields<GateTerm>& json_fields(const GateTerm*) {
  using G = GateTerm;
  static const Fields<G> fields = {
      field("term", &G::name, "that made them"), field("heads", &G::heads, "that have one"),
      derived_field<G>(
          "map",
          [](const G& gates) { return gates.map == GateTerm::Map::log_sigmoid ? "log_sigmoid" : "minus_softplus"; },
          "of a number before it is summed")};
  return fields;
}

static const Fields<TokenRotation>& json_fields(const TokenRotation*) {
  using T = TokenRotation;
  static const Fields<T> fields = {
      field("term", &T::name, "that made it"),
      field("heads", &T::heads, "that it turns"),
      field("pairs", &T::pairs, "of channels, from the first on"),
      derived_field<T>(
          "layout", [](const T& rotation) { return rotation.halves ? "half" : "interleaved"; },
          "as of other rotations"),
      field("frequencies", &T::frequencies, "of every pair, radians per unit of a token's number"),
      field("per_pair", &T::per_pair, "a number for every pair of a head, else one for all"),
      field("summed", &T::summed, "along the sequence")};
  return fields;
}

static const Fields<DensePlace>& json_fields(const DensePlace*) {
  using D = DensePlace;
  static const Fields<D> fields = {
      field("term", &D::name, "that made it"), field("heads", &D::heads, "that have it"),
      derived_field<D>(
          "kind",
          [](const D& dense) {
            if (dense.positions() != nullptr) return "positions";
            return dense.reflections() != nullptr ? "reflections" : "far_rotation";
          },
          "`positions` by gates of the query, `reflections` by tokens, or a `far_rotation` for far keys"),
      derived_field<D>(
          "most", [](const D& dense) { return dense.positions() == nullptr ? int64_t{0} : dense.positions()->most; },
          "the last position, of `positions`; else 0"),
      derived_field<D>(
          "window", [](const D& dense) { return dense.far() == nullptr ? int64_t{0} : dense.far()->window; },
          "keys at this distance or more are far, of a `far_rotation`; else 0")};
  return fields;
}

static const Fields<LayerEncoding>& json_fields(const LayerEncoding*) {
  using L = LayerEncoding;
  static const Fields<L> fields = {
      field("rotation", &L::rotation, "of every head; null: none"),
      field("bias", &L::bias, "by distance; null: none"),
      field("query_rows", &L::query_rows, "vectors by distance that queries are multiplied with; null: none"),
      field("key_rows", &L::key_rows, "vectors by distance that keys are multiplied with; null: none"),
      derived_field<L>(
          "shifted", [](const L& layer) { return layer.query_shift != nullptr; },
          "a vector is added to all queries of a head where they meet keys, and another where they meet query_rows"),
      field("scale", &L::scale, "factor of every head on top of 1 / sqrt(query width)"),
      field("row_scale", &L::row_scale, "factors of queries on top of it; null: none"),
      field("decoupled", &L::decoupled, "a path of its own for position; null: none"),
      field("masks", &L::masks, "of every head: what it sees"),
      derived_field<L>("reach", layer_reach, "what a query sees lies at most so many tokens away; null: all"),
      derived_field<L>("sinks", heads_with_sinks, "heads that have one"),
      field("gates", &L::gates, "of the hidden state, summed along the sequence"),
      field("token_rotation", &L::token_rotation, "by angles of the hidden state; null: none"),
      derived_field<L>(
          "features", [](const L& layer) { return layer.feature == FeatureMap::none ? "none" : "softplus"; },
          "what a channel of queries and keys becomes before it is turned: `none`: "
          "itself; `softplus`: the pair (log(1 + e^x), 0)"),
      field("dense", &L::dense, "what needs all logits of a head at once; null: nothing")};
  return fields;
}

static const Fields<InputTerm>& json_fields(const InputTerm*) {
  using I = InputTerm;
  static const Fields<I> fields = {field("axis", &I::axis, "place in `axes`"),
                                   field("per_length", &I::per_length, "a table for every length")};
  return fields;
}

static const Fields<InitialValues>& json_fields(const InitialValues*) {
  using I = InitialValues;
  const auto unless = [](I::Kind kind) { return [kind](const I& initial) { return initial.kind != kind; }; };
  static const Fields<I> fields = {
      derived_field<I>(
          "kind", [](const I& initial) { return kind_name(initial.kind); },
          "`constant`, `normal`, `uniform` or `values`; the other members are those of the kind"),
      field("value", &I::centre, "of a constant").left_out_if(unless(I::Kind::constant)),
      field("mean", &I::centre, "of a normal distribution").left_out_if(unless(I::Kind::normal)),
      field("deviation", &I::size, "likewise").left_out_if(unless(I::Kind::normal)),
      derived_field<I>(
          "from", [](const I& initial) { return initial.centre - initial.size; }, "of a uniform distribution")
          .left_out_if(unless(I::Kind::uniform)),
      derived_field<I>(
          "to", [](const I& initial) { return initial.centre + initial.size; }, "likewise")
          .left_out_if(unless(I::Kind::uniform)),
      field("values", &I::values, "as listed").left_out_if(unless(I::Kind::values))};
  return fields;
}

// Numbers without a bound are written down as bounded by 1e300.
static std::optional<double> bound(double value) {
  return std::abs(value) < 1e300 ? std::optional(value) : std::nullopt;
}

static const Fields<LearnedParameter>& json_fields(const LearnedParameter*) {
  using P = LearnedParameter;
  static const Fields<P> fields = {
      field("name", &P::name, "of the tensor, as in model.safetensors"), field("shape", &P::shape, "of the tensor"),
      field("start", &P::initial, "where training starts"),
      derived_field<P>(
          "least", [](const P& parameter) { return bound(parameter.least); }, "kept above it; null: no bound"),
      derived_field<P>(
          "most", [](const P& parameter) { return bound(parameter.most); }, "kept below it; null: no bound")};
  return fields;
}

namespace {

const Fields<CardKernel>& json_fields(const CardKernel*) {
  using C = CardKernel;
  static const Fields<C> fields = {
      derived_field<C>(
          "place", [](const C& at) { return place_name(at.site.place); }, "that it belongs to"),
      derived_field<C>(
          "layer", [](const C& at) { return at.site.layer; }, "the first that has it"),
      field("heads", &C::heads, "that share it; empty for an input term"),
      field("axis", &C::axis, "along which distances are counted"),
      derived_field<C>(
          "first_distance", [](const C& at) { return at.kernel.first; }, "key minus query of the first value"),
      derived_field<C>(
          "values", [](const C& at) { return at.kernel.values; }, "distances one by one"),
      group_field<C>("query_position",
                     {derived_field<C>(
                          "keys_behind", [](const C& at) { return -at.kernel.first; }, "that they are seen from"),
                      derived_field<C>(
                          "keys_ahead", [](const C&) { return 0; }, "likewise")},
                     "reference position"),
      derived_field<C>(
          "deviation", [](const C& at) { return at.kernel.deviation; }, "from elsewhere values differ by at most this"),
      derived_field<C>(
          "toeplitz", [](const C& at) { return at.kernel.toeplitz(); }, "the same from every position")};
  return fields;
}

Fields<EncodingTraits> trait_fields() {
  using T = EncodingTraits;
  return {field("exactly_relative", &T::exactly_relative, "logits stay when all positions move together"),
          field("learnable", &T::learnable, "some of it is trained"),
          field("extrapolates", &T::extrapolates, "made for positions that training never saw"),
          field("bidirectional", &T::bidirectional, "tells positions apart without a causal mask"),
          field("depends_on_length", &T::depends_on_length, "on the length of the sequence"),
          field("n_dimensional", &T::n_dimensional, "of coordinates instead of an index"),
          derived_field<T>(
              "beyond", [](const T& traits) { return beyond_name(traits.beyond); },
              "what becomes of positions beyond those of training: `formula`, `clamped`, `drawn` or `refused`"),
          field("masked", &T::masked, "some heads see a window or a chunk only")};
}

Fields<EncodingShape> shape_fields() {
  using S = EncodingShape;
  return {field("layers", &S::layers, "of the model"),
          field("heads", &S::heads, "of each layer"),
          field("head_width", &S::head_width, "query and key channels of a head"),
          field("width", &S::width, "of the residual stream"),
          field("positions", &S::positions, "the longest sequence"),
          field("causal", &S::causal, "whether there is a mask"),
          field("grid", &S::grid, "extents of coordinates; often empty")};
}

Fields<ResolvedEncoding> place_fields() {
  using R = ResolvedEncoding;
  return {field("embedding_width", &R::embedding_width, "of the tokens' vectors"),
          field("input", &R::input, "a term added to the embeddings; null: none"),
          field("layers", &R::layers, "what every layer has")};
}

}  // namespace

const Fields<EncodingCard>& json_fields(const EncodingCard*) {
  using C = EncodingCard;
  static const Fields<ResolvedEncoding> resolved = {group_field("places", place_fields(), "where it goes"),
                                                    field("tensors", &ResolvedEncoding::parameters, "what it learns")};
  static const Fields<ResolvedEncoding> shape = {
      group_field("shape", part_fields(&ResolvedEncoding::shape, shape_fields()), "of the model it is shown for")};
  static const Fields<ResolvedEncoding> axes = {field("axes", &ResolvedEncoding::axes, "that positions come from")};
  static const Fields<C> head = {field("name", &C::expression, "the canonical expression"),
                                 derived_field<C>(
                                     "class", [](const C& card) { return coupling_name(card.traits.coupling); },
                                     "how position and content are coupled"),
                                 group_field("traits", part_fields(&C::traits, trait_fields()), "what it promises"),
                                 field("beyond", &C::beyond, "what becomes of positions beyond those of training")};
  static const Fields<C> terms = {
      field("seed", &C::seed, "of the model whose start the numbers are"),
      derived_field<C>(
          "terms", [](const C& card) { return card_terms(card.encoding); }, "of the expression, and within them")};
  static const Fields<C> measured = {
      field("rotary_pairs", &C::rotary_pairs, "every pair of rotated channels, for layers and heads that turn alike"),
      field("left_out", &C::left_out, "why kernels and desiderata were not measured; empty: they were"),
      field("row_scales", &C::row_scales, "factors on the logits of queries, for heads that are scaled alike"),
      derived_field<C>("kernels", card_kernels,
                       "values over distance, and how much they depend on the reference position"),
      field("desiderata", &C::desiderata, "every measured number with its verdict, place by place")};
  static const Fields<C> fields =
      joined_fields({head, part_fields(&C::resolved, shape), terms, part_fields(&C::resolved, axes),
                     part_fields(&C::resolved, resolved), measured});
  return fields;
}

Json card_json(const EncodingCard& card) { return write_json(card); }

}  // namespace phasor
