#pragma once
// A checksum inside the file that it is about. The rule, for JSON and for safetensors alike: the file has a member
// "xxh64" whose value is the XXH64 of all its bytes, with the sixteen digits themselves taken as zeros.
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/file.h"

namespace phasor {

inline constexpr std::string_view kSealKey = "xxh64";

// The text of a JSON object (as dump() or dump(2) gives it) with a checksum as its last member.
std::string sealed(std::string text);

// Where the sixteen digits of the last member "xxh64" stand in JSON text; nothing where there are none.
std::optional<size_t> find_seal(std::string_view text);

// Of a file's bytes before the sixteen digits and after them.
std::string seal_digits(const std::vector<std::span<const std::byte>>& before,
                        const std::vector<std::span<const std::byte>>& after);

// Throws FormatError, starting with `source`, where the text is not what was sealed. False where it has no checksum.
bool check_seal(std::string_view text, std::string_view source);

// Tells, once, that files without checksum were read: those of older versions.
void notice_unsealed(std::string_view source);

// read(text) of a file that phasor wrote, after check_seal().
template <class Read>
auto read_sealed_file(const std::filesystem::path& path, const Read& read) {
  const std::string text = read_file(path);
  const std::string source = fmt::format("'{}'", path.string());
  const bool is_sealed = check_seal(text, source);
  auto value = read(text);
  if (!is_sealed) notice_unsealed(source);  // not before it is known to be such a file at all
  return value;
}

// What check_seal() says of a file that is not what was written.
[[noreturn]] void fail_broken_seal(std::string_view source);

}  // namespace phasor
