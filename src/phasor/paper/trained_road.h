#pragma once
// What a study of the road came to: each step with what it fulfils and what it reaches, and what each shortcoming
// costs.
#include <string>
#include <vector>

#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/cell_summary.h"
#include "phasor/study/summary/comparison.h"

namespace phasor::paper {

// A step that lacks something, held against one that does not and is alike otherwise.
struct RoadContrast {
  std::string lack;           // "swamping", in words
  std::string without, with;  // canonical: what lacks it, and what has it
  std::string variant = {};   // of both
};
const std::vector<RoadContrast>& road_contrasts();

// What the lack costs on one task. Both are positive where it costs something.
struct RoadCost {
  std::string task;
  Comparison accuracy;  // with - without
  Comparison slowness;  // area under the test loss, without - with
};

struct RoadFinding {
  RoadContrast contrast;
  std::vector<RoadCost> costs;  // of the tasks that both were trained on
  std::string sentence;         // of those that intervals show, either way; empty without any
};

// An encoding on a task.
struct RoadRow {
  CellSummary cell;
  std::string shift, norm, jump;  // as `phasor encodings --road` has them
};

struct TrainedRoad {
  std::vector<RoadRow> rows;  // by encoding, then by task
  std::vector<RoadFinding> findings;
};

TrainedRoad trained_road(const StudyResults& results);

}  // namespace phasor::paper
