#pragma once
// Comparisons for people: a table, and the answer in a sentence.
#include <string>
#include <vector>

#include "phasor/base/text_table.h"
#include "phasor/study/summary/comparison.h"

namespace phasor {

// The table of comparisons_text(): what is compared, the difference with its interval, how it reads, two p, and how
// many runs.
TextTable comparisons_table(const std::vector<Comparison>& comparisons);

// Difference with its interval, how it reads, p after Holm, p of the permutation test; empty without comparisons.
std::string comparisons_text(const std::vector<Comparison>& comparisons, TableFormat format);

// "rope is better than nope by 86.0 points (95 % 84.6 to 87.5).", "no difference of interest between ...", "open:
// whether ... differ, ..."; behind it what else a reader must know. Names the task, the protocol and the variant too
// unless told not to; cells that differ in these are named in full.
std::string answer(const Comparison& comparison, bool with_task = true);

// One answer each, without the task where it is the same for all.
std::string answers_text(const std::vector<Comparison>& comparisons, TableFormat format);

std::string p_text(double p);  // "0.10", "0.029", "0.008", "1.1e-05"

}  // namespace phasor
