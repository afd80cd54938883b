#pragma once
// What the encodings of a cell's runs have learned, number by number, over seeds.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/study/records/run_record.h"
#include "phasor/study/summary/seed_interval.h"

namespace phasor {

struct LearnedNumber {
  std::string name;              // "bias.b", "rope.frequencies[3]"
  std::optional<int64_t> layer;  // nothing: all layers share it
  std::optional<int64_t> head;   // nothing: all heads do
  SeedInterval start, end;       // as training started, and trained
};

// A tensor with more numbers than have a meaning one by one.
struct LeftOutTable {
  std::string name;
  std::vector<int64_t> shape;
  int64_t tensors = 0;  // of that name, one per layer
};

struct LearnedSummary {
  std::vector<LearnedNumber> numbers;
  std::vector<LeftOutTable> tables;

  bool empty() const { return numbers.empty() && tables.empty(); }
};
const Fields<LearnedSummary>& json_fields(const LearnedSummary*);

// A run that has not kept a number has NaN there. All is empty where nothing was learned or kept.
LearnedSummary learned_summary(const std::vector<RunRecord>& runs);

}  // namespace phasor
