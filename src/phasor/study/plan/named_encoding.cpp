#include "phasor/study/plan/named_encoding.h"

#include "phasor/base/error.h"
#include "phasor/base/shown_text.h"
#include "phasor/base/utf8.h"

namespace phasor {
namespace {

std::string_view without_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// The '=' behind a name; npos where there is none.
size_t separator(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (c == '=' && depth == 0) return i;
  }
  return std::string_view::npos;
}

bool has_control(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(first_code_point(text).bytes)) {
    if (is_control(first_code_point(text).value)) return true;
  }
  return false;
}

}  // namespace

NamedEncoding parse_named_encoding(std::string_view text) {
  const size_t equals = separator(text);
  if (equals == std::string_view::npos) {
    const std::string_view expression = without_blanks(text);
    if (expression.empty()) fail_usage("an encoding is empty; for example rope, or mine=bias(\"-abs(d)/8\")");
    return {.name = "", .expression = std::string(expression)};
  }
  NamedEncoding named{.name = std::string(without_blanks(text.substr(0, equals))),
                      .expression = std::string(without_blanks(text.substr(equals + 1)))};
  check_name(named.name, named.expression);
  if (named.expression.empty()) {
    fail_usage("'{}=' names an encoding, but none follows; for example mine=bias(\"-abs(d)/8\")", named.name);
  }
  if (separator(named.expression) != std::string_view::npos) {
    fail_usage("'{}': a name with '=' goes into a study file, as {{\"name\": ..., \"expression\": ...}}",
               shown_text(text));
  }
  return named;
}

void check_name(std::string_view name, std::string_view expression) {
  const std::string owner = shown_text(expression);
  if (without_blanks(name).empty()) fail_usage("the name of the encoding '{}' is empty", owner);
  if (!is_utf8(name)) fail_usage("the name '{}' of the encoding '{}' is not UTF-8", shown_text(name), owner);
  if (has_control(name)) {
    fail_usage("the name '{}' of the encoding '{}' has a control character", shown_text(name), owner);
  }
  if (const size_t length = count_code_points(name); length > kLongestName) {
    fail_usage("the name of the encoding '{}' has {} characters; the most is {}", owner, length, kLongestName);
  }
}

}  // namespace phasor
