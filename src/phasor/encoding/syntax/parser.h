#pragma once
// From text to tree, by the grammar of docs/encodings.md. Names and arguments are not looked up here.
#include <string_view>

#include "phasor/encoding/syntax/expression.h"

namespace phasor {

inline constexpr size_t kLongestExpression = 4096;  // characters
inline constexpr int kDeepestExpression = 16;       // parentheses within parentheses
inline constexpr int64_t kLargestMask = 1048576;    // tokens of a window or a chunk
inline constexpr int64_t kLargestIndex = 65535;     // of a head or a layer

// Throws EncodingError.
Encoding parse_expression(std::string_view text);

}  // namespace phasor
