#pragma once
// The positional part of rows as position_fit.h has it, by another way: backfitting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "phasor/ablation/position_fit.h"
#include "phasor/task/batch.h"

namespace phasor::testing_support {

inline int64_t length_of(const Batch& batch, int64_t s) {
  return batch.offsets[static_cast<size_t>(s) + 1] - batch.offsets[static_cast<size_t>(s)];
}

// Effects of places, by backfitting: means by word of what places leave, means by place of what words leave, and so on
// until nothing moves any more. [places, columns], of the samples of one parity.
inline std::vector<double> backfitted_places(const Batch& batch, const std::vector<float>& rows, int64_t columns,
                                             int64_t parity) {
  const auto words = static_cast<size_t>(*std::max_element(batch.tokens.begin(), batch.tokens.end())) + 1;
  const auto count = static_cast<size_t>(*std::max_element(batch.positions.begin(), batch.positions.end())) + 1;
  std::vector<size_t> tokens;
  for (int64_t s = parity; s < batch.sequence_count(); s += 2) {
    for (int32_t t = batch.offsets[static_cast<size_t>(s)]; t < batch.offsets[static_cast<size_t>(s) + 1]; ++t) {
      tokens.push_back(static_cast<size_t>(t));
    }
  }
  std::vector<double> places(count * static_cast<size_t>(columns));
  for (size_t c = 0; c < static_cast<size_t>(columns); ++c) {
    std::vector<double> of_word(words), of_place(count), rows_at(count);
    // New effects of one side, [its numbers], given the other's.
    const auto refit = [&](const std::vector<int32_t>& side, std::vector<double>& effects,
                           const std::vector<int32_t>& other_side, const std::vector<double>& others) {
      std::vector<double> sums(effects.size()), known(effects.size());
      for (const size_t t : tokens) {
        const double value = static_cast<double>(rows[t * static_cast<size_t>(columns) + c]);
        sums[static_cast<size_t>(side[t])] += value - others[static_cast<size_t>(other_side[t])];
        known[static_cast<size_t>(side[t])] += 1.0;
      }
      double moved = 0.0;
      for (size_t k = 0; k < effects.size(); ++k) {
        const double effect = sums[k] / std::max(1.0, known[k]);
        moved = std::max(moved, std::abs(effect - effects[k]));
        effects[k] = effect;
      }
      return moved;
    };
    double moved = 1.0;
    for (int pass = 0; pass < 1000 && moved > 0x1.0p-50; ++pass) {
      refit(batch.tokens, of_word, batch.positions, of_place);
      moved = refit(batch.positions, of_place, batch.tokens, of_word);
    }
    EXPECT_LE(moved, 0x1.0p-48);
    double mean = 0.0;
    for (const size_t t : tokens) {
      const auto place = static_cast<size_t>(batch.positions[t]);
      mean += of_place[place] / static_cast<double>(tokens.size());
      rows_at[place] += 1.0;
    }
    for (size_t i = 0; i < count; ++i) {
      const bool known = rows_at[i] >= static_cast<double>(PositionFit::kLeast);
      places[i * static_cast<size_t>(columns) + c] = known ? of_place[i] - mean : 0.0;
    }
  }
  return places;
}

// Both ways take means of up to 64 rows up to 8, which round by 2^-44 at most, and what is off in words and places
// where words are well mixed reaches the other side and comes back smaller.
inline constexpr double kPartRounding = 0x1.0p-42;

// p of every token: for each sample, of the half that it is not in.
inline std::vector<double> backfitted_parts(const Batch& batch, const std::vector<float>& rows, int64_t columns) {
  std::vector<double> parts;
  const std::vector<std::vector<double>> places = {backfitted_places(batch, rows, columns, 0),
                                                   backfitted_places(batch, rows, columns, 1)};
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const std::vector<double>& from = places[static_cast<size_t>(1 - s % 2)];
    parts.insert(parts.end(), from.begin(), from.begin() + length_of(batch, s) * columns);
  }
  return parts;
}

}  // namespace phasor::testing_support
