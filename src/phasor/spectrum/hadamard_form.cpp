#include "phasor/spectrum/hadamard_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/spectrum/spectrum.h"

namespace phasor {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;
using Complex = std::complex<double>;

// Engines turn in fp32: relative to a row's length this is some hundred roundings of that.
constexpr double kSame = 1e-5;

Complex at(const ComplexChannels& x, int64_t r, int64_t c) { return {x.real(r, c), x.imaginary(r, c)}; }

bool equal(const Dense& a, const Dense& b) { return a.rows() == b.rows() && a.values() == b.values(); }

// The factor of each row that turns `plain` into `turned` best, and how much of `turned` it leaves.
struct RowFactors {
  std::vector<Complex> factors;
  double residual = 0.0;  // relative
};

RowFactors row_factors(const ComplexChannels& plain, const ComplexChannels& turned) {
  RowFactors result;
  double left = 0.0;
  double whole = 0.0;
  for (int64_t r = 0; r < plain.real.rows(); ++r) {
    Complex mixed = 0.0;
    double squares = 0.0;
    for (int64_t c = 0; c < plain.real.columns(); ++c) {
      mixed += at(turned, r, c) * std::conj(at(plain, r, c));
      squares += std::norm(at(plain, r, c));
    }
    const Complex factor = squares > 0.0 ? mixed / squares : Complex(1.0);
    for (int64_t c = 0; c < plain.real.columns(); ++c) {
      left += std::norm(at(turned, r, c) - factor * at(plain, r, c));
      whole += std::norm(at(turned, r, c));
    }
    result.factors.push_back(factor);
  }
  result.residual = whole > 0.0 ? std::sqrt(left / whole) : 0.0;
  return result;
}

// Unit factors that queries and keys share are made so exactly: T then has a unit diagonal to rounding.
bool make_unitary(std::vector<Complex>& query, std::vector<Complex>& key) {
  for (size_t i = 0; i < query.size(); ++i) {
    if (std::abs(std::abs(query[i]) - 1.0) > kSame || std::abs(query[i] - key[i]) > kSame) return false;
  }
  for (size_t i = 0; i < query.size(); ++i) key[i] = query[i] /= std::abs(query[i]);
  return true;
}

// Rows as multiples of one of them.
struct RankOne {
  std::vector<double> multiples;
  int64_t row = 0;  // the longest one
  bool found = false;
};

RankOne rank_one(const Dense& x) {
  RankOne result;
  double longest = -1.0;
  const auto dot = [&](int64_t a, int64_t b) {
    double total = 0.0;
    for (int64_t c = 0; c < x.columns(); ++c) total += x(a, c) * x(b, c);
    return total;
  };
  for (int64_t r = 0; r < x.rows(); ++r) {
    if (dot(r, r) <= longest) continue;
    longest = dot(r, r);
    result.row = r;
  }
  if (!(longest > 0.0)) return result;
  double left = 0.0;
  for (int64_t r = 0; r < x.rows(); ++r) {
    const double multiple = dot(r, result.row) / longest;
    result.multiples.push_back(multiple);
    for (int64_t c = 0; c < x.columns(); ++c) left += std::pow(x(r, c) - multiple * x(result.row, c), 2);
  }
  result.found = std::sqrt(left / longest) <= kSame;
  return result;
}

// A turned entry over the plain one, on the unit circle where it is there but for rounding; 1 where nothing is turned.
Complex entry_factor(const ComplexChannels& plain, const ComplexChannels& turned, int64_t r, int64_t c) {
  const double squares = std::norm(at(plain, r, c));
  if (!(squares > 0.0)) return 1.0;
  const Complex factor = at(turned, r, c) * std::conj(at(plain, r, c)) / squares;
  const double length = std::abs(factor);
  return std::abs(length - 1.0) <= kSame ? factor / length : factor;
}

// |a - b| / |a|
double relative_difference(const Dense& a, const Dense& b) {
  double squares = 0.0;
  for (size_t i = 0; i < a.values().size(); ++i) squares += std::pow(a.values()[i] - b.values()[i], 2);
  return squares > 0.0 ? std::sqrt(squares) / frobenius_norm(a) : 0.0;
}

struct FourChannels {
  ComplexChannels plain_query, query, plain_key, key;
};

void find_one_factor(const HeadLogits& head, const FourChannels& x, HadamardForm& form) {
  const RowFactors query = row_factors(x.plain_query, x.query);
  const RowFactors key = row_factors(x.plain_key, x.key);
  if (query.residual > kSame || key.residual > kSame) return;
  form.kind = HadamardForm::Kind::one_factor;
  form.query_factor = query.factors;
  form.key_factor = key.factors;
  form.unitary = make_unitary(form.query_factor, form.key_factor);
  const int64_t n = head.size();
  Dense left(2, n);
  Dense right(2, n);
  for (int64_t i = 0; i < n; ++i) {
    const auto place = static_cast<size_t>(i);
    left(0, i) = form.query_factor[place].real();
    left(1, i) = form.query_factor[place].imag();
    right(0, i) = form.key_factor[place].real();
    right(1, i) = form.key_factor[place].imag();
  }
  const Dense content = head.plain_products();
  const double share = relative_difference(head.products(), hadamard(content, transposed_product(left, right)));
  form.real = share <= kSame;
  if (!form.real) {
    form.why = fmt::format(
        "all channels turn alike, but the content Gram W is complex: its imaginary part times sines is {:.2g} of the "
        "logits, and Re(W o E) is not Re(W) o T",
        share);
    return;
  }
  form.content = content;
  form.left = std::move(left);
  form.right = std::move(right);
  form.why = "all channels turn alike and the content Gram is real: T = cos of the angle between positions";
}

// w_m u_i conj(v_j), summed over channels: T with the sum of the Re w_m as its unit.
void find_one_content(const HeadLogits& head, const FourChannels& x, HadamardForm& form) {
  const RankOne query = rank_one(head.plain_query);
  const RankOne key = rank_one(head.plain_key);
  if (!query.found || !key.found) return;
  const int64_t channels = x.query.real.columns();
  const int64_t n = head.size();
  std::vector<Complex> weights;
  double unit = 0.0;
  double size = 0.0;
  for (int64_t c = 0; c < channels; ++c) {
    weights.push_back(head.scale * at(x.plain_query, query.row, c) * std::conj(at(x.plain_key, key.row, c)));
    unit += weights.back().real();
    size += std::abs(weights.back());
  }
  if (std::abs(unit) <= kSame * size) {
    form.why = "queries and keys carry one content each, whose logit without angles is 0: no T takes it elsewhere";
    return;
  }
  form.kind = HadamardForm::Kind::one_content;
  form.real = true;
  form.content = Dense(n, n);
  form.left = Dense(2 * channels, n);
  form.right = Dense(2 * channels, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      form.content(i, j) = unit * query.multiples[static_cast<size_t>(i)] * key.multiples[static_cast<size_t>(j)];
    }
    for (int64_t c = 0; c < channels; ++c) {
      // Half of the length on either side.
      const double length = std::sqrt(std::abs(weights[static_cast<size_t>(c)] / unit));
      const Complex turned = weights[static_cast<size_t>(c)] / unit * entry_factor(x.plain_query, x.query, i, c);
      const Complex u = length > 0.0 ? turned / length : 0.0;
      const Complex v = length * entry_factor(x.plain_key, x.key, i, c);
      form.left(2 * c, i) = u.real();
      form.left(2 * c + 1, i) = u.imag();
      form.right(2 * c, i) = v.real();
      form.right(2 * c + 1, i) = v.imag();
    }
  }
  // A row that is 0 in a channel does not tell how that channel turns there.
  if (relative_difference(head.products(), hadamard(form.content, form.factor())) > kSame) {
    form = HadamardForm();
    return;
  }
  form.why = "queries are multiples of one vector and keys of another: T sums its frequencies";
}

std::vector<bool> turned_channels(const Dense& plain, const Dense& turned) {
  std::vector<bool> result(static_cast<size_t>(plain.columns()), false);
  for (int64_t r = 0; r < plain.rows(); ++r) {
    for (int64_t c = 0; c < plain.columns(); ++c) {
      if (plain(r, c) != turned(r, c)) result[static_cast<size_t>(c)] = true;
    }
  }
  return result;
}

bool keeps_lengths(const Dense& plain, const Dense& turned, const Pairs& pairs) {
  for (const auto& [a, b] : pairs) {
    for (int64_t r = 0; r < plain.rows(); ++r) {
      const double before = std::hypot(plain(r, a), plain(r, b));
      const double after = std::hypot(turned(r, a), turned(r, b));
      // Exported files are often in 16 bits.
      if (std::abs(before - after) > 0x1p-6 * std::max(before, after)) return false;
    }
  }
  return true;
}

}  // namespace

Dense HadamardForm::factor() const { return transposed_product(left, right); }

ComplexChannels complex_channels(const Dense& x, const Pairs& pairs) {
  std::vector<bool> paired(static_cast<size_t>(x.columns()), false);
  for (const auto& [a, b] : pairs) paired[static_cast<size_t>(a)] = paired[static_cast<size_t>(b)] = true;
  const auto alone = static_cast<int64_t>(std::count(paired.begin(), paired.end(), false));
  const auto turning = static_cast<int64_t>(pairs.size());
  ComplexChannels result{Dense(x.rows(), turning + alone), Dense(x.rows(), turning + alone)};
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t m = 0; m < turning; ++m) {
      result.real(r, m) = x(r, pairs[static_cast<size_t>(m)].first);
      result.imaginary(r, m) = x(r, pairs[static_cast<size_t>(m)].second);
    }
    int64_t m = turning;
    for (int64_t c = 0; c < x.columns(); ++c) {
      if (!paired[static_cast<size_t>(c)]) result.real(r, m++) = x(r, c);
    }
  }
  return result;
}

HadamardForm hadamard_form(const HeadLogits& head) {
  HadamardForm form;
  if (head.plain_query.rows() == 0) {
    form.why = "queries and keys before turning are not given";
    return form;
  }
  if (equal(head.query, head.plain_query) && equal(head.key, head.plain_key)) {
    form.kind = HadamardForm::Kind::nothing;
    form.why = head.row_scale.empty() ? "nothing is turned: the encoding multiplies nothing"
                                      : "nothing is turned: rows have factors, which are in the logits without angles "
                                        "too";
    return form;
  }
  const FourChannels x = {
      complex_channels(head.plain_query, head.rotary_pairs), complex_channels(head.query, head.rotary_pairs),
      complex_channels(head.plain_key, head.rotary_pairs), complex_channels(head.key, head.rotary_pairs)};
  find_one_factor(head, x, form);
  if (!form.real) {
    HadamardForm other;
    find_one_content(head, x, other);
    if (other.real || form.kind == HadamardForm::Kind::unknown) form = std::move(other);
  }
  if (form.kind != HadamardForm::Kind::unknown) return form;
  form.kind = HadamardForm::Kind::several;
  if (form.why.empty()) {
    form.why = fmt::format(
        "{} channel pairs{} turn differently, each with a content of its own: no single T", head.rotary_pairs.size(),
        2 * static_cast<int64_t>(head.rotary_pairs.size()) < head.query.columns() ? " (beside channels at rest)" : "");
  }
  return form;
}

std::vector<double> complex_gram_singular_values(const HeadLogits& head) {
  // [Re -Im; Im Re] of queries times that of keys, transposed, is that of the Gram: every singular value twice.
  const auto embedded = [](const ComplexChannels& x) {
    const int64_t n = x.real.rows();
    const int64_t channels = x.real.columns();
    Dense result(2 * n, 2 * channels);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < channels; ++c) {
        result(r, c) = result(n + r, channels + c) = x.real(r, c);
        result(r, channels + c) = -x.imaginary(r, c);
        result(n + r, c) = x.imaginary(r, c);
      }
    }
    return result;
  };
  const Spectrum doubled = spectrum_of_factors(embedded(complex_channels(head.plain_query, head.rotary_pairs)),
                                               embedded(complex_channels(head.plain_key, head.rotary_pairs)),
                                               {.symmetric = false, .eigenvalues = false}, head.scale);
  std::vector<double> values;
  for (size_t i = 0; i < doubled.singular.values.size(); i += 2) values.push_back(doubled.singular.values[i]);
  return values;
}

std::vector<double> term_norms(const HeadLogits& head) {
  const ComplexChannels query = complex_channels(head.query, head.rotary_pairs);
  const ComplexChannels key = complex_channels(head.key, head.rotary_pairs);
  const auto pairs = static_cast<int64_t>(head.rotary_pairs.size());
  const auto length = [&](const ComplexChannels& x, int64_t c) {
    double squares = 0.0;
    for (int64_t r = 0; r < x.real.rows(); ++r) squares += std::norm(at(x, r, c));
    return std::sqrt(squares);
  };
  std::vector<double> norms;
  for (int64_t m = 0; m < pairs; ++m) norms.push_back(std::abs(head.scale) * length(query, m) * length(key, m));
  const int64_t alone = query.real.columns() - pairs;
  if (alone > 0) {
    norms.push_back(spectrum_of_factors(copy_of(query.real.view().last_range(pairs, alone)),
                                        copy_of(key.real.view().last_range(pairs, alone)),
                                        {.symmetric = false, .eigenvalues = false}, head.scale)
                        .singular.largest);
  }
  return norms;
}

Pairs find_rotary_pairs(const Dense& plain, const Dense& turned) {
  std::vector<int64_t> channels;
  const std::vector<bool> differs = turned_channels(plain, turned);
  for (size_t c = 0; c < differs.size(); ++c) {
    if (differs[c]) channels.push_back(static_cast<int64_t>(c));
  }
  if (channels.empty() || channels.size() % 2 != 0) return {};
  const size_t count = channels.size() / 2;
  Pairs neighbours;
  Pairs halves;
  for (size_t m = 0; m < count; ++m) {
    neighbours.emplace_back(channels[2 * m], channels[2 * m + 1]);
    halves.emplace_back(channels[m], channels[count + m]);
  }
  for (const Pairs& pairs : {neighbours, halves}) {
    if (keeps_lengths(plain, turned, pairs)) return pairs;
  }
  return {};
}

}  // namespace phasor
