#pragma once
// A trained model under another encoding than the one it was trained with: what becomes of its trained numbers.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/model/parameters.h"

namespace phasor {

// An expression for sequences that are `factor` times as long as training's: {length} stands for that number, {trained}
// for the longest sequence of training, in tokens. Throws UsageError for other words in braces.
std::string encoding_at_length(std::string_view expression, double factor, int64_t trained);
// It has {length}, and so is another encoding at every length.
bool goes_by_length(std::string_view expression);

// Tensors of the encodings, by name.
struct EncodingSwap {
  std::string from, to;
  std::vector<std::string> kept;     // both have them
  std::vector<std::string> dropped;  // trained numbers that the new encoding has no use for
  std::vector<std::string> added;    // the new one's that were never trained
  // Of those kept: the new encoding would start them elsewhere, which trained numbers take no notice of.
  std::vector<std::string> overruled;
};

// A model's encoding with the layout of its parameters.
struct EncodedLayout {
  const ResolvedEncoding& encoding;
  const ParameterLayout& layout;
};

// Throws UsageError, naming a tensor, where the trained weights do not fit: another shape, other heads, or projections
// that the model does not have.
EncodingSwap compare_layouts(const EncodedLayout& trained, const EncodedLayout& other);

// Throws UsageError, naming them, where the swap needs numbers that were never trained. `run` is the folder, for the
// command that would train them.
void require_trained(const EncodingSwap& swap, const std::string& run);

// Parameters for `other`: trained ones by name, all else as in `start`.
std::vector<float> carried_parameters(const ParameterLayout& trained, const std::vector<float>& values,
                                      const ParameterLayout& other, std::vector<float> start);

// "drops what the run had trained: ...", sentences; empty where every number is kept and none is new.
std::vector<std::string> swap_notes(const EncodingSwap& swap);

}  // namespace phasor
