#include "phasor/spectrum/model_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields.h"

namespace phasor {
namespace {

struct Column {
  const char* title;
  double (*value)(const HeadMeasures&);
};

constexpr Column kMeasureColumns[] = {
    {"sigma1", [](const HeadMeasures& m) { return m.spectral_norm; }},
    {"stable", [](const HeadMeasures& m) { return m.stable_rank; }},
    {"eff.", [](const HeadMeasures& m) { return m.effective_rank; }},
    {"contr.", [](const HeadMeasures& m) { return m.contraction; }},
    {"bias x", [](const HeadMeasures& m) { return m.bias_expansion; }},
    {"R2_rel", [](const HeadMeasures& m) { return m.relative_r2; }},
    {"T(Gpp)", [](const HeadMeasures& m) { return m.position_toeplitz; }},
    {"cont.", [](const HeadMeasures& m) { return m.shares.content_content; }},
    {"mixed", [](const HeadMeasures& m) { return m.shares.mixed(); }},
    {"pos.", [](const HeadMeasures& m) { return m.shares.position_position; }},
    {"bias", [](const HeadMeasures& m) { return m.shares.bias; }},
    {"rows", [](const HeadMeasures& m) { return m.shares.rows; }},
    {"inter.", [](const HeadMeasures& m) { return m.interaction; }},
};

// Of vectors by distance, which few encodings have: without them there is no such column.
bool has_rows(const std::vector<HeadMeasures>& heads) {
  return std::any_of(heads.begin(), heads.end(), [](const HeadMeasures& m) { return m.shares.rows != 0.0; });
}

std::vector<Column> shown_columns(const std::vector<HeadMeasures>& heads) {
  std::vector<Column> columns(std::begin(kMeasureColumns), std::end(kMeasureColumns));
  if (!has_rows(heads)) std::erase_if(columns, [](const Column& c) { return std::string_view(c.title) == "rows"; });
  return columns;
}

std::string shown_measure(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (!(size < 99999.5)) return fmt::format("{:.0e}", value);
  return fmt::format("{:.{}f}", value, size >= 1000.0 ? 0 : size >= 100.0 ? 1 : size >= 10.0 ? 2 : 3);
}

Spread over_heads(const std::vector<HeadMeasures>& heads, double (*value)(const HeadMeasures&)) {
  Spread result;
  for (const HeadMeasures& head : heads) result.add(value(head));
  return result;
}

std::string range_text(const Spread& spread) {
  if (std::isnan(spread.mean)) return "not defined";
  return fmt::format("{} ({} to {})", shown_measure(spread.mean), shown_measure(spread.least),
                     shown_measure(spread.most));
}

double interaction(const HeadMeasures& m) { return m.interaction; }
double mixed(const HeadMeasures& m) { return m.shares.mixed(); }
double positional(const HeadMeasures& m) { return m.shares.positional(); }
double toeplitz(const HeadMeasures& m) { return m.position_toeplitz; }

std::string row_text(const std::string& label, const HeadMeasures& measures, const std::vector<Column>& columns) {
  std::string text = fmt::format("{:>6}", label);
  for (const Column& column : columns) text += fmt::format(" {:>6}", shown_measure(column.value(measures)));
  text += "\n";
  return text;
}

}  // namespace

std::vector<LayerMeans> layer_means(const std::vector<HeadMeasures>& heads) {
  std::vector<LayerMeans> layers;
  std::vector<double> counts;
  for (const HeadMeasures& head : heads) {
    if (layers.empty() || layers.back().layer != head.layer) {
      HeadMeasures zero;
      zero.contraction = zero.bias_expansion = 0.0;
      layers.push_back({head.layer, zero});
      counts.push_back(0.0);
    }
    HeadMeasures& sum = layers.back().means;
    counts.back() += 1.0;
    sum.spectral_norm += head.spectral_norm;
    sum.stable_rank += head.stable_rank;
    sum.effective_rank += head.effective_rank;
    sum.participation_ratio += head.participation_ratio;
    sum.contraction += head.contraction;
    sum.bias_expansion += head.bias_expansion;
    sum.relative_r2 += head.relative_r2;
    sum.position_toeplitz += head.position_toeplitz;
    sum.interaction += head.interaction;
    sum.shares.content_content += head.shares.content_content;
    sum.shares.content_position += head.shares.content_position;
    sum.shares.position_content += head.shares.position_content;
    sum.shares.position_position += head.shares.position_position;
    sum.shares.bias += head.shares.bias;
    sum.shares.rows += head.shares.rows;
    sum.shares.decoupled += head.shares.decoupled;
  }
  for (size_t l = 0; l < layers.size(); ++l) {
    HeadMeasures& m = layers[l].means;
    for (double* value : {&m.spectral_norm, &m.stable_rank, &m.effective_rank, &m.participation_ratio, &m.contraction,
                          &m.bias_expansion, &m.relative_r2, &m.position_toeplitz, &m.interaction,
                          &m.shares.content_content, &m.shares.content_position, &m.shares.position_content,
                          &m.shares.position_position, &m.shares.bias, &m.shares.rows, &m.shares.decoupled}) {
      *value /= counts[l];
    }
  }
  return layers;
}

std::string measures_table(const std::vector<HeadMeasures>& heads) {
  std::string text = fmt::format("{:>6}", "head");
  const std::vector<Column> columns = shown_columns(heads);
  for (const Column& column : columns) text += fmt::format(" {:>6}", column.title);
  text += "\n";
  for (const HeadMeasures& head : heads) text += row_text(fmt::format("{}.{}", head.layer, head.head), head, columns);
  for (const auto& [layer, means] : layer_means(heads)) text += row_text(fmt::format("mean {}", layer), means, columns);
  return text;
}

const char* measures_legend() {
  return "\nsigma1: spectral norm; stable, eff.: stable and effective rank; contr.: sigma1 over that with all\n"
         "angles at zero; bias x: sigma1 with over without the bias; R2_rel: of the logits, by distance,\n"
         "beside a constant per query; T(Gpp): the same of the positional Gram; cont., mixed, pos., bias:\n"
         "(rows: of vectors by distance): shares of the logits' variance; inter.: share that content and\n"
         "offset have only together, not defined (-) where the terms of a logit are made of tokens.\n";
}

std::string assumptions_text(const std::vector<HeadMeasures>& heads, const std::vector<StreamStates>& states) {
  std::string text = "assumptions\n  3.1  states are token + position: shares of the stream that enters a layer\n";
  for (const StreamStates& state : states) {
    const AdditiveStates& s = state.stream;
    const std::string where = state.layer + 1 < static_cast<int64_t>(states.size())
                                  ? fmt::format("layer {}", state.layer)
                                  : std::string("the end");
    text += s.defined ? fmt::format(
                            "       {:<9} token {:.3f}  position {:.3f}  interaction {:.3f} +- {:.3f}  "
                            "context {:.3f}\n",
                            where, s.token, s.position, s.interaction, s.interaction_deviation, s.context)
                      : fmt::format("       {:<9} too few tokens met one place twice to tell\n", where);
  }
  text += fmt::format(
      "       logits, over heads (mean, range): interaction of content and offset {},\n"
      "       mixed terms {}, positional terms with the bias {}\n"
      "  3.2  positional Gram by distance alone: adjusted R2 {}; 1 would be exact\n",
      range_text(over_heads(heads, interaction)), range_text(over_heads(heads, mixed)),
      range_text(over_heads(heads, positional)), range_text(over_heads(heads, toeplitz)));
  return text;
}

Assumptions assumptions(const std::vector<HeadMeasures>& heads, const std::vector<StreamStates>& states) {
  return {.states = states,
          .interaction = over_heads(heads, interaction),
          .mixed = over_heads(heads, mixed),
          .positional = over_heads(heads, positional),
          .position_toeplitz = over_heads(heads, toeplitz)};
}

static const Fields<AdditiveStates>& json_fields(const AdditiveStates*) {
  using S = AdditiveStates;
  static const Fields<S> fields = {
      field("token", &S::token, "share of the variance by token"),
      field("position", &S::position, "by position"),
      field("interaction", &S::interaction, "by both only together"),
      field("interaction_deviation", &S::interaction_deviation, "standard deviation of that by chance"),
      field("context", &S::context, "by what other tokens of the sequence did"),
      field("rows", &S::used_rows, "states used"),
      field("cells", &S::cells, "pairs of word and position that occur at least twice")};
  return fields;
}

static const Fields<StreamStates>& json_fields(const StreamStates*) {
  using S = StreamStates;
  const auto defined = [](AdditiveStates S::*member) {
    return [member](const S& s) { return (s.*member).defined ? std::optional(s.*member) : std::nullopt; };
  };
  static const Fields<S> fields = {
      field("layer", &S::layer, "that it enters; the last is the end"),
      derived_field<S>("stream", defined(&S::stream), "the residual stream; null: too few tokens met one place twice"),
      derived_field<S>("normed", defined(&S::normed), "behind the norm, which is what attention reads; null likewise")};
  return fields;
}

const Fields<Assumptions>& json_fields(const Assumptions*) {
  using A = Assumptions;
  static const Fields<Spread> range = {field("mean", &Spread::mean, "over all heads"),
                                       field("least", &Spread::least, "of all heads"),
                                       field("most", &Spread::most, "of all heads")};
  const auto over_all = [](const char* name, Spread A::*member, const char* help) {
    return group_field(name, part_fields(member, range), help);
  };
  static const Fields<A> fields = {
      field("states", &A::states, "3.1, hidden states are token + position: every layer, and the end"),
      over_all("interaction", &A::interaction, "3.1 in the logits: of content and offset"),
      over_all("mixed", &A::mixed, "share of content with position in the logits' variance"),
      over_all("positional", &A::positional, "share of position and bias"),
      over_all("position_toeplitz", &A::position_toeplitz, "3.2, the positional Gram depends on distance alone: R2")};
  return fields;
}

const Fields<PartShares>& json_fields(const PartShares*) {
  using P = PartShares;
  static const Fields<P> fields = {
      field("content_content", &P::content_content, "of the query's content with the key's"),
      field("content_position", &P::content_position, "of the query's content with the key's position"),
      field("position_content", &P::position_content, "of the query's position with the key's content"),
      field("position_position", &P::position_position, "of position with position"),
      field("bias", &P::bias, "of the bias"),
      field("rows", &P::rows, "of products with distance rows; these six add up to 1; absent if there are none")
          .since_later()
          .left_out_if([](const P& shares) { return !shares.has_rows(); }),
      field("decoupled", &P::decoupled, "what of the first four comes through a decoupled path")};
  return fields;
}

// Everything but where the head is.
static const Fields<HeadMeasures>& measure_fields() {
  using M = HeadMeasures;
  static const Fields<M> fields = {
      field("spectral_norm", &M::spectral_norm, "largest singular value of the logits, with bias and distance rows"),
      field("stable_rank", &M::stable_rank, "sum of squared singular values / largest one squared"),
      field("effective_rank", &M::effective_rank, "exp of the entropy of sigma / sum of sigma"),
      field("participation_ratio", &M::participation_ratio, "(sum of sigma^2)^2 / sum of sigma^4"),
      field("contraction", &M::contraction, "sigma_1 divided by sigma_1 with all angles at zero"),
      field("bias_expansion", &M::bias_expansion, "sigma_1 with bias and distance rows divided by sigma_1 without"),
      field("relative_r2", &M::relative_r2, "what distance explains of the logits, adjusted"),
      field("position_toeplitz", &M::position_toeplitz, "the same of the positional Gram"),
      field("interaction", &M::interaction, "share that content and offset have only together"),
      field("shares", &M::shares, "of the variance of row-centred logits")};
  return fields;
}

const Fields<HeadMeasures>& json_fields(const HeadMeasures*) {
  static const Fields<HeadMeasures> fields = joined_fields<HeadMeasures>(
      {{field("layer", &HeadMeasures::layer, "from 0"), field("head", &HeadMeasures::head, "from 0")},
       measure_fields()});
  return fields;
}

const Fields<LayerMeans>& json_fields(const LayerMeans*) {
  static const Fields<LayerMeans> fields = joined_fields<LayerMeans>(
      {{field("layer", &LayerMeans::layer, "from 0")}, part_fields(&LayerMeans::means, measure_fields())});
  return fields;
}

nlohmann::ordered_json assumptions_json(const std::vector<HeadMeasures>& heads,
                                        const std::vector<StreamStates>& states) {
  return write_json(assumptions(heads, states));
}

nlohmann::ordered_json measures_json(const HeadMeasures& head) { return write_json(head); }

nlohmann::ordered_json layer_means_json(const std::vector<HeadMeasures>& heads) {
  return write_json(layer_means(heads));
}

}  // namespace phasor
