#include "phasor/encoding/measure/road.h"

#include <fmt/format.h>

#include "phasor/encoding/measure/usual_shape.h"

namespace phasor {
namespace {

constexpr double kRounding = 1e-12;

std::string number_text(double number) { return fmt::format("{:.2g}", number); }

std::string growth_text(const Desiderata::Bounded& bounded) {
  return bounded.has_values ? fmt::format(" x{:.2g}", bounded.norm_ratio) : " values";
}

}  // namespace

std::vector<RoadStep> walk_road() {
  std::vector<RoadStep> steps;
  for (const char* text : {"nope", "integer", "integer(normalised)", "binary", "sinusoidal", "rope", "rope(axes=2)"}) {
    const Encoding encoding = parse_encoding(text);
    steps.push_back(
        {.expression = print(encoding), .measured = measure_desiderata(encoding, usual_shape(encoding)).front()});
  }
  return steps;
}

const std::vector<RoadColumn>& road_columns() {
  static const std::vector<RoadColumn> columns = {
      {"encoding", ""},
      {"unique", "distance of the two most similar codes, over their mean norm; no code may stand for two positions"},
      {"length", "whether a position's code is the same in a sequence of half the length, and by how much not"},
      {"shift", "what one linear map from each code to the next leaves, over the codes' spread"},
      {"bounded", "largest norm of codes beyond the first 128 positions, over the largest before"},
      {"rule", "whether a fixed rule makes the codes, not a table or a draw"},
      {"n-D", "whether it reads several coordinates"},
      {"norm", "mean norm of a code over that of N(0, 1) content; of a rotation, what it makes of a norm of 1"},
      {"step", "largest distance of neighbouring codes, over the norm of content"},
      {"jump", "that distance over the mean one: 1 is smooth"},
  };
  return columns;
}

std::vector<std::string> road_cells(const RoadStep& step) {
  const Desiderata& d = step.measured;
  const auto cell = [](Fulfilment verdict, const std::string& number) {
    return verdict == Fulfilment::not_applicable ? "-" : fmt::format("{}{}", verdict_word(verdict), number);
  };
  const bool none = d.site.place == CodeSite::Place::none;
  const bool unique = d.unique.nearest > kSameCode;
  const bool any_length = d.unique.length_difference <= kSameCode;
  return {step.expression,
          fmt::format("{} {}", unique ? "yes" : "no", number_text(d.unique.nearest)),
          none         ? "-"
          : any_length ? "yes"
                       : fmt::format("no {}", number_text(d.unique.length_difference)),
          cell(d.shift.verdict, fmt::format(" {}", residual_text(d.shift.residual))),
          cell(d.bounded.verdict, growth_text(d.bounded)),
          cell(d.origin.verdict, ""),
          cell(d.n_dimensional, ""),
          none ? "-" : number_text(d.norm_ratio),
          none ? "-" : number_text(d.largest_step),
          none ? "-" : number_text(d.unevenness)};
}

std::string_view road_story() {
  return "Without an encoding all positions look alike. The position itself tells them apart, but drowns the content "
         "and "
         "grows with the length. Divided by the length it stays small, but then a position's code depends on the "
         "length. Bits are bounded and do not, but they jump, and no linear map takes a position to the next. Sines "
         "and cosines are bits made smooth: one linear map shifts them all. They still change what they are added to; "
         "turning queries and keys by the same angles keeps their norms. And channels can be shared out among "
         "coordinates.";
}

std::string_view verdict_word(Fulfilment verdict) {
  switch (verdict) {
    case Fulfilment::pass:
      return "yes";
    case Fulfilment::fail:
      return "no";
    case Fulfilment::not_applicable:
      return "-";
  }
  return "-";
}

std::string residual_text(double residual) { return residual < kRounding ? "<1e-12" : fmt::format("{:.2g}", residual); }

}  // namespace phasor
