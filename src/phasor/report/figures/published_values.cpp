#include "phasor/report/figures/published_values.h"

#include <fmt/format.h>

namespace phasor {

std::string published_source(const paper::PublishedEntry& entry, const paper::PublishedPoint& point) {
  return fmt::format("{}, {}{}", entry.figure, paper::name(entry.provenance), point.approximate ? ", approximate" : "");
}

std::vector<PublishedValue> published_accuracies(const FigureStudy& study, const CellName& cell) {
  std::vector<PublishedValue> values;
  const std::string subject = published_subject(cell);
  if (subject.empty()) return values;
  for (const paper::PublishedEntry& entry : study.published) {
    const bool is_last = entry.axis == "epoch" || entry.axis.empty();
    if (entry.task != cell.task || entry.subject != subject || entry.quantity != "test_accuracy" || !is_last ||
        entry.figure == "Fig. 5") {
      continue;
    }
    values.push_back({entry.last().value(), published_source(entry, entry.last())});
  }
  return values;
}

}  // namespace phasor
