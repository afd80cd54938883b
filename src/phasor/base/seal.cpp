#include "phasor/base/seal.h"

#include <fmt/format.h>

#include <atomic>

#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"
#include "phasor/base/notice.h"

namespace phasor {
namespace {

constexpr std::string_view kZeros = "0000000000000000";
static_assert(kZeros.size() == kHashDigits);

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

size_t after_spaces(std::string_view text, size_t at) {
  const size_t found = text.find_first_not_of(" \n\t\r", at);
  return found == std::string_view::npos ? text.size() : found;
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string seal_of(std::string_view text, size_t digits) {
  return seal_digits({bytes_of(text.substr(0, digits))}, {bytes_of(text.substr(digits + kHashDigits))});
}

}  // namespace

std::string seal_digits(const std::vector<std::span<const std::byte>>& before,
                        const std::vector<std::span<const std::byte>>& after) {
  ContentHash hash;
  for (const std::span<const std::byte> bytes : before) hash.add(bytes);
  hash.add(kZeros);
  for (const std::span<const std::byte> bytes : after) hash.add(bytes);
  return hash.digits();
}

std::string sealed(std::string text) {
  const size_t end = text.rfind('}');
  if (end == std::string::npos || end == 0) fail("only the text of a JSON object can be sealed");
  const bool indented = text[end - 1] == '\n';
  const size_t last = text.find_last_not_of(" \n", end - 1);
  const std::string_view comma = text[last] == '{' ? "" : ",";
  const std::string member = indented ? fmt::format("{}\n  \"{}\": \"{}\"\n", comma, kSealKey, kZeros)
                                      : fmt::format("{}\"{}\":\"{}\"", comma, kSealKey, kZeros);
  text = text.substr(0, last + 1) + member + text.substr(end);
  const size_t digits = *find_seal(text);
  return text.replace(digits, kHashDigits, seal_of(text, digits));
}

std::optional<size_t> find_seal(std::string_view text) {
  const std::string key = fmt::format("\"{}\"", kSealKey);
  const size_t found = text.rfind(key);
  if (found == std::string_view::npos) return std::nullopt;
  const size_t colon = after_spaces(text, found + key.size());
  if (colon >= text.size() || text[colon] != ':') return std::nullopt;
  const size_t quote = after_spaces(text, colon + 1);
  const size_t digits = quote + 1;
  if (digits + kHashDigits >= text.size() || text[quote] != '"' || text[digits + kHashDigits] != '"') {
    return std::nullopt;
  }
  for (const char c : text.substr(digits, kHashDigits)) {
    if (!is_digit(c)) return std::nullopt;
  }
  return digits;
}

bool check_seal(std::string_view text, std::string_view source) {
  const std::optional<size_t> digits = find_seal(text);
  // A member of that name that holds something else was one of sixteen digits once.
  if (!digits && text.find(fmt::format("\"{}\"", kSealKey)) != std::string_view::npos) fail_broken_seal(source);
  if (digits && text.substr(*digits, kHashDigits) != seal_of(text, *digits)) fail_broken_seal(source);
  return digits.has_value();
}

void notice_unsealed(std::string_view source) {
  static std::atomic<bool> told = false;
  if (told.exchange(true)) return;
  notice(
      fmt::format("{} was written by an older version, without a checksum: damage to it, or to others like it, "
                  "might not be noticed",
                  source));
}

void fail_broken_seal(std::string_view source) {
  throw FormatError(
      fmt::format("{} does not match its checksum: it was damaged, or changed by something other than phasor", source));
}

}  // namespace phasor
