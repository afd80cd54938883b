#pragma once
// A study as its figures show it: places (a task under a protocol) with their cells, each with a name and a look.
#include <string>
#include <vector>

#include "phasor/paper/audit.h"
#include "phasor/paper/published.h"
#include "phasor/report/figures/encoding_style.h"
#include "phasor/report/report_cell.h"
#include "phasor/report/study_report.h"

namespace phasor {

struct FigureCell {
  const CellSummary* cell = nullptr;
  const ReportCell* more = nullptr;
  std::string label;
  EncodingStyle style;
};

struct FigurePlace {
  std::string task, protocol;
  std::vector<FigureCell> cells;

  std::string title() const { return protocol.empty() ? task : task + ", " + protocol; }
};

struct FigureStudy {
  std::vector<ReportCell> more;  // of every cell of the summary
  std::vector<FigurePlace> places;
  std::vector<FigurePlace> rotary;  // with the cells in which some heads rotate, and without variants
  std::vector<paper::AuditBlock> audit;
  std::vector<paper::PublishedEntry> published;  // of a study of the paper
  const std::vector<Comparison>* comparisons = nullptr;

  FigureStudy() = default;
  FigureStudy(FigureStudy&&) = default;
  FigureStudy& operator=(FigureStudy&&) = default;
  FigureStudy(const FigureStudy&) = delete;
  FigureStudy& operator=(const FigureStudy&) = delete;
  ~FigureStudy() = default;
};

// Refers to `report`. Reads the curves of runs from their folders.
FigureStudy figure_study(const ReportSource& source, const StudyReport& report, const StudyResults& results);

// What a number published for a cell is called by; empty: nothing is.
std::string published_subject(const CellName& cell);

}  // namespace phasor
