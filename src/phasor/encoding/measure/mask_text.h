#pragma once
// What windows and chunks keep heads from seeing.
#include <cstdint>
#include <optional>
#include <string>

#include "phasor/encoding/resolve/resolved.h"

namespace phasor {

// At most so many tokens back (and, where nothing is causal, ahead) does anything come from within one layer; nothing:
// some head sees all.
std::optional<int64_t> layer_reach(const LayerEncoding& layer);
// And through all layers, each of which reads what the one before has gathered.
std::optional<int64_t> whole_reach(const ResolvedEncoding& encoding);

// A sentence for whoever shows logits, which windows and chunks are left out of; empty where nothing is masked.
std::string unmasked_text(const ResolvedEncoding& encoding);

// Lines for a card, with a label; empty where nothing is masked.
std::string mask_text(const ResolvedEncoding& encoding, size_t label, size_t width);

}  // namespace phasor
