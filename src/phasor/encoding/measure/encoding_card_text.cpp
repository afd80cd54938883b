#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/encoding/measure/kernel_plot.h"
#include "phasor/encoding/measure/places_picture.h"
#include "phasor/encoding/measure/road.h"
#include "phasor/encoding/syntax/parameter_text.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

constexpr size_t kCardWidth = 100;
constexpr size_t kLabel = 14;  // columns of labels
constexpr size_t kMostCurves = 6;

// A label, and text beside it in as many lines as it takes.
std::string field(std::string_view label, std::string_view text) {
  return fmt::format("{:<{}}{}\n", label, kLabel, wrapped(text, kCardWidth, kLabel));
}

const char* coupling_meaning(Coupling coupling) {
  switch (coupling) {
    case Coupling::none:
      return "position touches no logit";
    case Coupling::input:
      return "position is in the embeddings, and every product with them mixes it with content";
    case Coupling::toeplitz_bias:
      return "a number is added by distance, whatever the content";
    case Coupling::hadamard_toeplitz:
      return "factors by distance are multiplied with products of content, channel by channel";
  }
  return "";
}

// What the term is, and what was given.
std::string term_text(const CardTerm& shown) {
  const Term& term = *shown.term;
  const EncodingEntry& entry = *find_encoding(term.name);
  const std::string label = fmt::format("{:{}}{}", "", 2 * shown.depth, entry.name);
  std::string text = field(label.size() < kLabel ? label : "", entry.summary);
  if (label.size() >= kLabel) text = fmt::format("{}\n{}", label, text);
  text += field("  formula", entry.formula);
  std::string next_label = "  given";
  for (const TermArgument& argument : term.arguments) {
    const std::string_view name = parameter_name(argument, entry);
    std::string what = "a name in the formula";
    for (const EncodingParameter& parameter : entry.parameters) {
      if (parameter.name != name) continue;
      what =
          parameter.required ? parameter.help : fmt::format("{} (default {})", parameter.help, default_text(parameter));
    }
    text += field(next_label, fmt::format("{}={}: {}", name, print_expression(argument.value), what));
    next_label.clear();
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
      "sequence's length: {}; n-dimensional: {}",
      word(traits.exactly_relative), word(traits.learnable), word(traits.extrapolates), word(traits.bidirectional),
      word(traits.depends_on_length), word(traits.n_dimensional));
}

std::string heads_text(const std::vector<int64_t>& heads) {
  std::vector<IndexRange> ranges;
  ranges.reserve(heads.size());
  for (const int64_t head : heads) ranges.push_back({head, head});
  return fmt::format("{} {}", heads.size() == 1 ? "head" : "heads", print(IndexSet(ranges)));
}

bool learned_at(const ResolvedEncoding& encoding, const CodeSite& site) {
  if (site.place == CodeSite::Place::input) return !encoding.input->learned.empty();
  const LayerEncoding& layer = encoding.layers[static_cast<size_t>(site.layer)];
  if (site.place == CodeSite::Place::bias) return !layer.bias->learned.empty();
  return !layer.rotation[static_cast<size_t>(site.head)]->learned.empty();
}

char mark_of(int64_t head) {
  if (head < 10) return static_cast<char>('0' + head);
  return head < 36 ? static_cast<char>('a' + head - 10) : '*';
}

std::string kernel_title(const KernelCurves& group, bool learned) {
  std::string text = fmt::format("Kernel of the {}", place_name(group.site.place));
  if (group.site.place != CodeSite::Place::input) text += fmt::format(", layer {}", group.site.layer);
  if (group.axis.kind == PositionAxis::Kind::coordinate)
    text += fmt::format(", along coordinate {}", group.axis.coordinate);
  if (learned) text += ", as training starts";
  switch (group.site.place) {
    case CodeSite::Place::input:
      return text + ": <P(i), P(j)> / width";
    case CodeSite::Place::rotation:
    case CodeSite::Place::decoupled:
      return text + ": mean over pairs of Re A(i) B(j)*";
    case CodeSite::Place::bias:
      return text + ": b(i, j), in logits";
    case CodeSite::Place::none:
      break;
  }
  return text;
}

std::string deviation_text(const KernelCurves& group) {
  bool toeplitz = true;
  double deviation = 0.0;
  for (const KernelCurves::Curve& curve : group.curves) {
    toeplitz = toeplitz && curve.kernel.toeplitz();
    deviation = std::max(deviation, curve.kernel.deviation);
  }
  if (toeplitz) return "Toeplitz: the same from every position.";
  const Kernel& kernel = group.curves.front().kernel;
  return fmt::format(
      "Not Toeplitz: seen from position {} (keys ahead: from 0), and from elsewhere different by up to {:.3g}{}.",
      -kernel.first, deviation,
      group.site.place == CodeSite::Place::rotation || group.site.place == CodeSite::Place::decoupled
          ? " for content in one pair"
          : "");
}

std::string kernel_text(const KernelCurves& group, bool learned, bool ascii) {
  std::vector<PlotCurve> curves;
  std::vector<std::string> legend;
  for (size_t k = 0; k < std::min(kMostCurves, group.curves.size()); ++k) {
    const KernelCurves::Curve& curve = group.curves[k];
    const char mark = group.curves.size() == 1 ? '*' : mark_of(curve.heads.front());
    curves.push_back({.mark = mark, .values = curve.kernel.values});
    if (group.curves.size() > 1) legend.push_back(fmt::format("{}: {}", mark, heads_text(curve.heads)));
  }
  if (group.curves.size() > kMostCurves) {
    legend.push_back(fmt::format("not shown: {} more", group.curves.size() - kMostCurves));
  }
  std::string text = fmt::format("\n{}\n", wrapped(kernel_title(group, learned), kCardWidth));
  text += kernel_plot(curves, {.first = group.curves.front().kernel.first, .ascii = ascii});
  const std::string notes =
      fmt::format("distance j - i from query to key{}. {}",
                  legend.empty() ? "" : fmt::format("; {}", fmt::join(legend, ", ")), deviation_text(group));
  return text + fmt::format("{:12}{}\n", "", wrapped(notes, kCardWidth, 12));
}

std::string longer_text(const Desiderata& d) {
  if (!d.longer.has_values) return fmt::format("no values beyond: {}", d.longer.reason);
  if (!d.by_distance) {
    return fmt::format("at twice the {}: largest norm x{:.3g}, largest step x{:.3g}",
                       d.n_dimensional == Fulfilment::pass ? "extents" : "length", d.longer.norm_ratio,
                       d.longer.step_ratio);
  }
  const double rise = d.longer.norm_ratio - 1.0;
  if (rise == 0.0) return "at twice the distance it is never higher than before";
  return fmt::format("at twice the distance it rises by {:.3g} of its range", rise);
}

std::string desiderata_text(const Desiderata& d, bool several_heads) {
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
  row("generalises to longer", d.longer.verdict, longer_text(d));
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

std::string card_text(const EncodingCard& card, bool ascii) {
  const EncodingShape& shape = card.resolved.shape;
  std::string text = fmt::format("{}\n\n", card.expression);
  for (const CardTerm& term : card_terms(card.encoding)) text += term_text(term);
  text += "\n";
  text += field("class",
                fmt::format("{}: {}", coupling_name(card.traits.coupling), coupling_meaning(card.traits.coupling)));
  text += field("traits", traits_text(card.traits));
  text += field("shape", fmt::format("{} layers, {} heads of {} channels, width {}, {} positions{}, {}", shape.layers,
                                     shape.heads, shape.head_width, shape.width, shape.positions,
                                     shape.grid.empty() ? "" : fmt::format(" ({})", fmt::join(shape.grid, " x ")),
                                     shape.causal ? "causal" : "bidirectional"));
  text += places_picture(card.resolved, kLabel, kCardWidth);
  text += tensors_text(card.resolved);
  for (const KernelCurves& group : card.kernels) {
    text += kernel_text(group, learned_at(card.resolved, group.site), ascii);
  }
  for (const Desiderata& place : card.desiderata) text += desiderata_text(place, shape.heads > 1);
  std::set<std::string> entries;
  for (const CardTerm& term : card_terms(card.encoding)) {
    if (entries.insert(term.term->name).second) text += more_text(*find_encoding(term.term->name));
  }
  return text;
}

}  // namespace phasor
