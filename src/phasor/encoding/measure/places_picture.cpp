#include "phasor/encoding/measure/places_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/measure/position_codes.h"
#include "phasor/encoding/measure/row_scale_curves.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/index_set.h"

namespace phasor {
namespace {

constexpr int64_t kMostColumns = 16;  // heads that are drawn one by one

std::string positions_text(const ResolvedEncoding& encoding) {
  std::vector<std::string> axes;
  for (const PositionAxis& axis : encoding.axes) {
    switch (axis.kind) {
      case PositionAxis::Kind::index:
        axes.push_back(fmt::format("the token's index, 0 to {}", axis.extent - 1));
        break;
      case PositionAxis::Kind::randomized:
        axes.push_back(fmt::format("drawn in order from 0 to {}", axis.extent - 1));
        break;
      case PositionAxis::Kind::scattered:
        axes.push_back(fmt::format("the indices 0 to {} in a random order", axis.extent - 1));
        break;
      case PositionAxis::Kind::segment:
        axes.push_back(fmt::format("the number of the token's segment, 0 to {}", axis.extent - 1));
        break;
      case PositionAxis::Kind::offset:
        axes.push_back(fmt::format("the token's offset within its segment, 0 to {}", axis.extent - 1));
        break;
      case PositionAxis::Kind::coordinate:
        axes.push_back(fmt::format("coordinate {}, 0 to {}", axis.coordinate, axis.extent - 1));
        break;
    }
  }
  return fmt::format("{}", fmt::join(axes, "; "));
}

std::string input_text(const ResolvedEncoding& encoding) {
  const int64_t own = encoding.shape.width - encoding.embedding_width;
  std::string text = own == 0 ? "added to the embeddings"
                              : fmt::format("in {} of {} channels, tokens have the others", own, encoding.shape.width);
  if (encoding.input->per_length) text += "; a table for each length";
  return text;
}

// Of the first layer that has them.
std::string latents_text(const ResolvedEncoding& encoding) {
  for (const LayerEncoding& layer : encoding.layers) {
    if (!layer.decoupled) continue;
    const DecoupledPath& path = *layer.decoupled;
    return fmt::format("keys and values from {} channels, queries from {}; {} rotary channels{}", path.key_latent,
                       path.query_latent, path.rotary,
                       path.rotary == 0    ? ""
                       : path.shared_query ? ", one query and key for all heads"
                                           : ", keys shared by all heads");
  }
  return "";
}

bool is_gated(const LayerEncoding& layer, int64_t head) {
  return std::any_of(layer.gates.begin(), layer.gates.end(), [head](const GateTerm& gates) {
    return std::find(gates.heads.begin(), gates.heads.end(), head) != gates.heads.end();
  });
}

bool is_turned_by_tokens(const LayerEncoding& layer, int64_t head) {
  if (!layer.token_rotation) return false;
  const std::vector<int64_t>& heads = layer.token_rotation->heads;
  return std::find(heads.begin(), heads.end(), head) != heads.end();
}

// Whether a head has rows: those of heads that a term was not given to are zeros.
bool has_rows(const RowTerm* rows, int64_t head, int64_t width) {
  if (rows == nullptr) return false;
  const int64_t first = rows->fixed.columns > width ? head * width : 0;
  for (int64_t r = 0; r < rows->fixed.rows; ++r) {
    for (int64_t c = first; c < first + width; ++c) {
      if (rows->fixed(r, c) != 0.0) return true;
    }
  }
  return false;
}

// What a head has, as letters.
std::string letters(const ResolvedEncoding& started, int64_t layer, int64_t head) {
  std::string result;
  for (const CodeSite& site : code_sites(started, layer, head)) {
    if (site.place == CodeSite::Place::rotation) result += 'R';
    if (site.place == CodeSite::Place::decoupled) result += 'D';
    if (site.place == CodeSite::Place::bias) result += 'B';
  }
  const LayerEncoding& places = started.layers[static_cast<size_t>(layer)];
  if (has_rows(places.query_rows.get(), head, started.shape.head_width)) result += 'E';
  if (has_rows(places.key_rows.get(), head, started.shape.head_width)) result += 'P';
  if (places.decoupled && result.find('D') == std::string::npos) result += 'L';
  if (is_gated(places, head)) result += 'G';
  if (is_turned_by_tokens(places, head)) result += 'T';
  if (places.scale[static_cast<size_t>(head)] != 1.0) result += 'S';
  if (has_row_scale(started, layer, head)) result += 'Q';
  if (places.masks[static_cast<size_t>(head)].window > 0) result += 'W';
  if (places.masks[static_cast<size_t>(head)].chunk > 0) result += 'C';
  if (places.sink != nullptr && std::isfinite(places.sink->fixed(0, head))) result += 'K';
  if (places.feature != FeatureMap::none) result += 'F';
  if (places.dense != nullptr && places.dense->has(head)) {
    result += places.dense->positions() != nullptr ? 'N' : places.dense->reflections() != nullptr ? 'H' : 'X';
  }
  return result.empty() ? "." : result;
}

std::string meaning(const std::string& all_letters) {
  const std::map<char, std::string> meanings = {{'R', "rotation"},
                                                {'B', "distance bias"},
                                                {'D', "rotated channels of their own, latents"},
                                                {'G', "gates of tokens, not in what is measured"},
                                                {'T', "rotation by tokens, not in what is measured"},
                                                {'L', "latents without position"},
                                                {'E', "distance rows that queries are multiplied with"},
                                                {'P', "distance rows that keys are multiplied with"},
                                                {'S', "scale"},
                                                {'Q', "scale by the query's position or the length"},
                                                {'W', "window"},
                                                {'C', "chunk"},
                                                {'K', "sink"},
                                                {'F', "features of queries and keys"},
                                                {'N', "positions by gates of the query, not in what is measured"},
                                                {'H', "reflections by tokens, not in what is measured"},
                                                {'X', "another rotation for far keys"},
                                                {'.', "nothing"}};
  std::vector<std::string> result;
  for (const auto& [letter, text] : meanings) {
    if (all_letters.find(letter) != std::string::npos) result.push_back(fmt::format("{} {}", letter, text));
  }
  return fmt::format("{}", fmt::join(result, ", "));
}

// Neighbours that are equal, as ranges.
template <class Item>
std::vector<IndexRange> runs(const std::vector<Item>& items) {
  std::vector<IndexRange> result;
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t index = static_cast<int64_t>(i);
    if (i > 0 && items[i] == items[i - 1]) {
      result.back().last = index;
    } else {
      result.push_back({index, index});
    }
  }
  return result;
}

std::string range_text(const IndexRange& range) {
  return range.first == range.last ? fmt::format("{}", range.first) : fmt::format("{}-{}", range.first, range.last);
}

}  // namespace

std::string places_picture(const ResolvedEncoding& encoding, size_t label, size_t width) {
  const auto field = [&](std::string_view name, std::string_view text) {
    return fmt::format("{:<{}}{}\n", name, label, wrapped(text, width, label));
  };
  const ResolvedEncoding started = with_values(encoding, initial_values(encoding, 0));
  std::vector<std::vector<std::string>> grid;  // [layers][heads]
  std::string used;
  for (int64_t layer = 0; layer < encoding.shape.layers; ++layer) {
    grid.emplace_back();
    for (int64_t head = 0; head < encoding.shape.heads; ++head) {
      grid.back().push_back(letters(started, layer, head));
      used += grid.back().back();
    }
  }
  std::string text = field("positions", positions_text(encoding));
  if (encoding.input) text += field("input term", input_text(encoding));
  if (const std::string latents = latents_text(encoding); !latents.empty()) text += field("latents", latents);
  if (used.find_first_not_of('.') == std::string::npos) {
    if (!encoding.input) text += field("places", "none is filled");
    return text;
  }
  // Columns are heads, or runs of heads that are alike in all layers.
  std::vector<std::vector<std::string>> by_head(static_cast<size_t>(encoding.shape.heads));
  for (const auto& row : grid) {
    for (size_t head = 0; head < row.size(); ++head) by_head[head].push_back(row[head]);
  }
  std::vector<IndexRange> columns = runs(by_head);
  if (encoding.shape.heads <= kMostColumns) {
    columns.clear();
    for (int64_t head = 0; head < encoding.shape.heads; ++head) columns.push_back({head, head});
  }
  std::string line = fmt::format("{:<{}}{:<14}", "places", label, "head");
  size_t cell = 4;
  for (const IndexRange& column : columns) cell = std::max(cell, range_text(column).size() + 2);
  for (const auto& row : grid) {
    for (const std::string& head_letters : row) cell = std::max(cell, head_letters.size() + 1);
  }
  for (const IndexRange& column : columns) line += fmt::format("{:<{}}", range_text(column), cell);
  text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  for (const IndexRange& rows : runs(grid)) {
    line = fmt::format("{:{}}{:<14}", "", label, fmt::format("layer {}", range_text(rows)));
    for (const IndexRange& column : columns) {
      line += fmt::format("{:<{}}", grid[static_cast<size_t>(rows.first)][static_cast<size_t>(column.first)], cell);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + field("", meaning(used));
}

}  // namespace phasor
