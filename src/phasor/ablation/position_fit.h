#pragma once
// The positional part of rows (queries, keys, the stream): what their place says once their word is accounted for. Rows
// of tokens are fitted by least squares as
//
//   x = mean + word effect + place effect,   p_i = the place effect of index i, with mean 0 over the rows.
//
// A mean by index alone would call position what is a habit of the data: which words stand where, or that late places
// hold pads. Word vectors without an encoding, which have no position, have p = 0 here.
//
// Samples of even number are fitted apart from those of odd number, and each half is given the other's fit: a sample
// has no part in its own p. A place that fewer than kLeast samples of a half have gets p = 0: the mean of c rows has 1
// / c of their variance as noise. Where words and places cannot be told apart (a word that stands nowhere else, at a
// place that has no other), the word gets all.
#include <array>
#include <cstdint>
#include <vector>

#include "phasor/task/batch.h"

namespace phasor {

class PositionFit {
 public:
  static constexpr int64_t kLeast = 16;

  PositionFit(int64_t words, int64_t positions, int64_t columns);

  // rows: [tokens of the batch, columns], of samples first_sample and on.
  void add(const Batch& batch, int64_t first_sample, const std::vector<float>& rows);
  // Call once, after the last add().
  void solve();

  int64_t columns() const { return columns_; }
  // [columns], for a sample of this number.
  const double* part(int64_t sample, int64_t index) const { return other(sample).parts.data() + index * columns_; }
  const double* mean(int64_t sample) const { return other(sample).mean.data(); }

 private:
  struct Half {
    std::vector<int64_t> counts;                // [words, positions]
    std::vector<double> word_sums, place_sums;  // [words, columns], [positions, columns]
    std::vector<double> parts, mean;            // [positions, columns], [columns]
  };

  const Half& other(int64_t sample) const { return halves_[static_cast<size_t>(1 - sample % 2)]; }
  void solve(Half& half) const;

  int64_t words_, positions_, columns_;
  std::array<Half, 2> halves_;  // of even and of odd samples
};

}  // namespace phasor
