#pragma once
// The single tests of a verdict, each with its number in words and what would help where it fails.
#include <cstdint>
#include <vector>

#include "phasor/ablation/verdict.h"

namespace phasor {

// What a layer is judged by.
struct LayerCase {
  const RunEvidence& evidence;
  const LayerEffect& effect;
  size_t number = 0;
  double least = 0.0;  // the smallest effect of interest, nats

  size_t heads() const { return effect.heads.size(); }
};

inline constexpr const char* kFloorClause = "1 floor";

Clause used_clause(const LayerCase& layer);
Clause floor_clause(const LayerCase& layer);
// (i) to (vi), in order.
std::vector<Clause> deposit_clauses(const LayerCase& layer);
Clause spread_clause(const LayerCase& layer);
Clause redundant_clause(const LayerCase& layer);
// `deposit` are the clauses (i) to (vi).
Clause partial_clause(const LayerCase& layer, const std::vector<Clause>& deposit);

// "0.812 [0.75, 0.88]".
std::string show(const Estimate& estimate);
std::string show(double number);

}  // namespace phasor
