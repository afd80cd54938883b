#pragma once
// The JSON header of a safetensors file.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/checkpoint/safetensors.h"

namespace phasor {

inline constexpr uint64_t kHeaderLengthBytes = 8;             // a little-endian integer before the header
inline constexpr uint64_t kMaximalHeaderBytes = 100'000'000;  // as the format's reference reader
inline constexpr std::string_view kMetadataKey = "__metadata__";

struct SafetensorsHeader {
  std::map<std::string, TensorInfo, std::less<>> tensors;
  TextMap metadata;
};

// Reads a header that `data_bytes` of data follow, and checks that the tensors cover these exactly.
SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes, std::string_view source);

// The bytes that a tensor takes, or nothing when an extent is negative or the product, with extents
// of 0 counted as 1, leaves int64.
std::optional<uint64_t> tensor_bytes(StoredDtype dtype, const TensorShape& shape);

// Text from a file, made fit for one line on a terminal: control characters replaced, long text cut.
std::string printable(std::string_view text);

std::string shape_text(const TensorShape& shape);  // "[2, 3]"

// Throws "'source': at byte 8: ...".
template <class... Args>
[[noreturn]] void fail_format(std::string_view source, uint64_t offset, fmt::format_string<Args...> text,
                              Args&&... args) {
  throw FormatError(
      fmt::format("'{}': at byte {}: {}", source, offset, fmt::format(text, std::forward<Args>(args)...)));
}

}  // namespace phasor
