#pragma once
// A figure of a report: what is drawn, its numbers, and the name of its files.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/figure/chart.h"
#include "phasor/report/figures/data_table.h"
#include "phasor/report/figures/figure_study.h"

namespace phasor {

struct ReportFigure {
  std::string name;  // of its files, without the ending
  figure::Chart chart;
  DataRows rows;
};

// All figures of a kind, one or more for every task and protocol.
struct FigureBuilder {
  std::string_view id;  // as on the page
  std::string_view title;
  std::vector<FigureColumn> columns;
  std::function<std::vector<ReportFigure>(const FigureStudy&)> build;
  std::string_view lacking;  // why a study may have none
};

// In the order of the page.
const std::vector<FigureBuilder>& figure_builders();

FigureBuilder accuracy_builder();
FigureBuilder learning_curves_builder();
FigureBuilder head_verdicts_builder();
FigureBuilder head_drops_builder();
FigureBuilder sorted_heads_builder();
FigureBuilder head_map_builder();
FigureBuilder published_heads_builder();
FigureBuilder rotary_heads_builder();
FigureBuilder removal_builder();
FigureBuilder lengths_builder();
FigureBuilder singular_values_builder();
FigureBuilder eigenvalues_builder();
FigureBuilder kernels_builder();
FigureBuilder logit_shares_builder();
FigureBuilder contraction_builder();
FigureBuilder telemetry_builder();
FigureBuilder snapshots_builder();
FigureBuilder audit_builder();
FigureBuilder comparisons_builder();

}  // namespace phasor
