#include "phasor/spectrum/theory_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "phasor/spectrum/majorization.h"
#include "phasor/spectrum/spectrum.h"
#include "phasor/spectrum/symbol.h"

namespace phasor {
namespace {

using Checks = std::vector<BoundCheck>;

constexpr SpectrumOptions kSymmetric{.symmetric = true, .eigenvalues = false};

// Tables of angles are in fp32: what they turn is known that well.
constexpr double kTurned = 0x1p-20;

// Of partial sums. Where none exceeds the bound's, the largest values themselves are shown.
BoundCheck weakly_majorised(std::string name, bool applies, const std::vector<double>& values,
                            const std::vector<double>& bounds, const std::string& why) {
  const Majorization m = majorization(values, bounds);
  double size = 0.0;
  for (const double bound : bounds) size += std::abs(bound);
  if (m.gap > m.tolerance + kTurned * size) {
    return {std::move(name), applies, m.bound, m.measured, false, fmt::format("{}; sums of the {} largest", why, m.at)};
  }
  return {std::move(name),
          applies,
          *std::max_element(bounds.begin(), bounds.end()),
          *std::max_element(values.begin(), values.end()),
          true,
          fmt::format("{}; every sum of the largest, shown is the first", why)};
}

// What the theorems would say of a T with unit diagonal, beside what is there.
void add_conclusions(Checks& checks, const Spectrum& products, const Spectrum& plain, const std::string& why) {
  // Eigenvalues that a compressed spectrum leaves out are zeros.
  const auto ends = [](const Spectrum& s) {
    const std::vector<double>& values = s.symmetric->values;
    const bool zeros = static_cast<int64_t>(values.size()) < s.size;
    return std::pair(zeros ? std::min(0.0, values.front()) : values.front(),
                     zeros ? std::max(0.0, values.back()) : values.back());
  };
  const auto [low, high] = ends(products);
  const auto [plain_low, plain_high] = ends(plain);
  const double rounding = 64.0 * static_cast<double>(products.size) * std::numeric_limits<double>::epsilon() *
                          std::max(products.singular.largest, plain.singular.largest);
  checks.push_back({"Schur, largest eigenvalue", false, plain_high, high, high <= plain_high + rounding, why});
  checks.push_back({"Schur, smallest eigenvalue", false, -plain_low, -low, -low <= -plain_low + rounding, why});
  checks.push_back(
      weakly_majorised("Bapat and Sunder", false, products.symmetric->values, plain.symmetric->values, why));
  checks.push_back(
      weakly_majorised("Ando, Horn and Johnson", false, products.singular.values, plain.singular.values, why));
}

void add_products(Checks& checks, const HeadLogits& head, const HadamardForm& form) {
  if (form.kind == HadamardForm::Kind::unknown || form.kind == HadamardForm::Kind::nothing) {
    for (const char* name :
         {"Schur, largest eigenvalue", "Schur, smallest eigenvalue", "Bapat and Sunder", "Ando, Horn and Johnson"}) {
      checks.push_back({name, false, 0.0, 0.0, form.kind == HadamardForm::Kind::nothing, form.why});
    }
    return;
  }
  if (!form.real) {
    add_conclusions(checks, spectrum_of_factors(head.query, head.key, kSymmetric, head.scale),
                    spectrum_of_factors(head.plain_query, head.plain_key, kSymmetric, head.scale), form.why);
    return;
  }
  const Dense factor = form.factor();
  // The symmetric part of A o T is that of A times T, where T is symmetric.
  const Dense content = symmetric_part(form.content);
  for (BoundCheck check : {schur_upper(content, factor), schur_lower(content, factor), bapat_sunder(content, factor),
                           ando_horn_johnson(form.content, form.left, form.right)}) {
    check.why = fmt::format("{}; {}", check.why, form.why);
    checks.push_back(std::move(check));
  }
}

void add_frequencies(Checks& checks, const HeadLogits& head, const HadamardForm& form) {
  const Spectrum products =
      spectrum_of_factors(head.query, head.key, {.symmetric = false, .eigenvalues = false}, head.scale);
  if (form.kind == HadamardForm::Kind::one_factor) {
    const bool unitary = form.unitary;
    checks.push_back(weakly_majorised("one frequency, complex Gram", unitary, products.singular.values,
                                      complex_gram_singular_values(head),
                                      unitary ? "one frequency is a unitary similarity of W, and S is its real part"
                                              : "the factors have other lengths than 1"));
  } else if (form.kind == HadamardForm::Kind::several) {
    const double bound = complex_gram_singular_values(head).front();
    const double measured = products.singular.largest;
    checks.push_back({"one frequency, complex Gram", false, bound, measured, measured <= bound * (1.0 + kTurned),
                      "frequencies differ"});
  }
  if (head.rotary_pairs.empty()) return;
  const std::vector<double> norms = term_norms(head);
  const double bound = std::accumulate(norms.begin(), norms.end(), 0.0);
  const double measured = products.singular.largest;
  const double rounding = 64.0 * static_cast<double>(head.size()) * std::numeric_limits<double>::epsilon() * bound;
  checks.push_back({"sum over frequencies", true, bound, measured, measured <= bound + rounding,
                    fmt::format("sigma_1(S) <= sum of {} norms |W_m|: true for every rotation", norms.size())});
}

void add_weyl(Checks& checks, const HeadLogits& head) {
  if (!head.adds()) {
    for (const char* name : {"Weyl, singular values", "Weyl, symmetric parts"}) {
      checks.push_back({name, false, 0.0, 0.0, true, "nothing is added: there is no bias"});
    }
    return;
  }
  const Dense products = head.causal ? lower_triangle(head.products()) : head.products();
  const Dense bias = head.causal ? lower_triangle(head.added()) : head.added();
  for (BoundCheck check : {weyl_singular(products, bias), weyl_symmetric(products, bias)}) {
    check.masked = head.causal;
    checks.push_back(std::move(check));
  }
}

void add_szego_of_bias(Checks& checks, const HeadLogits& head) {
  if (head.bias.rows() == 0) return;
  const ToeplitzKernel kernel = diagonal_means(head.bias, head.causal);
  const ToeplitzShare share = toeplitz_share(head.bias, head.causal);
  constexpr double kExact = 1.0 - 1e-9;
  const char* name = "Szego, bias";
  if (!share.defined) {
    checks.push_back({name, false, 0.0, 0.0, true, "the bias is zero"});
    return;
  }
  if (share.share < kExact) {
    checks.push_back({name, false, 1.0, share.share, false,
                      "the theorem is on Toeplitz matrices, and of this bias they are only a share (shown)"});
    return;
  }
  if (head.causal) {
    checks.push_back({name, false, 0.0, 0.0, true,
                      "a causal bias is triangular: its eigenvalues are its diagonal, at every length"});
    return;
  }
  double odd = 0.0;
  double whole = 0.0;
  SummableKernel even;
  for (int64_t d = 0; d < kernel.size; ++d) {
    odd = std::max(odd, std::abs(kernel.at(d) - kernel.at(-d)));
    whole = std::max({whole, std::abs(kernel.at(d)), std::abs(kernel.at(-d))});
    even.values.push_back((kernel.at(d) + kernel.at(-d)) / 2.0);
  }
  const SzegoComparison comparison = szego_comparison(even, {kernel.size});
  const SzegoStep& step = comparison.steps.back();
  const double bound = comparison.symbol_largest - comparison.symbol_smallest;
  const bool symmetric = odd <= 1e-6 * whole;
  // The eigenvalues of every section lie within the symbol's range; the grid misses its ends by a little.
  const double rounding = 1e-3 * bound;
  checks.push_back(
      {name, comparison.applies && symmetric, bound, step.largest - step.smallest,
       step.largest <= comparison.symbol_largest + rounding && step.smallest >= comparison.symbol_smallest - rounding,
       fmt::format("{}{}; eigenvalues of T_n against the width of the symbol, mean difference {:.3g}",
                   symmetric ? "" : "the kernel is not even, its even part is shown; ", comparison.why,
                   step.mean_difference)});
}

void add_szego_of_rotations(Checks& checks, const HeadLogits& head) {
  if (head.rotary_pairs.empty()) return;
  const auto pairs = head.rotary_pairs.size();
  const Spectrum products =
      spectrum_of_factors(head.query, head.key, {.symmetric = false, .eigenvalues = false}, head.scale);
  const auto width = static_cast<double>(head.query.columns());
  const auto rank = static_cast<double>(products.singular.numerical_rank);
  checks.push_back({"Szego, rotations", false, width, rank, rank <= width,
                    fmt::format("{} frequencies have a symbol of point masses, not a function: the rank (shown) stays "
                                "within the head's width at every length, and eigenvalues grow with n",
                                pairs)});
}

}  // namespace

Checks theory_checks(const HeadLogits& head) {
  const HadamardForm form = hadamard_form(head);
  Checks checks;
  add_products(checks, head, form);
  add_frequencies(checks, head, form);
  add_weyl(checks, head);
  add_szego_of_rotations(checks, head);
  const size_t before = checks.size();
  add_szego_of_bias(checks, head);
  for (size_t c = before; c < checks.size(); ++c) checks[c].masked = head.causal;
  return checks;
}

}  // namespace phasor
