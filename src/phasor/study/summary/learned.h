#pragma once
// Whether a model has learned its task, in words for a line of progress and for the rows of a table.
#include <algorithm>
#include <cstdint>

#include "phasor/study/summary/cell_numbers.h"
#include "phasor/task/floors.h"

namespace phasor {

enum class Learned : uint8_t { no, partly, yes };

// The most that can be had without reading the tokens.
inline double blind_accuracy(const TaskFloors& floors) {
  return std::max({floors.chance, floors.constant, floors.length});
}

// Yes from kSuccessAccuracy on; no up to ten points above what blind guessing has: a model that knows which words there
// are, and nothing of where, is some points above it on tasks that ask for one of them.
inline Learned learned(double accuracy, const TaskFloors& floors) {
  constexpr double kNearBlind = 0.1;
  if (accuracy >= kSuccessAccuracy) return Learned::yes;
  return accuracy > blind_accuracy(floors) + kNearBlind ? Learned::partly : Learned::no;
}

// "learned", "learned part of", "did not learn"
inline const char* verb(Learned learned) {
  constexpr const char* kVerbs[] = {"did not learn", "learned part of", "learned"};
  return kVerbs[static_cast<size_t>(learned)];
}

}  // namespace phasor
