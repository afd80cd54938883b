#pragma once
// Ways to take something out of an attention head. All act on z, the head's output at the input of W_O: what a method
// puts in place of z is all that the rest of the model sees of the head.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

enum class AblationMethod : uint8_t {
  zero,           // z = 0
  mean,           // the head's mean over tokens of the other samples
  position_mean,  // its mean over the other samples at the same index: what the place alone predicts stays
  resample,       // z at the same index of another sample
  // The head attends again, with other logits and the same values.
  // Without angles, bias, windows and the positional part of queries and keys: content logits stay, and a causal mask.
  position_off,
  position_shuffled,  // with every token at the place of another token of its sequence
  content_off,        // with the positional part of queries and keys alone: what tokens say is lost
};

std::string_view name(AblationMethod method);
std::string_view meaning(AblationMethod method);  // in half a line
std::vector<AblationMethod> all_methods();

// "zero,position_off" or "all". Throws UsageError for an unknown or repeated name.
std::vector<AblationMethod> parse_methods(const std::string& text);

}  // namespace phasor
