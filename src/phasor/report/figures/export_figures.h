#pragma once
// The figures of a report as files: SVG, PDF and CSV of each, and figures.md, which lists them.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "phasor/report/figures/figure_study.h"

namespace phasor {

struct ExportedFigure {
  std::string id, name, title;
  std::string caption;
};

struct LackingFigure {
  std::string id;
  std::string why;
};

struct FigureExport {
  std::vector<ExportedFigure> figures;
  std::vector<LackingFigure> lacking;
};

// Of the builders with these ids, or of all where there is none. Throws UsageError for an id that there is not. Files
// are written aside and renamed; those that are there already and belong to no figure stay. `each` is told of every
// figure once its files are there. A notice names texts that PDF's fonts cannot set.
FigureExport export_figures(const FigureStudy& study, const std::filesystem::path& folder,
                            const std::vector<std::string>& only,
                            const std::function<void(const ExportedFigure&)>& each = {});

// Throws UsageError, naming those that there are.
void check_figure_ids(const std::vector<std::string>& only);

}  // namespace phasor
