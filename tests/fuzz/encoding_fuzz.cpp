// Any text is either refused with a UsageError or read; what was read prints to a text that reads back
// equal and prints the same, and resolves for a small model or is refused with a UsageError again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/parser.h"
#include "phasor/encoding/printer.h"

namespace {

void require(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "encoding_fuzz: %s: '%.*s'\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

// By the grammar alone, so that names and nestings that no entry takes are covered too.
void check_syntax(std::string_view text) {
  std::optional<phasor::Encoding> tree;
  try {
    tree = phasor::parse_expression(text);
  } catch (const phasor::UsageError&) {
    return;
  }
  const std::string printed = phasor::print_expression(*tree);
  if (printed.size() > phasor::kLongestExpression) return;
  require(phasor::parse_expression(printed) == *tree, "the tree changed on its way through text", printed);
}

void check_catalogue(std::string_view text) {
  std::optional<phasor::Encoding> encoding;
  try {
    encoding = phasor::parse_encoding(text);
  } catch (const phasor::UsageError&) {
    return;
  }
  const std::string printed = phasor::print(*encoding);
  const phasor::Encoding again = phasor::parse_encoding(printed);
  require(again == *encoding, "the encoding changed on its way through text", printed);
  require(phasor::print(again) == printed, "the canonical text has another canonical text", printed);
  const phasor::EncodingShape shape{.layers = 2, .heads = 3, .head_width = 4, .width = 12, .positions = 5};
  try {
    const phasor::ResolvedEncoding resolved = phasor::resolve(again, shape);
    require(resolved.expression == printed, "resolving changed the text", printed);
  } catch (const phasor::UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  check_syntax(text);
  check_catalogue(text);
  return 0;
}
