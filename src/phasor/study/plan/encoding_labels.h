#pragma once
// What the encodings of a study are called. This is the one place that decides it: whoever makes, reads or extends a
// plan calls label_cells(), and everything else shows encoding_label().
#include <string>
#include <vector>

#include "phasor/study/plan/named_encoding.h"
#include "phasor/study/plan/study_plan.h"

namespace phasor {

// Adds a name for an encoding that is canonical. Throws UsageError where the name is none (check_name), belongs to
// another encoding of the study or is itself an encoding, and where the encoding has another name.
void add_name(std::vector<NamedEncoding>& names, const NamedEncoding& named);

// Sets every cell's label: its name, or a short label for a long expression (short_labels.h).
void label_cells(StudyPlan& plan);

// "mine, alibi on distance"
std::string title_by_labels(const StudyPlan& plan);

struct EncodingLabel {
  std::string label, expression;
  bool named = false;  // by its author

  bool operator==(const EncodingLabel&) const = default;
};

// Of all encodings that are not called as they are written, in the order of the cells.
std::vector<EncodingLabel> labels_of(const std::vector<CellName>& cells);

// "mine = bias("-abs(d)/8")", a line each, for below a table; empty where all are called as they are written.
std::string labels_text(const std::vector<EncodingLabel>& labels);

}  // namespace phasor
