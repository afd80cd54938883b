#include "phasor/encoding/measure/mask_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/syntax/index_set.h"

namespace phasor {
namespace {

// Nothing: all tokens.
std::optional<int64_t> reach_of(const HeadMask& mask) {
  if (!mask.any()) return std::nullopt;
  if (mask.chunk == 0) return mask.window - 1;
  return (mask.window == 0 ? mask.chunk : std::min(mask.window, mask.chunk)) - 1;
}

std::string tokens_text(int64_t count) { return fmt::format("{} token{}", count, count == 1 ? "" : "s"); }

std::string what_it_sees(const HeadMask& mask, bool causal) {
  std::string text;
  if (mask.window > 0) {
    text = fmt::format("window of {}, at most {} {} a layer", tokens_text(mask.window), mask.window - 1,
                       causal ? "back" : "to either side");
  }
  if (mask.chunk > 0) {
    text += fmt::format("{}chunks of {}, nothing of another chunk", text.empty() ? "" : "; ", tokens_text(mask.chunk));
  }
  return text;
}

// "heads 0-1: window of ...", for each mask that a layer has.
std::string layer_text(const LayerEncoding& layer, bool causal) {
  std::vector<HeadMask> known;
  std::string text;
  for (const HeadMask& mask : layer.masks) {
    if (!mask.any() || std::find(known.begin(), known.end(), mask) != known.end()) continue;
    known.push_back(mask);
    std::vector<IndexRange> heads;
    for (size_t h = 0; h < layer.masks.size(); ++h) {
      if (layer.masks[h] == mask) heads.push_back({static_cast<int64_t>(h), static_cast<int64_t>(h)});
    }
    const bool all = heads.size() == layer.masks.size();
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        all ? "" : fmt::format("heads {}: ", print(IndexSet(std::move(heads)))),
                        what_it_sees(mask, causal));
  }
  return text;
}

// Where every head of every layer has chunks of one length, nothing crosses their ends.
bool cut_for_good(const ResolvedEncoding& encoding) {
  const int64_t chunk = encoding.layers.front().masks.front().chunk;
  return chunk > 0 && std::all_of(encoding.layers.begin(), encoding.layers.end(), [chunk](const LayerEncoding& layer) {
           return std::all_of(layer.masks.begin(), layer.masks.end(),
                              [chunk](const HeadMask& mask) { return mask.chunk == chunk; });
         });
}

}  // namespace

std::optional<int64_t> layer_reach(const LayerEncoding& layer) {
  int64_t farthest = 0;
  for (const HeadMask& mask : layer.masks) {
    const std::optional<int64_t> reach = reach_of(mask);
    if (!reach) return std::nullopt;
    farthest = std::max(farthest, *reach);
  }
  return farthest;
}

std::optional<int64_t> whole_reach(const ResolvedEncoding& encoding) {
  int64_t sum = 0;
  for (const LayerEncoding& layer : encoding.layers) {
    const std::optional<int64_t> reach = layer_reach(layer);
    if (!reach) return std::nullopt;
    sum += *reach;
  }
  return sum;
}

std::string unmasked_text(const ResolvedEncoding& encoding) {
  const bool masked = std::any_of(encoding.layers.begin(), encoding.layers.end(), [](const LayerEncoding& layer) {
    return std::any_of(layer.masks.begin(), layer.masks.end(), [](const HeadMask& mask) { return mask.any(); });
  });
  return masked ? "windows and chunks are not applied: these are the logits of every key" : "";
}

std::string mask_text(const ResolvedEncoding& encoding, size_t label, size_t width) {
  std::string text;
  const bool causal = encoding.shape.causal;
  const auto add = [&](const std::string& line) {
    text += fmt::format("{:<{}}{}\n", text.empty() ? "masks" : "", label, wrapped(line, width, label));
  };
  const int64_t layers = encoding.shape.layers;
  for (int64_t first = 0, end = 0; first < layers; first = end) {
    const std::string line = layer_text(encoding.layers[static_cast<size_t>(first)], causal);
    for (end = first + 1; end < layers; ++end) {
      if (layer_text(encoding.layers[static_cast<size_t>(end)], causal) != line) break;
    }
    if (line.empty()) continue;
    const std::string where =
        end - first == 1 ? fmt::format("layer {}", first) : fmt::format("layers {}-{}", first, end - 1);
    add(fmt::format("{}: {}", where, line));
  }
  if (text.empty()) return text;
  if (const std::optional<int64_t> reach = whole_reach(encoding)) {
    add(fmt::format("through all {} layer{} together: at most {} {}{}", layers, layers == 1 ? "" : "s",
                    tokens_text(*reach), causal ? "back" : "to either side",
                    cut_for_good(encoding) ? ", and nothing from another chunk" : ""));
  } else {
    add("some head sees every token, so all layers together reach everything");
  }
  return text;
}

}  // namespace phasor
