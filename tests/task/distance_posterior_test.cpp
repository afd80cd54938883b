// The posterior against an enumeration of everything that the law can draw.
#include "phasor/task/distance_posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "task/samples.h"

namespace phasor {
namespace distance_posterior_test {

using Words = std::vector<int32_t>;

// All ways to draw `count` words of the vocabulary in order, each as often as the others or once more, appended to what
// stands there.
void append_all(Words& words, int32_t count, int32_t vocabulary, std::vector<Words>& all) {
  if (count == 0) {
    all.push_back(words);
    return;
  }
  const auto round = static_cast<int64_t>(words.size()) / vocabulary * vocabulary;
  for (int32_t word = 0; word < vocabulary; ++word) {
    if (std::find(words.begin() + round, words.end(), word) != words.end()) continue;
    words.push_back(word);
    append_all(words, count - 1, vocabulary, all);
    words.pop_back();
  }
}

std::vector<Words> all_draws(int32_t count, int32_t vocabulary) {
  std::vector<Words> all;
  Words words;
  append_all(words, count, vocabulary, all);
  return all;
}

// Probability of every token sequence together with every gap.
class Enumeration {
 public:
  explicit Enumeration(const DistanceLaw& law) : law_(law) {
    for (int32_t gap = law.more_gap + 1; gap <= law.more_gap + law.gap; ++gap) {
      for (int32_t left = law.more_left + 1; left <= law.more_left + law.sides; ++left) {
        if (law.fixed_length) {
          add_fixed(left, gap);
          continue;
        }
        for (int32_t right = 1; right <= law.sides; ++right) add_natural(left, gap, right + law.more_right);
      }
    }
  }
  const std::map<Words, std::map<int32_t, double>>& joint() const { return joint_; }

 private:
  void add_natural(int32_t left, int32_t gap, int32_t right) {
    const auto lefts = all_draws(left, law_.vocabulary), gaps = all_draws(gap, law_.vocabulary),
               rights = all_draws(right, law_.vocabulary);
    const auto ways = static_cast<double>(lefts.size() * gaps.size() * rights.size());
    for (const Words& a : lefts)
      for (const Words& b : gaps)
        for (const Words& c : rights) add(a, b, c, gap, 1.0 / ways / law_.sides);
  }
  void add_fixed(int32_t left, int32_t gap) {
    const auto all = all_draws(law_.longest() - 2, law_.vocabulary);
    for (const Words& words : all) {
      const auto border = words.begin() + left;
      add({words.begin(), border}, {border, border + gap}, {border + gap, words.end()}, gap,
          1.0 / static_cast<double>(all.size()));
    }
  }
  void add(const Words& left, const Words& between, const Words& right, int32_t gap, double weight) {
    for (int32_t first = 0; first < law_.trigger_words; ++first) {
      for (int32_t second = 0; second < law_.trigger_words; ++second) {
        if (first == second || (!law_.varied_triggers && first > second)) continue;
        Words tokens = left;
        tokens.push_back(first);
        tokens.insert(tokens.end(), between.begin(), between.end());
        tokens.push_back(second);
        tokens.insert(tokens.end(), right.begin(), right.end());
        joint_[tokens][gap] += weight;
      }
    }
  }

  DistanceLaw law_;
  std::map<Words, std::map<int32_t, double>> joint_;
};

void expect_exact(const DistanceLaw& law) {
  const DistancePosterior posterior(law);
  const Enumeration enumeration(law);
  int64_t ambiguous = 0;
  for (const auto& [tokens, gaps] : enumeration.joint()) {
    double total = 0.0, most = 0.0;
    for (const auto& [gap, probability] : gaps) {
      total += probability;
      most = std::max(most, probability);
    }
    const DistancePosterior::Answer answer = posterior.likeliest(tokens);
    ASSERT_EQ(gaps.count(answer.gap), 1u);
    // Sums of a few terms, each within a few units of rounding.
    ASSERT_NEAR(gaps.at(answer.gap), most, 1e-13 * most);
    ASSERT_NEAR(answer.probability, most / total, 1e-13);
    ASSERT_EQ(answer.probability == 1.0, gaps.size() == 1);
    ambiguous += gaps.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(ambiguous, 0);
}

DistanceLaw law(int32_t vocabulary, int32_t gap, int32_t sides, int32_t trigger_words) {
  return {.vocabulary = vocabulary,
          .gap = gap,
          .sides = sides,
          .trigger_words = trigger_words,
          .varied_triggers = trigger_words > 2,
          .fillers_any = true};
}

TEST(DistancePosterior, IsExactForNaturalLengths) {
  expect_exact(law(4, 2, 2, 2));
  expect_exact(law(4, 3, 2, 2));
  expect_exact(law(3, 3, 3, 2));
}

TEST(DistancePosterior, IsExactForVariedTriggers) {
  expect_exact(law(4, 3, 2, 3));
  expect_exact(law(4, 2, 2, 4));
}

TEST(DistancePosterior, IsExactForFixedLengths) {
  for (const int32_t trigger_words : {2, 3}) {
    DistanceLaw fixed = law(6, 2, 2, trigger_words);
    fixed.fixed_length = true;
    expect_exact(fixed);
    fixed = law(7, 4, 1, trigger_words);
    fixed.fixed_length = true;
    expect_exact(fixed);
  }
}

// Longer segments than there are words: the draws go round.
TEST(DistancePosterior, IsExactForLongerSamples) {
  DistanceLaw longer = law(3, 2, 2, 2);
  longer.more_left = 2;
  longer.more_right = 3;
  expect_exact(longer);
  longer = law(3, 2, 2, 2);
  longer.more_gap = 4;
  expect_exact(longer);
  longer = law(4, 2, 2, 3);
  longer.more_gap = 3;
  expect_exact(longer);
}

TEST(DistancePosterior, IsExactForLongerSamplesOfFixedLength) {
  for (const int32_t trigger_words : {2, 3}) {
    DistanceLaw longer = law(4, 2, 1, trigger_words);
    longer.fixed_length = true;
    longer.more_left = 1;
    longer.more_right = 2;
    expect_exact(longer);
    longer.more_left = longer.more_right = 0;
    longer.more_gap = 3;
    expect_exact(longer);
  }
}

TEST(DistancePosterior, SaysWhenTokensAreImpossible) {
  const DistancePosterior posterior(law(9, 3, 2, 2));
  for (const Words& tokens : {Words{},
                              {0},
                              {0, 1},
                              {5, 0, 6, 1},
                              {0, 6, 1, 5},
                              {5, 0, 1, 6},
                              {5, 1, 6, 0, 7},
                              {5, 5, 0, 6, 1, 7},
                              {5, 0, 6, 6, 1, 7},
                              {5, 0, 6, 1, 7, 7},
                              {5, 0, 2, 3, 4, 6, 1, 7},
                              {9, 0, 6, 1, 7}}) {
    EXPECT_EQ(posterior.likeliest(tokens).gap, 0) << tokens.size();
  }
  EXPECT_EQ(posterior.likeliest({5, 0, 6, 1, 7}).gap, 1);
}

// Long sequences over many words: each weight is far below the smallest double.
TEST(DistancePosterior, SurvivesTinyProbabilities) {
  const auto task = testing_support::make("distance", {"vocabulary=65536", "gap=2000", "sides=500", "fillers=any"});
  for (int64_t number = 0; number < 20; ++number) {
    const Sample sample = testing_support::draw(*task, 0, number);
    const double certainty = task->certainty(sample.tokens);
    ASSERT_TRUE(certainty > 0.0 && certainty <= 1.0) << certainty;
    ASSERT_TRUE(certainty < 1.0 || task->solve(sample.tokens) == sample.targets) << number;
  }
}

}  // namespace distance_posterior_test
}  // namespace phasor
