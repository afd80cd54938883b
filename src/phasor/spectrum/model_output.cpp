#include "phasor/spectrum/model_output.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/spectrum/head_summary.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

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
    {"inter.", [](const HeadMeasures& m) { return m.interaction; }},
};

std::string shown_measure(double value) {
  const double size = std::abs(value);
  if (!(size < 99999.5)) return fmt::format("{:.0e}", value);
  return fmt::format("{:.{}f}", value, size >= 1000.0 ? 0 : size >= 100.0 ? 1 : size >= 10.0 ? 2 : 3);
}

// Means of all numbers over the heads of a layer.
std::vector<HeadMeasures> layer_means(const std::vector<HeadMeasures>& heads) {
  std::vector<HeadMeasures> layers;
  std::vector<double> counts;
  for (const HeadMeasures& head : heads) {
    if (layers.empty() || layers.back().layer != head.layer) {
      HeadMeasures zero;
      zero.contraction = zero.bias_expansion = 0.0;
      zero.layer = head.layer;
      layers.push_back(zero);
      counts.push_back(0.0);
    }
    HeadMeasures& sum = layers.back();
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
    sum.shares.decoupled += head.shares.decoupled;
  }
  for (size_t l = 0; l < layers.size(); ++l) {
    HeadMeasures& m = layers[l];
    for (double* value : {&m.spectral_norm, &m.stable_rank, &m.effective_rank, &m.participation_ratio, &m.contraction,
                          &m.bias_expansion, &m.relative_r2, &m.position_toeplitz, &m.interaction,
                          &m.shares.content_content, &m.shares.content_position, &m.shares.position_content,
                          &m.shares.position_position, &m.shares.bias, &m.shares.decoupled}) {
      *value /= counts[l];
    }
  }
  return layers;
}

Json numbers_json(const HeadMeasures& m) {
  return {{"spectral_norm", m.spectral_norm},
          {"stable_rank", m.stable_rank},
          {"effective_rank", m.effective_rank},
          {"participation_ratio", m.participation_ratio},
          {"contraction", m.contraction},
          {"bias_expansion", m.bias_expansion},
          {"relative_r2", m.relative_r2},
          {"position_toeplitz", m.position_toeplitz},
          {"interaction", m.interaction},
          {"shares",
           {{"content_content", m.shares.content_content},
            {"content_position", m.shares.content_position},
            {"position_content", m.shares.position_content},
            {"position_position", m.shares.position_position},
            {"bias", m.shares.bias},
            {"decoupled", m.shares.decoupled}}}};
}

Spread over_heads(const std::vector<HeadMeasures>& heads, double (*value)(const HeadMeasures&)) {
  Spread result;
  for (const HeadMeasures& head : heads) result.add(value(head));
  return result;
}

std::string range_text(const Spread& spread) {
  return fmt::format("{} ({} to {})", shown_measure(spread.mean), shown_measure(spread.least),
                     shown_measure(spread.most));
}

Json range_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"least", spread.least}, {"most", spread.most}};
}

double interaction(const HeadMeasures& m) { return m.interaction; }
double mixed(const HeadMeasures& m) { return m.shares.mixed(); }
double positional(const HeadMeasures& m) { return m.shares.positional(); }
double toeplitz(const HeadMeasures& m) { return m.position_toeplitz; }

std::string row_text(const std::string& label, const HeadMeasures& measures) {
  std::string text = fmt::format("{:>6}", label);
  for (const Column& column : kMeasureColumns) text += fmt::format(" {:>6}", shown_measure(column.value(measures)));
  text += "\n";
  return text;
}

}  // namespace

std::string measures_table(const std::vector<HeadMeasures>& heads) {
  std::string text = fmt::format("{:>6}", "head");
  for (const Column& column : kMeasureColumns) text += fmt::format(" {:>6}", column.title);
  text += "\n";
  for (const HeadMeasures& head : heads) text += row_text(fmt::format("{}.{}", head.layer, head.head), head);
  for (const HeadMeasures& layer : layer_means(heads)) text += row_text(fmt::format("mean {}", layer.layer), layer);
  return text;
}

const char* measures_legend() {
  return "\nsigma1: spectral norm; stable, eff.: stable and effective rank; contr.: sigma1 over that with all\n"
         "angles at zero; bias x: sigma1 with over without the bias; R2_rel: of the logits, by distance,\n"
         "beside a constant per query; T(Gpp): the same of the positional Gram; cont., mixed, pos., bias:\n"
         "shares of the logits' variance; inter.: share that content and offset have only together.\n";
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

Json assumptions_json(const std::vector<HeadMeasures>& heads, const std::vector<StreamStates>& states) {
  const auto shares = [](const AdditiveStates& s) -> Json {
    if (!s.defined) return nullptr;
    return {{"token", s.token},
            {"position", s.position},
            {"interaction", s.interaction},
            {"interaction_deviation", s.interaction_deviation},
            {"context", s.context},
            {"rows", s.used_rows},
            {"cells", s.cells}};
  };
  Json streams = Json::array();
  for (const StreamStates& state : states) {
    streams.push_back({{"layer", state.layer}, {"stream", shares(state.stream)}, {"normed", shares(state.normed)}});
  }
  return {{"states", streams},
          {"interaction", range_json(over_heads(heads, interaction))},
          {"mixed", range_json(over_heads(heads, mixed))},
          {"positional", range_json(over_heads(heads, positional))},
          {"position_toeplitz", range_json(over_heads(heads, toeplitz))}};
}

Json measures_json(const HeadMeasures& head) {
  Json json = {{"layer", head.layer}, {"head", head.head}};
  json.update(numbers_json(head));
  return json;
}

Json layer_means_json(const std::vector<HeadMeasures>& heads) {
  Json json = Json::array();
  for (const HeadMeasures& layer : layer_means(heads)) {
    Json row = {{"layer", layer.layer}};
    row.update(numbers_json(layer));
    json.push_back(row);
  }
  return json;
}

}  // namespace phasor
