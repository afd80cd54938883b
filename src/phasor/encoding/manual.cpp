#include "phasor/encoding/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/beyond.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/family.h"
#include "phasor/encoding/measure/position_codes.h"
#include "phasor/encoding/measure/road.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/parameter_text.h"

namespace phasor {
namespace {

constexpr size_t kWidth = 120;
constexpr std::string_view kBegin = "<!-- catalogue: made by `phasor encodings --markdown`, not by hand -->\n";
constexpr std::string_view kEnd = "<!-- end of catalogue -->\n";

const char* yes(bool value) { return value ? "yes" : "no"; }

// For a cell of a table.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string places_text(const Encoding& encoding) {
  const ResolvedEncoding resolved = resolve(encoding, usual_shape(encoding));
  std::vector<std::string_view> names;
  for (const CodeSite& site : code_sites(with_values(resolved, initial_values(resolved, 0)))) {
    names.push_back(place_name(site.place));
  }
  if (resolved.layers.front().query_rows != nullptr || resolved.layers.front().key_rows != nullptr) {
    names.emplace_back("distance rows");
  }
  const LayerEncoding& layer = resolved.layers.front();
  if (layer.feature != FeatureMap::none) names.emplace_back("features");
  if (!layer.gates.empty() || layer.token_rotation) names.emplace_back("gates");
  if (layer.row_scale != nullptr) names.emplace_back("scale");
  if (layer.dense != nullptr) names.emplace_back("dense");
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string catalogue_table() {
  std::string text =
      "| name | year | place | class | relative | learned | extrapolates | without a mask | goes by length |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const Encoding encoding = parse_encoding(shown_expression(entry));
    const EncodingTraits traits = EncodingSum(encoding, print(encoding)).traits();
    text += fmt::format("| [`{0}`](#{0}) | {1} | {2} | {3} | {4} | {5} | {6} | {7} | {8} |\n", entry.name, entry.year,
                        places_text(encoding), coupling_name(traits.coupling), yes(traits.exactly_relative),
                        yes(traits.learnable), yes(traits.extrapolates), yes(traits.bidirectional),
                        yes(traits.depends_on_length));
  }
  return text;
}

std::string road_table() {
  std::string heads = "|", rule = "|", rows, meanings;
  for (const RoadColumn& column : road_columns()) {
    heads += fmt::format(" {} |", column.head);
    rule += "---|";
    if (!column.meaning.empty())
      meanings += wrapped(fmt::format("* {}: {}", column.head, column.meaning), kWidth, 2) + "\n";
  }
  for (const RoadStep& step : walk_road()) {
    std::vector<std::string> cells = road_cells(step);
    cells[0] = fmt::format("`{}`", cells[0]);
    rows += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return fmt::format("{}\n{}\n{}\n{}", heads, rule, rows, meanings);
}

std::string parameter_table(const EncodingEntry& entry) {
  if (entry.parameters.empty()) return "";
  std::string text = "| parameter | default | values | |\n|---|---|---|---|\n";
  for (const EncodingParameter& parameter : entry.parameters) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", parameter.name, escaped(default_text(parameter)),
                        escaped(accepted_text(parameter, "`")), escaped(parameter.help));
  }
  return text + "\n";
}

std::string section(const EncodingEntry& entry) {
  std::string text = fmt::format("### {}\n\n", entry.name);
  std::string summary = fmt::format("{}.", entry.summary);
  summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(summary[0])));
  text += fmt::format("{}\n\n    {}\n\n", wrapped(summary, kWidth), wrapped(entry.formula, kWidth, 4));
  if (!entry.example.empty()) text += fmt::format("For example:\n\n    {}\n\n", entry.example);
  text += parameter_table(entry);
  if (!entry.notes.empty()) text += wrapped(entry.notes, kWidth) + "\n\n";
  text += wrapped(fmt::format("Beyond the training length: {}.", beyond_words(entry)), kWidth) + "\n\n";
  return text + wrapped(fmt::format("{}, {}.", entry.paper, entry.year), kWidth) + "\n\n";
}

}  // namespace

std::string manual_catalogue() {
  std::string text = catalogue_table();
  text += "\n### The road to RoPE, measured\n\n";
  text += wrapped(fmt::format("{} `phasor encodings --road` measures it on 128 positions, or 8 x 16, at width 64 with "
                              "4 heads:",
                              road_story()),
                  kWidth);
  text += fmt::format("\n\n{}\n", road_table());
  for (const EncodingEntry& entry : encoding_catalogue()) text += section(entry);
  return text;
}

std::string with_catalogue(std::string_view manual, std::string_view catalogue) {
  const size_t begin = manual.find(kBegin);
  const size_t end = manual.find(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    throw FormatError(fmt::format("no place for the catalogue: a line '{}' and, below, a line '{}' mark it",
                                  kBegin.substr(0, kBegin.size() - 1), kEnd.substr(0, kEnd.size() - 1)));
  }
  return fmt::format("{}\n{}{}", manual.substr(0, begin + kBegin.size()), catalogue, manual.substr(end));
}

}  // namespace phasor
