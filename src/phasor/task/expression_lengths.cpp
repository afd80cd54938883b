#include "phasor/task/expression_lengths.h"

#include <cstddef>

namespace phasor {
namespace {

constexpr double kDigitShare = 0.75;

// Rarer lengths count as impossible: products of two such chances would leave the range of a double, and drawing by
// them would find nothing to draw.
constexpr double kRarest = 1e-150;

void cut_off(std::vector<double>& chances) {
  for (double& chance : chances) {
    if (chance < kRarest) chance = 0.0;
  }
}

// The law of the sum of two: sums[n] = sum over m of a[m] b[n - m].
std::vector<double> convolve(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> sums(a.size(), 0.0);
  for (size_t m = 0; m < a.size(); ++m) {
    if (a[m] == 0.0) continue;
    for (size_t n = m; n < sums.size(); ++n) sums[n] += a[m] * b[n - m];
  }
  cut_off(sums);
  return sums;
}

}  // namespace

ExpressionLengths::ExpressionLengths(const ExpressionLaw& law, int32_t longest)
    : law_(law), tables_(static_cast<size_t>(law.depth) * static_cast<size_t>(law.arguments)) {
  const auto lengths = static_cast<size_t>(longest) + 1;
  for (int32_t depth = law.depth; depth > 0; --depth) {
    std::vector<double>& one = table(depth, 1);
    one.assign(lengths, 0.0);
    one[1] = depth == law.depth ? 1.0 : kDigitShare;
    for (int32_t count = 2; count <= law.arguments && depth < law.depth; ++count) {
      const double share = (1.0 - kDigitShare) / (law.arguments - 1);
      const std::vector<double>& inner = table(depth + 1, count);
      for (size_t tokens = 2; tokens < lengths; ++tokens) one[tokens] += share * inner[tokens - 2];
    }
    cut_off(one);
    // Of the whole there is one.
    for (int32_t count = 2; count <= law.arguments && depth > 1; ++count) {
      table(depth, count) = convolve(one, table(depth, count - 1));
    }
  }
}

double ExpressionLengths::of_several(int32_t depth, int32_t count, int32_t tokens) const {
  if (count == 0) return tokens == 0 ? 1.0 : 0.0;
  return tables_[static_cast<size_t>((depth - 1) * law_.arguments + count - 1)][static_cast<size_t>(tokens)];
}

std::vector<double>& ExpressionLengths::table(int32_t depth, int32_t count) {
  return tables_[static_cast<size_t>((depth - 1) * law_.arguments + count - 1)];
}

}  // namespace phasor
