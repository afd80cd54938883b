// Against NumPy and SciPy: tools/make_spectrum_fixtures.py has the matrices and what each tensor is.
#include <filesystem>

#include "linalg/matrices.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/spectrum/logit_split.h"
#include "phasor/spectrum/numerical_range.h"
#include "phasor/spectrum/spectrum.h"
#include "phasor/spectrum/symbol.h"
#include "support/paths.h"

namespace phasor {
namespace fixture_test {

using namespace testing_support;
using Complex = std::complex<double>;

constexpr double kAgreement = 1e-9;  // times the scale and the condition

const SafetensorsFile& fixture() {
  static const SafetensorsFile kFile =
      SafetensorsFile::open(std::filesystem::path(fixtures_folder()) / "spectra.safetensors");
  return kFile;
}

std::vector<double> values(const std::string& name) {
  const std::span<const double> data = fixture().data<double>(name);
  return {data.begin(), data.end()};
}

struct Case {
  std::string name;
  Dense matrix;

  std::vector<double> expected(const std::string& what) const { return values(name + "/" + what); }
  bool causal() const { return name.starts_with("causal"); }
};

// The matrices for which the file has this.
std::vector<Case> cases_with(const std::string& what) {
  std::vector<Case> cases;
  const std::string ending = "/" + what;
  for (const std::string& tensor : fixture().names()) {
    if (!tensor.ends_with(ending)) continue;
    const std::string name = tensor.substr(0, tensor.size() - ending.size());
    const int64_t n = fixture().tensor(name + "/matrix").shape[0];
    Dense matrix(n, n);
    matrix.values() = values(name + "/matrix");
    cases.push_back({name, std::move(matrix)});
  }
  return cases;
}

TEST(SpectrumFixture, SingularValues) {
  const std::vector<Case> cases = cases_with("singular_values");
  EXPECT_EQ(cases.size(), 26u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Spectrum s = c.causal() ? spectrum_of_masked(c.matrix) : spectrum(c.matrix);
    EXPECT_LT(largest_difference(s.singular.values, c.expected("singular_values")), kAgreement * s.singular.largest);
  }
}

TEST(SpectrumFixture, SymmetricPart) {
  const std::vector<Case> cases = cases_with("symmetric_eigenvalues");
  EXPECT_EQ(cases.size(), 23u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Spectrum s = spectrum(c.matrix);
    EXPECT_LT(largest_difference(s.symmetric->values, c.expected("symmetric_eigenvalues")),
              kAgreement * s.singular.largest);
  }
}

// Each to its nearest, both ways, as far as its condition allows.
TEST(SpectrumFixture, Eigenvalues) {
  const std::vector<Case> cases = cases_with("eigenvalues");
  EXPECT_EQ(cases.size(), 23u);
  int64_t compared = 0, all = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Spectrum s = spectrum(c.matrix, {.conditions = true});
    const std::vector<double> parts = c.expected("eigenvalues");
    const std::vector<double> conditions = c.expected("conditions");
    all += static_cast<int64_t>(conditions.size());
    std::vector<bool> taken(conditions.size());
    for (size_t i = 0; i < conditions.size(); ++i) {
      const Complex expected(parts[2 * i], parts[2 * i + 1]);
      size_t nearest = conditions.size();
      for (size_t k = 0; k < taken.size(); ++k) {
        if (taken[k]) continue;
        if (nearest == taken.size() ||
            std::abs(s.eigen->values[k] - expected) < std::abs(s.eigen->values[nearest] - expected)) {
          nearest = k;
        }
      }
      taken[nearest] = true;
      const double allowed = kAgreement * s.singular.largest * conditions[i];
      EXPECT_LT(std::abs(s.eigen->values[nearest] - expected), allowed) << "eigenvalue " << i;
      // Conditions agree as far as eigenvectors are determined: those of close eigenvalues mix, and the zeros of a
      // matrix of low rank have any vectors that span its kernel.
      double gap = std::numeric_limits<double>::infinity();
      for (size_t k = 0; k < conditions.size(); ++k) {
        if (k != i) gap = std::min(gap, std::abs(Complex(parts[2 * k], parts[2 * k + 1]) - expected));
      }
      const double mixing = kAgreement * s.singular.largest * conditions[i] * conditions[i] / gap;
      if (mixing < 1e-3) {
        ++compared;
        EXPECT_NEAR(s.eigen->conditions[nearest] / conditions[i], 1.0, mixing);
      }
    }
  }
  EXPECT_GT(2 * compared, all);
}

TEST(SpectrumFixture, NumericalRadius) {
  const std::vector<Case> cases = cases_with("numerical_radius");
  EXPECT_EQ(cases.size(), 23u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const double expected = c.expected("numerical_radius")[0];
    const NumericalRange w = numerical_range(c.matrix);
    EXPECT_NEAR(w.radius / expected, 1.0, 1e-10);
    EXPECT_GE(w.radius_bound, expected * (1 - 1e-12));
  }
}

TEST(SpectrumFixture, LeastSquaresOfPositions) {
  const std::vector<Case> cases = cases_with("relative");
  EXPECT_EQ(cases.size(), 21u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const RelativeFit fit = RelativeFitter(c.matrix.rows(), c.causal()).fit(c.matrix);
    const std::vector<double> expected = c.expected("split");
    const double total = expected[0];
    EXPECT_NEAR(fit.total, c.expected("relative")[0], kAgreement * total);
    EXPECT_NEAR(fit.residual, c.expected("relative")[1], kAgreement * total);
    const LogitSplit split = LogitSplitter(c.matrix.rows(), c.causal()).split(c.matrix);
    EXPECT_NEAR(split.total, total, kAgreement * total);
    EXPECT_NEAR(split.gauge, (total - expected[1]) / total, kAgreement);
    EXPECT_NEAR(split.relative, (expected[1] - expected[2]) / total, kAgreement);
    EXPECT_NEAR(split.key_first, (expected[1] - expected[3]) / total, kAgreement);
    EXPECT_NEAR(split.relative_alone, (expected[3] - expected[4]) / total, kAgreement);
    EXPECT_NEAR(split.absolute_key, (expected[2] - expected[4]) / total, kAgreement);
    EXPECT_NEAR(split.residual, expected[4] / total, kAgreement);
  }
}

TEST(SpectrumFixture, SymbolOfAKernel) {
  const std::vector<Case> cases = cases_with("symbol");
  EXPECT_EQ(cases.size(), 3u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ToeplitzKernel kernel = diagonal_means(c.matrix, false);
    EXPECT_LT(largest_difference(kernel.values, c.expected("kernel")), 1e-13);
    const std::vector<double> expected = c.expected("symbol");
    const Symbol s = symbol(kernel, static_cast<int64_t>(expected.size()) / 2);
    ASSERT_EQ(2 * s.values.size(), expected.size());
    for (size_t m = 0; m < s.values.size(); ++m) {
      EXPECT_LT(std::abs(s.values[m] - Complex(expected[2 * m], expected[2 * m + 1])), 1e-12) << m;
    }
  }
}

}  // namespace fixture_test
}  // namespace phasor
