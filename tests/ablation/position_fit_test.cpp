#include "phasor/ablation/position_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace position_fit_test {

constexpr double kRounding = 0x1.0p-53;
constexpr int64_t kColumns = 3;

using Words = std::vector<int32_t>;

// Samples with a row for every token. Rows are multiples of 2^-10, so that sums of them are exact.
struct FitCase {
  int64_t words, places;
  std::vector<Words> samples;
  std::vector<std::vector<float>> rows;  // of each sample: [length, kColumns]

  FitCase(int64_t word_count, int64_t place_count, std::vector<Words> of) : words(word_count), places(place_count) {
    samples = std::move(of);
    for (const Words& sample : samples) rows.emplace_back(sample.size() * kColumns);
  }

  // To every row a drawn vector of its word, of its place, and of its own.
  void add(double of_word, double of_place, double of_row) {
    const auto drawn = [](uint32_t site, double deviation, int64_t k) {
      const RandomStream stream{.seed = 21, .purpose = Purpose::test, .site = site};
      return std::round(1024.0 * deviation * normal(stream, static_cast<uint64_t>(k))) / 1024.0;
    };
    int64_t row = 0;
    for (size_t s = 0; s < samples.size(); ++s) {
      for (size_t i = 0; i < samples[s].size(); ++i, ++row) {
        for (int64_t c = 0; c < kColumns; ++c) {
          rows[s][i * kColumns + static_cast<size_t>(c)] += static_cast<float>(
              drawn(41, of_word, samples[s][i] * kColumns + c) +
              drawn(42, of_place, static_cast<int64_t>(i) * kColumns + c) + drawn(43, of_row, row * kColumns + c));
        }
      }
    }
  }

  PositionFit fit(int64_t batch_size = 1000) const {
    PositionFit fit(words, places, kColumns);
    const auto count = static_cast<int64_t>(samples.size());
    for (int64_t first = 0; first < count; first += batch_size) {
      Batch batch;
      std::vector<float> values;
      for (int64_t s = first; s < std::min(first + batch_size, count); ++s) {
        const auto at = static_cast<size_t>(s);
        const int32_t target = 0;
        batch.append(samples[at].data(), static_cast<int64_t>(samples[at].size()), &target, 1, 0);
        values.insert(values.end(), rows[at].begin(), rows[at].end());
      }
      fit.add(batch, first, values);
    }
    fit.solve();
    return fit;
  }
};

// Lengths from 2 to `places`; three words in four are one of three that the place prefers.
std::vector<Words> habitual_samples(int64_t count, int64_t words, int64_t places, uint64_t seed) {
  Draws draws({.seed = seed, .purpose = Purpose::test, .site = 44});
  const auto below = [&](int64_t bound) { return static_cast<int32_t>(draws.below(static_cast<uint32_t>(bound))); };
  std::vector<Words> samples(static_cast<size_t>(count));
  for (Words& sample : samples) {
    const int32_t length = 2 + below(places - 1);
    for (int32_t i = 0; i < length; ++i) {
      const int32_t preferred = (i + below(3)) % static_cast<int32_t>(words);
      sample.push_back(below(4) == 0 ? below(words) : preferred);
    }
  }
  return samples;
}

// The same fit of the samples of one parity by another way: effects of words and of places side by side, one place of
// each set that words connect held at 0, their normal equations inverted by elimination in long double.
class SideBySideFit {
 public:
  SideBySideFit(const FitCase& of, size_t parity) : of_(of), parity_(parity) {
    count();
    connect();
    invert();
    solve();
  }

  double count(int64_t place) const { return place_rows_[static_cast<size_t>(place)]; }
  double part(int64_t place, int64_t column) const { return parts_[static_cast<size_t>(place * kColumns + column)]; }

  // How far PositionFit may be off. With u the unit of rounding, W words, P places, at most n rows at a place and rows
  // up to X, the right sides of its equations M p = y are off by 2 (W + 1) u n X, M with its eigenvectors by 16 P u n.
  // M^-1 is bounded by its inverse where one place is held, and centring can double what is off.
  double bound() const {
    const double words = static_cast<double>(of_.words), places = static_cast<double>(of_.places);
    const double most = *std::max_element(place_rows_.begin(), place_rows_.end());
    double largest = 0.0, squares = 0.0;
    for (const std::vector<float>& rows : of_.rows) {
      for (const float x : rows) largest = std::max(largest, std::abs(static_cast<double>(x)));
    }
    for (const double part : parts_) squares += part * part;
    const double right = std::sqrt(places) * 2.0 * (words + 1.0) * kRounding * most * largest;
    return 2.0 * amplification_ * (right + 2.0 * 16.0 * places * kRounding * most * std::sqrt(squares));
  }

 private:
  template <class Use>
  void each_row(const Use& use) const {
    for (size_t s = parity_; s < of_.samples.size(); s += 2) {
      for (size_t i = 0; i < of_.samples[s].size(); ++i) {
        use(static_cast<size_t>(of_.samples[s][i]), i, of_.rows[s].data() + i * kColumns);
      }
    }
  }

  void count() {
    place_rows_.resize(static_cast<size_t>(of_.places));
    each_row([&](size_t, size_t place, const float*) { place_rows_[place] += 1.0; });
  }

  // Every place gets the first one that words lead to from it.
  void connect() {
    set_.resize(place_rows_.size());
    std::iota(set_.begin(), set_.end(), size_t{0});
    for (int64_t pass = 0; pass < of_.words + of_.places; ++pass) {
      std::vector<size_t> first(static_cast<size_t>(of_.words), set_.size());
      each_row([&](size_t word, size_t place, const float*) { first[word] = std::min(first[word], set_[place]); });
      each_row([&](size_t word, size_t place, const float*) { set_[place] = std::min(set_[place], first[word]); });
    }
  }

  size_t place_unknown(size_t place) const { return static_cast<size_t>(of_.words) + place; }

  // Unknowns without rows, and places that are held, have 1 on the diagonal and nothing else.
  void invert() {
    const size_t size = static_cast<size_t>(of_.words + of_.places);
    std::vector<std::vector<long double>> a(size, std::vector<long double>(2 * size));
    each_row([&](size_t word, size_t place, const float*) {
      a[word][word] += 1.0L;
      if (set_[place] == place) return;
      const size_t other = place_unknown(place);
      a[other][other] += 1.0L, a[word][other] += 1.0L, a[other][word] += 1.0L;
    });
    for (size_t k = 0; k < size; ++k) {
      if (a[k][k] == 0.0L) a[k][k] = 1.0L;
      a[k][size + k] = 1.0L;
    }
    for (size_t k = 0; k < size; ++k) {
      const long double pivot = a[k][k];
      for (long double& x : a[k]) x /= pivot;
      for (size_t r = 0; r < size; ++r) {
        const long double factor = a[r][k];
        for (size_t c = 0; r != k && factor != 0.0L && c < 2 * size; ++c) a[r][c] -= factor * a[k][c];
      }
    }
    inverse_.resize(size);
    for (size_t r = 0; r < size; ++r) inverse_[r].assign(a[r].begin() + static_cast<int64_t>(size), a[r].end());
    long double squares = 0.0L;
    for (size_t i = 0; i < set_.size(); ++i) {
      for (size_t j = 0; j < set_.size(); ++j) {
        const bool free = set_[i] != i && set_[j] != j;
        if (free)
          squares += inverse_[place_unknown(i)][place_unknown(j)] * inverse_[place_unknown(i)][place_unknown(j)];
      }
    }
    amplification_ = static_cast<double>(std::sqrt(squares));
  }

  void solve() {
    parts_.resize(set_.size() * kColumns);
    for (size_t c = 0; c < kColumns; ++c) {
      std::vector<long double> right(inverse_.size()), parts(set_.size()), sums(set_.size()), rows(set_.size());
      each_row([&](size_t word, size_t place, const float* row) {
        right[word] += static_cast<long double>(row[c]);
        if (set_[place] != place) right[place_unknown(place)] += static_cast<long double>(row[c]);
      });
      for (size_t i = 0; i < set_.size(); ++i) {
        if (set_[i] == i) continue;
        const std::vector<long double>& from = inverse_[place_unknown(i)];
        parts[i] = std::inner_product(from.begin(), from.end(), right.begin(), 0.0L);
      }
      for (size_t i = 0; i < set_.size(); ++i) {
        sums[set_[i]] += static_cast<long double>(place_rows_[i]) * parts[i];
        rows[set_[i]] += static_cast<long double>(place_rows_[i]);
      }
      for (size_t i = 0; i < set_.size(); ++i) {
        if (place_rows_[i] == 0.0) continue;
        parts_[i * kColumns + c] = static_cast<double>(parts[i] - sums[set_[i]] / rows[set_[i]]);
      }
    }
  }

  const FitCase& of_;
  size_t parity_;
  std::vector<double> place_rows_;
  std::vector<size_t> set_;  // of every place, by its first place
  std::vector<std::vector<long double>> inverse_;
  std::vector<double> parts_;  // [places, kColumns]
  double amplification_ = 0.0;
};

// A sample of each parity against the explicit fit of the other one.
void expect_equal(const FitCase& tested, const PositionFit& fit) {
  for (const size_t sample : {size_t{0}, size_t{1}}) {
    const SideBySideFit expected(tested, 1 - sample);
    for (int64_t i = 0; i < tested.places; ++i) {
      const double* part = fit.part(static_cast<int64_t>(sample), i);
      const bool known = expected.count(i) >= static_cast<double>(PositionFit::kLeast);
      for (int64_t c = 0; c < kColumns; ++c) {
        if (known)
          EXPECT_NEAR(part[c], expected.part(i, c), expected.bound()) << "sample " << sample << " place " << i;
        else
          EXPECT_EQ(part[c], 0.0) << "sample " << sample << " place " << i;
      }
    }
    EXPECT_LT(expected.bound(), 1e-9);
  }
}

TEST(PositionFit, IsTheLeastSquaresOfWordsAndPlacesSideBySide) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    FitCase tested(7, 9, habitual_samples(150 + 20 * static_cast<int64_t>(seed), 7, 9, seed));
    tested.add(1.0, 0.5, 1.0);
    expect_equal(tested, tested.fit());
  }
}

// B_i less the mean of B over the rows of the other half, as it was put in.
TEST(PositionFit, FindsThePlacesVectorsWhicheverWordsStandThere) {
  const int64_t words = 7, places = 9;
  FitCase tested(words, places, habitual_samples(600, words, places, 3)), bare = tested;
  tested.add(2.0, 0.5, 0.0);
  bare.add(0.0, 0.5, 0.0);
  const PositionFit fit = tested.fit();
  for (const size_t sample : {size_t{0}, size_t{1}}) {
    const double bound = SideBySideFit(tested, 1 - sample).bound();
    std::vector<double> sums(kColumns), vectors(static_cast<size_t>(places * kColumns));
    double rows = 0.0;
    for (size_t s = 1 - sample; s < bare.samples.size(); s += 2) {
      for (size_t k = 0; k < bare.rows[s].size(); ++k) {
        vectors[k] = static_cast<double>(bare.rows[s][k]);
        sums[k % kColumns] += vectors[k];
      }
      rows += static_cast<double>(bare.samples[s].size());
    }
    for (size_t k = 0; k < vectors.size(); ++k) {
      const double* part = fit.part(static_cast<int64_t>(sample), static_cast<int64_t>(k / kColumns));
      EXPECT_NEAR(part[k % kColumns], vectors[k] - sums[k % kColumns] / rows, bound);
    }
  }
}

// Means by index alone, of which a good part is which words stand where, would be far from 0.
TEST(PositionFit, FindsNothingInWordsAlone) {
  FitCase tested(7, 9, habitual_samples(400, 7, 9, 4));
  tested.add(2.0, 0.0, 0.0);
  const PositionFit fit = tested.fit();
  double by_index = 0.0;
  for (const size_t sample : {size_t{0}, size_t{1}}) {
    const double bound = SideBySideFit(tested, 1 - sample).bound();
    for (int64_t i = 0; i < tested.places; ++i) {
      double sum = 0.0, rows = 0.0;
      for (size_t s = 1 - sample; s < tested.samples.size(); s += 2) {
        if (i >= static_cast<int64_t>(tested.samples[s].size())) continue;
        sum += static_cast<double>(tested.rows[s][static_cast<size_t>(i * kColumns)]), rows += 1.0;
      }
      by_index = std::max(by_index, std::abs(sum / rows - fit.mean(static_cast<int64_t>(sample))[0]));
      for (int64_t c = 0; c < kColumns; ++c) EXPECT_NEAR(fit.part(static_cast<int64_t>(sample), i)[c], 0.0, bound);
    }
  }
  EXPECT_GT(by_index, 0.5);
}

std::vector<double> numbers_of(const PositionFit& fit, int64_t places, int64_t sample) {
  std::vector<double> numbers(fit.mean(sample), fit.mean(sample) + kColumns);
  for (int64_t i = 0; i < places; ++i) {
    numbers.insert(numbers.end(), fit.part(sample, i), fit.part(sample, i) + kColumns);
  }
  return numbers;
}

TEST(PositionFit, ServesEachHalfWithTheOther) {
  FitCase tested(7, 9, habitual_samples(200, 7, 9, 5));
  tested.add(1.0, 0.5, 1.0);
  const PositionFit before = tested.fit();
  for (float& x : tested.rows[26]) x *= -16.0f;
  std::rotate(tested.samples[26].begin(), tested.samples[26].begin() + 1, tested.samples[26].end());
  const PositionFit after = tested.fit();
  for (const int64_t even : {0, 26, 198}) {
    EXPECT_EQ(numbers_of(after, 9, even), numbers_of(before, 9, even)) << even;
    EXPECT_EQ(numbers_of(after, 9, even), numbers_of(after, 9, 0)) << even;
    EXPECT_EQ(numbers_of(after, 9, even + 1), numbers_of(after, 9, 1)) << even;
  }
  const std::vector<double> odd = numbers_of(after, 9, 1), odd_before = numbers_of(before, 9, 1);
  for (int64_t c = 0; c < kColumns; ++c) EXPECT_NE(odd[static_cast<size_t>(c)], odd_before[static_cast<size_t>(c)]);
  double moved = 0.0;
  for (size_t k = kColumns; k < odd.size(); ++k) moved = std::max(moved, std::abs(odd[k] - odd_before[k]));
  EXPECT_GT(moved, 0.05);
}

TEST(PositionFit, HasTheMeanOfTheOtherHalf) {
  FitCase tested(7, 9, habitual_samples(101, 7, 9, 6));
  tested.add(1.0, 0.5, 1.0);
  const PositionFit fit = tested.fit();
  for (const size_t sample : {size_t{0}, size_t{1}}) {
    for (size_t c = 0; c < kColumns; ++c) {
      double sum = 0.0, rows = 0.0;
      for (size_t s = 1 - sample; s < tested.samples.size(); s += 2) {
        for (size_t k = c; k < tested.rows[s].size(); k += kColumns) {
          sum += static_cast<double>(tested.rows[s][k]), rows += 1.0;
        }
      }
      // Seven exact sums, divided and added up, of a size of a row at most.
      EXPECT_NEAR(fit.mean(static_cast<int64_t>(sample))[c], sum / rows, 16.0 * 8.0 * kRounding);
    }
  }
}

TEST(PositionFit, HasNothingForPlacesThatTooFewSamplesHave) {
  constexpr int64_t kFew = PositionFit::kLeast - 1;
  std::vector<Words> samples = habitual_samples(80, 5, 4, 7);
  int64_t even = 0, odd = 0;
  for (size_t s = 0; s < samples.size(); ++s) {
    samples[s].resize(4, static_cast<int32_t>(s % 5));
    const bool longer = s % 2 == 0 ? even++ < kFew : odd++ < kFew + 1;
    if (longer) samples[s].push_back(static_cast<int32_t>(s % 3));
  }
  FitCase tested(5, 5, std::move(samples));
  tested.add(1.0, 0.5, 1.0);
  const PositionFit fit = tested.fit();
  expect_equal(tested, fit);
  for (int64_t c = 0; c < kColumns; ++c) {
    EXPECT_EQ(fit.part(1, 4)[c], 0.0);
    EXPECT_NE(fit.part(0, 4)[c], 0.0);
    EXPECT_NE(fit.part(1, 3)[c], 0.0);
  }
}

// Word 5 stands at place 4 alone, which has no other; words 6 and 7 share places 5 and 6 with nobody. What differs
// between such sets of places may be their words' as well.
TEST(PositionFit, LeavesTheWordWhatItMayHaveAlone) {
  std::vector<Words> samples = habitual_samples(600, 5, 4, 8);
  for (size_t s = 0; s < samples.size(); ++s) {
    if (samples[s].size() < 4) continue;
    samples[s].push_back(5);
    if (s % 4 < 2) samples[s].push_back(s % 5 == 0 ? 6 : 7);
    if (s % 8 < 2) samples[s].push_back(s % 3 == 0 ? 6 : 7);
  }
  FitCase tested(8, 7, std::move(samples));
  tested.add(1.0, 0.5, 0.0);
  const PositionFit fit = tested.fit();
  expect_equal(tested, fit);
  for (const int64_t sample : {0, 1}) {
    const SideBySideFit expected(tested, static_cast<size_t>(1 - sample));
    ASSERT_GE(expected.count(6), static_cast<double>(PositionFit::kLeast));
    ASSERT_NE(expected.count(5), expected.count(6));
    for (int64_t c = 0; c < kColumns; ++c) {
      EXPECT_NEAR(fit.part(sample, 4)[c], 0.0, expected.bound());
      const double within = expected.count(5) * fit.part(sample, 5)[c] + expected.count(6) * fit.part(sample, 6)[c];
      EXPECT_NEAR(within, 0.0, expected.bound() * (expected.count(5) + expected.count(6)));
      EXPECT_GT(std::abs(fit.part(sample, 0)[c]), 1e-3);
    }
  }
}

TEST(PositionFit, IsTheSameAtAnyBatchSize) {
  FitCase tested(7, 9, habitual_samples(150, 7, 9, 9));
  for (std::vector<float>& rows : tested.rows) {
    for (size_t k = 0; k < rows.size(); ++k) rows[k] = 0.1f + 1.0f / static_cast<float>(k + 3);  // sums round
  }
  tested.add(1.0, 0.5, 1.0);
  const PositionFit expected = tested.fit();
  for (const int64_t size : {1, 7, 64}) {
    const PositionFit fit = tested.fit(size);
    for (const int64_t sample : {0, 1}) EXPECT_EQ(numbers_of(fit, 9, sample), numbers_of(expected, 9, sample)) << size;
  }
}

TEST(PositionFit, OfAHalfWithoutSamplesIsZero) {
  const FitCase tested(7, 9, {{1, 2, 3}});
  const PositionFit fit = tested.fit();
  for (const double x : numbers_of(fit, 9, 0)) EXPECT_EQ(x, 0.0);
}

TEST(PositionFit, RefusesASequenceThatIsTooLong) {
  EXPECT_NO_THROW(FitCase(7, 3, {{1, 2, 3}}).fit());
  EXPECT_THROW(FitCase(7, 3, {{1}, {1, 2, 3, 4}}).fit(), Error);
}

}  // namespace position_fit_test
}  // namespace phasor
