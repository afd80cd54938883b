#include "phasor/spectrum/hadamard_form.h"

#include "phasor/linalg/lapack.h"
#include "spectrum/heads.h"

namespace phasor {
namespace hadamard_form_test {

using namespace testing_support;
using Kind = HadamardForm::Kind;

double product_error(const HadamardForm& form, const HeadLogits& head) {
  return largest_difference(hadamard(form.content, form.factor()), head.products());
}

TEST(HadamardForm, OfOneFrequencyAndARealGramIsACosine) {
  const int64_t n = 20;
  const HeadLogits head = turned_head(real_pairs(n, 3, 400), real_pairs(n, 3, 401), {0.3, 0.3, 0.3});
  const HadamardForm form = hadamard_form(head);
  EXPECT_EQ(form.kind, Kind::one_factor);
  EXPECT_TRUE(form.unitary);
  ASSERT_TRUE(form.real);
  EXPECT_LT(product_error(form, head), 1e-13);
  const Dense cosine = made(n, n, [](int64_t i, int64_t j) { return std::cos(0.3 * static_cast<double>(i - j)); });
  EXPECT_LT(largest_difference(form.factor(), cosine), 1e-13);
}

TEST(HadamardForm, OfOneFrequencyAndAComplexGramIsNoProduct) {
  const HadamardForm form =
      hadamard_form(turned_head(random_matrix(20, 4, 402), random_matrix(20, 4, 403), {0.3, 0.3}));
  EXPECT_EQ(form.kind, Kind::one_factor);
  EXPECT_FALSE(form.real);
  EXPECT_NE(form.why.find("complex"), std::string::npos) << form.why;
}

TEST(HadamardForm, OfOneContentSumsItsFrequencies) {
  const HeadLogits head = turned_head(one_direction(15, 6, 404), one_direction(15, 6, 406), {1.0, 0.2, 0.05});
  const HadamardForm form = hadamard_form(head);
  EXPECT_EQ(form.kind, Kind::one_content);
  ASSERT_TRUE(form.real);
  EXPECT_LT(product_error(form, head), 1e-12);
  EXPECT_LT(largest_difference(form.content, head.plain_products()), 1e-12);
}

TEST(HadamardForm, OfOneContentWithFactorsThatAreNotOnTheCircle) {
  HeadLogits head = turned_head(one_direction(15, 4, 408), one_direction(15, 4, 410), {1.0, 0.2});
  for (int64_t i = 0; i < 15; ++i) {
    for (int64_t c = 0; c < 4; ++c) {
      head.query(i, c) *= std::pow(0.9, static_cast<double>(i));
      head.key(i, c) *= std::pow(0.9, -static_cast<double>(i));
    }
  }
  const HadamardForm form = hadamard_form(head);
  ASSERT_TRUE(form.real);
  EXPECT_LT(product_error(form, head), 1e-12);
}

TEST(HadamardForm, OfRealRotaryEncodingsIsThereNone) {
  const HadamardForm form =
      hadamard_form(turned_head(random_matrix(20, 6, 412), random_matrix(20, 6, 413), frequencies(6)));
  EXPECT_EQ(form.kind, Kind::several);
  EXPECT_FALSE(form.real);
}

TEST(HadamardForm, OfWhatIsNotTurnedOrNotKnown) {
  const Dense q = random_matrix(8, 4, 414);
  HeadLogits head = turned_head(q, q, {});
  EXPECT_EQ(hadamard_form(head).kind, Kind::nothing);
  head.plain_query = head.plain_key = Dense();
  EXPECT_EQ(hadamard_form(head).kind, Kind::unknown);
}

TEST(ComplexGram, SingularValuesAreThoseOfTheComplexMatrix) {
  const int64_t n = 9;
  const HeadLogits head = turned_head(random_matrix(n, 6, 415), random_matrix(n, 6, 416), frequencies(6));
  ComplexDense gram(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t m = 0; m < 3; ++m) {
        const std::complex<double> q(head.plain_query(i, 2 * m), head.plain_query(i, 2 * m + 1));
        const std::complex<double> k(head.plain_key(j, 2 * m), head.plain_key(j, 2 * m + 1));
        gram(i, j) += head.scale * q * std::conj(k);
      }
    }
  }
  ComplexDense square(n, n);  // gram gram^H, whose eigenvalues are the squares
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t k = 0; k < n; ++k) square(i, j) += gram(i, k) * std::conj(gram(j, k));
    }
  }
  std::vector<double> expected;
  for (const double value : hermitian_values(square)) expected.push_back(std::sqrt(std::max(0.0, value)));
  // Square roots of eigenvalues that are zero but for rounding have half of the digits.
  EXPECT_LT(largest_difference(complex_gram_singular_values(head), expected), 1e-6);
  EXPECT_NEAR(complex_gram_singular_values(head).front(), expected.back(), 1e-12 * expected.back());
}

TEST(TermNorms, AreThoseOfEveryTermAlone) {
  const HeadLogits head = turned_head(random_matrix(12, 5, 417), random_matrix(12, 5, 418), {1.0, 0.1});
  const std::vector<double> norms = term_norms(head);
  ASSERT_EQ(norms.size(), 3u);  // two pairs, and the channel that is left
  std::vector<double> q, k;
  for (int64_t i = 0; i < 12; ++i) {
    q.push_back(head.query(i, 4));
    k.push_back(head.key(i, 4));
  }
  EXPECT_NEAR(norms[2], 0.5 * norm(q) * norm(k), 1e-12);
  EXPECT_GE(norms[0] + norms[1] + norms[2], singular_values(head.products()).front());
}

TEST(RotaryPairs, AreFoundInBothLayoutsAndWherePartsStayAsTheyAre) {
  const Dense plain = random_matrix(10, 6, 419);
  const Dense turned = rotated(plain, {0.7, 0.2});  // channels 4 and 5 stay
  EXPECT_EQ(find_rotary_pairs(plain, turned), neighbours(2));
  // The same with channels in the order 0 2 1 3 4 5: halves.
  const std::vector<int64_t> order = {0, 2, 1, 3, 4, 5};
  const auto moved = [&](const Dense& x) {
    return made(10, 6, [&](int64_t r, int64_t c) { return x(r, order[static_cast<size_t>(c)]); });
  };
  const std::vector<std::pair<int64_t, int64_t>> halves = {{0, 2}, {1, 3}};
  EXPECT_EQ(find_rotary_pairs(moved(plain), moved(turned)), halves);
  EXPECT_TRUE(find_rotary_pairs(plain, plain).empty());
  EXPECT_TRUE(find_rotary_pairs(plain, random_matrix(10, 6, 420)).empty());
}

}  // namespace hadamard_form_test
}  // namespace phasor
