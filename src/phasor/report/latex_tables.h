#pragma once
// The tables of a study for a paper: accuracies with their intervals, comparisons, names of encodings and, of a study
// of arXiv 2505.13027, claims.
#include <string>
#include <string_view>

#include "phasor/report/study_report.h"

namespace phasor {

// To be \input into a document that uses the package booktabs; says so in its first lines.
// Stands at the head of tables for which pdflatex will not do.
inline constexpr std::string_view kBeyondLatin =
    "Names here have letters beyond Latin: compile with xelatex or lualatex and a font that has them.";

std::string latex_tables(const StudyReport& report);

}  // namespace phasor
