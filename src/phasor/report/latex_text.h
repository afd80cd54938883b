#pragma once
// Text and tables for LaTeX. Letters beyond ASCII stay as they are, in UTF-8.
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

// The same text where TeX would read marks and ligatures. Control characters, those that turn the direction of writing
// among them, are left out.
std::string latex_text(std::string_view text);

// In typewriter type, with places where a line may end.
std::string latex_code(std::string_view text);

// "$-$3.1 (1.0 to 2.0)", "a $-$ b": text with numbers, whose minus signs are not hyphens.
std::string latex_numbers(std::string_view text);

// Letters, digits and single hyphens, for \label; the first words of a long text.
std::string latex_key(std::string_view text);

// Whether pdflatex with its usual fonts can set it: Latin letters and punctuation.
bool is_latin(std::string_view text);

struct LatexTable {
  std::string caption, label;                  // LaTeX and a key
  std::string columns;                         // "lrr"
  std::vector<std::string> titles;             // LaTeX, like the rows
  std::vector<std::vector<std::string>> rows;  // as many cells as titles
};

// A floating table in the style of the package booktabs.
std::string to_latex(const LatexTable& table);

}  // namespace phasor
