#pragma once
// Sums of rows by their index in the sequence, over all samples of a set, from which the means of *other* samples
// follow: a sample has no part in what replaces its own rows.
#include <cstdint>
#include <vector>

#include "phasor/task/batch.h"

namespace phasor {

class IndexSums {
 public:
  // Rows of so many columns at indices 0 .. positions - 1.
  IndexSums(int64_t positions, int64_t columns);

  // rows: [tokens of the batch, columns].
  void add(const Batch& batch, const std::vector<float>& rows);

  int64_t columns() const { return columns_; }

  // What is known of the other samples once the rows of one sample are taken out of the sums.
  class Others {
   public:
    // rows: [length, columns] of the sample, which was added before.
    Others(const IndexSums& sums, const float* rows, int64_t length);

    // At least this many other samples make a mean at an index worth using: the mean of c rows carries 1 / c of their
    // variance as noise.
    static constexpr int64_t kLeast = 8;

    double mean(int64_t column) const { return grand_[static_cast<size_t>(column)]; }
    // At an index that fewer than kLeast other samples have, the mean over all indices.
    double mean_at(int64_t index, int64_t column) const;

   private:
    const IndexSums& sums_;
    const float* rows_;
    std::vector<double> grand_;  // [columns]
  };

 private:
  int64_t positions_, columns_;
  std::vector<double> sums_;     // [positions, columns]
  std::vector<int64_t> counts_;  // [positions]
  std::vector<double> totals_;   // [columns]
  int64_t rows_ = 0;
};

}  // namespace phasor
