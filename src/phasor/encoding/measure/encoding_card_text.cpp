#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/encoding/measure/mask_text.h"
#include "phasor/encoding/measure/places_picture.h"
#include "phasor/encoding/measure/road.h"
#include "phasor/encoding/syntax/parameter_text.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

constexpr size_t kCardWidth = 100;
constexpr size_t kLabel = 14;  // columns of labels

// A label, and text beside it in as many lines as it takes.
std::string field(std::string_view label, std::string_view text) {
  return fmt::format("{:<{}}{}\n", label, kLabel, wrapped(text, kCardWidth, kLabel));
}

const char* coupling_meaning(Coupling coupling) {
  switch (coupling) {
    case Coupling::none:
      return "position touches no logit";
    case Coupling::row_scale:
      return "a factor by the query's position is on its products with all keys; no key's position enters";
    case Coupling::input:
      return "position is in the embeddings, and every product with them mixes it with content";
    case Coupling::toeplitz_bias:
      return "a number is added by distance, whatever the content";
    case Coupling::hadamard_toeplitz:
      return "factors by distance are multiplied with products of content, channel by channel";
    case Coupling::hadamard:
      return "factors by both positions, not by distance alone, are multiplied with products of content";
    case Coupling::content_rotation:
      return "what tokens choose, angles or matrices, is multiplied with products of content";
    case Coupling::content_bias:
      return "a number is added by what stands between query and key: by content as much as by distance";
    case Coupling::distance_rows:
      return "vectors by distance are multiplied with the content of a query or a key";
  }
  return "";
}

// A name of the formula, or a parameter with its help.
std::string argument_text(const TermArgument& argument, const EncodingEntry& entry) {
  return fmt::format("{}={}", parameter_name(argument, entry), print_expression(argument.value));
}

// What the term is, and the parameters that have a say in it.
std::string term_text(const CardTerm& shown) {
  const Term& term = *shown.term;
  const EncodingEntry& entry = *find_encoding(term.name);
  const std::string label = fmt::format("{:{}}{}", "", 2 * shown.depth, entry.name);
  std::string text = field(label.size() < kLabel ? label : "", entry.summary);
  if (label.size() >= kLabel) text = fmt::format("{}\n{}", label, text);
  text += field("  formula", formula_in_force(term));
  std::string next_label = "  with";
  const auto add = [&](const std::string& line) {
    text += field(next_label, line);
    next_label.clear();
  };
  for (const EncodingParameter& parameter : entry.parameters) {
    const TermValue* value = given_value(term, parameter);
    if (value != nullptr ? std::holds_alternative<QuotedText>(value->content) : !has_say(term, parameter)) {
      if (parameter.kind == EncodingParameter::Kind::formula || value == nullptr) continue;  // the formula shows it
    }
    add(value != nullptr ? fmt::format("{}={}: {}", parameter.name, print_expression(*value), parameter.help)
                         : fmt::format("{}={} (default): {}", parameter.name, default_text(parameter), parameter.help));
  }
  for (const TermArgument& argument : term.arguments) {
    const bool known = std::any_of(entry.parameters.begin(), entry.parameters.end(), [&](const EncodingParameter& it) {
      return it.name == parameter_name(argument, entry);
    });
    if (!known) add(argument_text(argument, entry) + ": a name in the formula");
  }
  return text + field("  paper", fmt::format("{}, {}", entry.paper, entry.year));
}

// The rest that the catalogue says.
std::string more_text(const EncodingEntry& entry) {
  std::string text = fmt::format("\nMore on {}\n", entry.name);
  for (const EncodingParameter& parameter : entry.parameters) {
    text += fmt::format("  {:<24}{}\n", fmt::format("{}={}", parameter.name, default_text(parameter)),
                        wrapped(fmt::format("{} ({})", parameter.help, accepted_text(parameter)), kCardWidth, 26));
  }
  if (!entry.notes.empty()) text += fmt::format("  {}\n", wrapped(entry.notes, kCardWidth, 2));
  return text;
}

std::string start_text(const LearnedParameter& parameter) {
  const InitialValues& initial = parameter.initial;
  std::string text;
  switch (initial.kind) {
    case InitialValues::Kind::constant:
      text = fmt::format("starts at {:.4g}", initial.centre);
      break;
    case InitialValues::Kind::normal:
      text = fmt::format("starts as N({:.4g}, {:.4g}^2)", initial.centre, initial.size);
      break;
    case InitialValues::Kind::uniform:
      text = fmt::format("starts evenly spread from {:.4g} to {:.4g}", initial.centre - initial.size,
                         initial.centre + initial.size);
      break;
    case InitialValues::Kind::values: {
      constexpr size_t kShown = 6;
      const size_t count = std::min(kShown, initial.values.size());
      const auto end = initial.values.begin() + static_cast<std::ptrdiff_t>(count);
      text = fmt::format("starts at {:.4g}{}", fmt::join(initial.values.begin(), end, ", "),
                         initial.values.size() > kShown ? ", ..." : "");
      break;
    }
  }
  const bool low = std::isfinite(parameter.least) && parameter.least > -1e300;
  const bool high = std::isfinite(parameter.most) && parameter.most < 1e300;
  if (low && high) return fmt::format("{}, kept from {:.4g} to {:.4g}", text, parameter.least, parameter.most);
  if (low) return fmt::format("{}, kept at {:.4g} or above", text, parameter.least);
  if (high) return fmt::format("{}, kept at {:.4g} or below", text, parameter.most);
  return text;
}

std::string tensors_text(const ResolvedEncoding& encoding) {
  std::string text;
  for (const TensorGroup& group : tensor_groups(encoding)) {
    const std::string count = group.count > 1 ? fmt::format(" in {} layers", group.count) : "";
    text += field(text.empty() ? "tensors" : "",
                  fmt::format("{} [{}]{}: {}", group.name, fmt::join(group.parameter->shape, ", "), count,
                              start_text(*group.parameter)));
  }
  return text.empty() ? field("tensors", "none of its own") : text;
}

std::string traits_text(const EncodingTraits& traits) {
  const auto word = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format(
      "relative: {}; learned: {}; made for longer sequences: {}; tells positions apart without a mask: {}; goes by the "
      "sequence's length: {}; n-dimensional: {}{}",
      word(traits.exactly_relative), word(traits.learnable), word(traits.extrapolates), word(traits.bidirectional),
      word(traits.depends_on_length), word(traits.n_dimensional),
      traits.masked ? "; some heads see a part of the tokens only" : "");
}

// The first table; those of other layers and heads have the same columns.
std::string pairs_text(const EncodingCard& card) {
  if (card.rotary_pairs.empty()) return "";
  bool learned = false;
  for (const LayerEncoding& layer : card.resolved.layers) {
    for (const auto& rotation : layer.rotation)
      learned = learned || (rotation != nullptr && !rotation->learned.empty());
  }
  std::string text = rotary_pairs_text(card.rotary_pairs.front(), card.resolved, learned ? ", as training starts" : "");
  const size_t more = card.rotary_pairs.size() - 1;
  if (more > 0)
    text += fmt::format("  {} other table{}, of other layers and heads: --json\n", more, more == 1 ? "" : "s");
  return text;
}

bool learned_at(const ResolvedEncoding& encoding, const CodeSite& site) {
  if (site.place == CodeSite::Place::input) return !encoding.input->learned.empty();
  const LayerEncoding& layer = encoding.layers[static_cast<size_t>(site.layer)];
  if (site.place == CodeSite::Place::bias) return !layer.bias->learned.empty();
  return layer.learns(site.head);
}

std::string bounded_text(const Desiderata& d) {
  if (!d.bounded.has_values) return fmt::format("no values beyond: {}", d.bounded.reason);
  if (!d.by_distance) {
    return fmt::format("at twice the {}: largest norm x{:.3g}, largest step x{:.3g}",
                       d.n_dimensional == Fulfilment::pass ? "extents" : "length", d.bounded.norm_ratio,
                       d.bounded.step_ratio);
  }
  const double rise = d.bounded.norm_ratio - 1.0;
  if (rise == 0.0) return "at twice the distance it is never higher than before";
  return fmt::format("at twice the distance it rises by {:.3g} of its range", rise);
}

std::string row_scales_text(const EncodingCard& card) {
  constexpr size_t kMostShown = 4;
  std::string text;
  for (size_t c = 0; c < std::min(kMostShown, card.row_scales.size()); ++c) {
    text += field(c == 0 ? "row scale" : "", row_scale_text(card.row_scales[c]));
  }
  const size_t shown = std::min(kMostShown, card.row_scales.size());
  if (shown < card.row_scales.size()) {
    text += field("", fmt::format("{} more, of other layers and heads: --json", card.row_scales.size() - shown));
  }
  return text;
}

std::string desiderata_text(const Desiderata& d, bool several_heads, bool row_scales) {
  if (d.site.place == CodeSite::Place::none && row_scales) {
    return "\nDesiderata: no position has a code: a factor on a query's logits tells no key from another.\n";
  }
  if (d.site.place == CodeSite::Place::none) {
    return "\nDesiderata: no place holds a position. All positions look alike: not unique; nothing else applies.\n";
  }
  const char* noun = d.by_distance ? "distance" : "position";
  std::string where;
  if (d.site.place != CodeSite::Place::input) {
    where = d.by_distance || !several_heads ? fmt::format(", layer {}", d.site.layer)
                                            : fmt::format(", layer {}, head {}", d.site.layer, d.site.head);
  }
  std::string text =
      fmt::format("\nDesiderata, measured on {} {}s of the {}{}\n", d.positions, noun, place_name(d.site.place), where);
  if (d.by_distance)
    text += "  A bias gives no position a code of its own: codes are what the heads add by distance.\n";
  const auto row = [&text](std::string_view name, Fulfilment verdict, const std::string& what) {
    text += fmt::format("  {:<29}{:<5}{}\n", name, verdict_word(verdict), wrapped(what, kCardWidth, 36));
  };
  const auto number = [&text](std::string_view name, double value, const std::string& what) {
    text += fmt::format("  {:<29}{:<9}{}\n", name, fmt::format("{:.3g}", value), wrapped(what, kCardWidth, 40));
  };
  row(fmt::format("unique per {}", noun), d.unique.verdict,
      fmt::format("nearest codes {:.3g} of their norm apart; {}", d.unique.nearest,
                  d.unique.length_difference <= kSameCode
                      ? "the same at any length"
                      : fmt::format("half the length changes them by {:.3g} of it", d.unique.length_difference)));
  row("shift is linear", d.shift.verdict,
      d.shift.verdict == Fulfilment::not_applicable
          ? std::string("too few positions, or nothing moves")
          : fmt::format("residual {} of one map from each code to the next", residual_text(d.shift.residual)));
  row("sizes stay bounded", d.bounded.verdict, bounded_text(d));
  row("deterministic", d.origin.verdict, std::string(origin_name(d.origin.kind)));
  row("n-dimensional", d.n_dimensional, d.n_dimensional == Fulfilment::pass ? "several coordinates" : "one position");
  number("norm, position over content", d.norm_ratio,
         d.by_distance                            ? "mean size of the bias; content's logits have 1"
         : d.site.place == CodeSite::Place::input ? "mean norm of the term; content is N(0, 1)"
                                                  : "what becomes of a norm of 1");
  number("largest step to a neighbour", d.largest_step,
         fmt::format("over the norm of content; {:.3g} times the mean step", d.unevenness));
  if (d.sides_alike) text += "  Keys ahead of the query look like keys behind it.\n";
  return text;
}

}  // namespace

std::string terms_text(const Encoding& encoding) {
  std::string text;
  for (const CardTerm& term : card_terms(encoding)) text += term_text(term);
  return text;
}

std::string card_text(const EncodingCard& card, const CardText& form) {
  const EncodingShape& shape = card.resolved.shape;
  std::string text = fmt::format("{}\n\n", card.expression);
  text += terms_text(card.encoding) + "\n";
  text += field("class",
                fmt::format("{}: {}", coupling_name(card.traits.coupling), coupling_meaning(card.traits.coupling)));
  text += field("traits", traits_text(card.traits));
  text += field("beyond", fmt::format("the training length: {}", card.beyond));
  text += field("shape", fmt::format("{} layers, {} heads of {} channels, width {}, {} positions{}, {}", shape.layers,
                                     shape.heads, shape.head_width, shape.width, shape.positions,
                                     shape.grid.empty() ? "" : fmt::format(" ({})", fmt::join(shape.grid, " x ")),
                                     shape.causal ? "causal" : "bidirectional"));
  text += places_picture(card.resolved, kLabel, kCardWidth);
  text += row_scales_text(card);
  text += mask_text(card.resolved, kLabel, kCardWidth);
  text += tensors_text(card.resolved);
  text += pairs_text(card);
  for (const KernelCurves& group : card.kernels) {
    const bool learned = learned_at(card.resolved, group.site);
    text += kernel_text(group, {.when = learned ? ", as training starts" : "", .ascii = form.ascii});
  }
  for (const Desiderata& place : card.desiderata)
    text += desiderata_text(place, shape.heads > 1, !card.row_scales.empty());
  if (!card.left_out.empty()) text += fmt::format("\nNot measured\n  {}\n", wrapped(card.left_out, kCardWidth, 2));
  std::vector<std::string> names;
  for (const CardTerm& term : card_terms(card.encoding)) {
    if (std::find(names.begin(), names.end(), term.term->name) == names.end()) names.push_back(term.term->name);
  }
  if (form.all) {
    for (const std::string& name : names) text += more_text(*find_encoding(name));
    return text;
  }
  const std::string hint =
      fmt::format("--all adds every parameter of {}, used here or not, and the notes.", fmt::join(names, ", "));
  return text + fmt::format("\n{}\n", wrapped(hint, kCardWidth));
}

}  // namespace phasor
