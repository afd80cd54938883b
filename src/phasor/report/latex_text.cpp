#include "phasor/report/latex_text.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>

namespace phasor {
namespace {

constexpr uint32_t kBroken = 0xFFFFFFFFu;
constexpr size_t kLongestKey = 32;
constexpr size_t kLongestWord = 12;  // characters of code that nothing breaks

struct Character {
  uint32_t code = kBroken;
  std::string_view bytes;
};

// At the front of UTF-8 text that is not empty; kBroken for a byte that starts none.
Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t size = lead < 0x80u ? 1 : (lead >> 5u) == 6u ? 2 : (lead >> 4u) == 14u ? 3 : (lead >> 3u) == 30u ? 4 : 0;
  if (size == 0 || size > text.size()) return {kBroken, text.substr(0, 1)};
  uint32_t code = size == 1 ? lead : lead & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) >> 6u) != 2u) return {kBroken, text.substr(0, 1)};
    code = (code << 6u) | (byte(i) & 0x3Fu);
  }
  return {code, text.substr(0, size)};
}

// Nothing to see, but it changes what is around it.
bool is_control(uint32_t code) {
  return code < 0x20u || (code >= 0x7Fu && code < 0xA0u) || code == 0x200Eu || code == 0x200Fu ||
         (code >= 0x202Au && code <= 0x202Eu) || (code >= 0x2060u && code <= 0x206Fu) || code == 0xFEFFu;
}

// What TeX reads as something else; the first ones would also be other letters in its oldest encoding of fonts.
std::string_view escaped(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '^':
      return "\\textasciicircum{}";
    case '~':
      return "\\textasciitilde{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "{\\char34}";  // also where a language makes the mark active
    case '`':
      return "\\textasciigrave{}";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    case '$':
      return "\\$";
    case '&':
      return "\\&";
    case '#':
      return "\\#";
    case '%':
      return "\\%";
    case '_':
      return "\\_";
    default:
      return {};
  }
}

// Two of these become one sign.
bool makes_ligature(char c) { return c == '-' || c == '\'' || c == ',' || c == '`'; }

// Behind these an expression may end a line.
bool may_break(char c) { return std::string_view(",+*/_()=.").find(c) != std::string_view::npos; }

// Stands on the letter before it.
bool is_combining(uint32_t code) { return code >= 0x300u && code < 0x370u; }

std::string escape(std::string_view text, bool breaks) {
  std::string result;
  char before = '\0';
  size_t unbroken = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    text.remove_prefix(character.bytes.size());
    if (breaks && unbroken > 0 && !is_combining(character.code) && (may_break(before) || unbroken >= kLongestWord)) {
      result += "\\allowbreak{}";
      unbroken = 0;
    }
    unbroken = character.code == ' ' ? 0 : unbroken + 1;
    if (character.code == kBroken) {
      result += '?';
    } else if (is_control(character.code)) {
      if (character.code < 0x20u) result += ' ';
    } else if (character.code >= 0x80u) {
      result += character.bytes;
    } else {
      const char c = character.bytes.front();
      if (c == before && makes_ligature(c)) result += "{}";
      const std::string_view mark = escaped(c);
      result += mark.empty() ? character.bytes : mark;
    }
    before = character.bytes.front();
  }
  return result;
}

std::string line(const std::vector<std::string>& cells) {
  std::string text;
  for (size_t c = 0; c < cells.size(); ++c) text += (c == 0 ? "  " : " & ") + cells[c];
  return text + " \\\\\n";
}

}  // namespace

std::string latex_text(std::string_view text) { return escape(text, false); }

std::string latex_code(std::string_view text) { return fmt::format("\\texttt{{{}}}", escape(text, true)); }

std::string latex_numbers(std::string_view text) {
  const std::string plain = latex_text(text);
  std::string result;
  for (size_t i = 0; i < plain.size(); ++i) {
    const char next = i + 1 < plain.size() ? plain[i + 1] : '\0';
    const bool of_number = std::isdigit(static_cast<unsigned char>(next)) != 0 || next == ' ';
    const bool starts = i > 0 ? plain[i - 1] == ' ' || plain[i - 1] == '(' || plain[i - 1] == 'e' : next != ' ';
    if (plain[i] == '-' && of_number && starts) {
      result += "$-$";
    } else {
      result += plain[i];
    }
  }
  return result;
}

std::string latex_key(std::string_view text) {
  std::string key;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80u && std::isalnum(byte) != 0) {
      key += static_cast<char>(std::tolower(byte));
    } else if (!key.empty() && key.back() != '-') {
      key += '-';
    }
  }
  if (key.size() > kLongestKey)
    key.resize(key.rfind('-', kLongestKey) == std::string::npos ? kLongestKey : key.rfind('-', kLongestKey));
  if (!key.empty() && key.back() == '-') key.pop_back();
  return key.empty() ? "study" : key;
}

bool is_latin(std::string_view text) {
  constexpr uint32_t kLatinEnd = 0x180u;
  while (!text.empty()) {
    const Character character = first_character(text);
    text.remove_prefix(character.bytes.size());
    if (character.code != kBroken && character.code >= kLatinEnd && !is_control(character.code)) return false;
  }
  return true;
}

std::string to_latex(const LatexTable& table) {
  std::string text = "\\begin{table}[tbp]\n\\centering\\small\n";
  text += fmt::format("\\caption{{{}}}\n\\label{{{}}}\n\\smallskip\n\\begin{{tabular}}{{@{{}}{}@{{}}}}\n\\toprule\n",
                      table.caption, table.label, table.columns);
  text += line(table.titles) + "\\midrule\n";
  const bool of_paragraphs = table.columns.find("p{") != std::string::npos;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (of_paragraphs && r > 0) text += "\\addlinespace[2pt]\n";
    text += line(table.rows[r]);
  }
  return text + "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

}  // namespace phasor
