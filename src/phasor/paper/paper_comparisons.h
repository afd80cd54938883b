#pragma once
// The comparisons that the study of arXiv 2505.13027 was planned for: RoPE against every other encoding of the paper
// but RoPE+Absolute, on each task and under each protocol, by accuracy and by steps to 90 %. A family is one number of
// one task and protocol: at most six comparisons.
#include <vector>

#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/comparison.h"

namespace phasor::paper {

// Of the cells that the study has.
std::vector<Comparison> paper_comparisons(const StudyResults& results);

}  // namespace phasor::paper
