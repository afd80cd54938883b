#pragma once
// The paper's own number beside a cell.
#include <string>
#include <vector>

#include "phasor/report/figures/figure_study.h"

namespace phasor {

struct PublishedValue {
  double value = 0.0;
  std::string source;  // "Fig. 2, digitised"
};

std::string published_source(const paper::PublishedEntry& entry, const paper::PublishedPoint& point);

// Test accuracies at the end of training: one per figure or table that has the encoding.
std::vector<PublishedValue> published_accuracies(const FigureStudy& study, const CellName& cell);

}  // namespace phasor
