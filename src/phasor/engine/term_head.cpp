#include "phasor/engine/term_head.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"

namespace phasor {
namespace {

double sigmoid(double x) { return x < 0.0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x)); }

double inner_product_of(const double* a, const double* b, int64_t count) {
  double sum = 0.0;
  for (int64_t c = 0; c < count; ++c) sum += a[c] * b[c];
  return sum;
}

// to += factor * from.
void add_scaled(double* to, double factor, const double* from, int64_t count) {
  for (int64_t c = 0; c < count; ++c) to[c] += factor * from[c];
}

}  // namespace

void require_dense_length(int64_t tokens) {
  if (tokens <= kMostDenseTokens) return;
  fail_usage("attention with all logits at hand takes sequences of at most {} tokens, not {}", kMostDenseTokens,
             tokens);
}

TermHead::TermHead(const DenseTerm& term, int64_t head, int64_t first, int64_t length, int64_t width,
                   const View<const int32_t, 2>& positions)
    : length_(length), width_(width) {
  const int64_t set = term.any() ? int64_t{term.head_set(head)} : -1;
  if (set < 0) return;
  if (!term.positions.vectors.empty()) {
    most_ = term.positions.most;
    for (int64_t p = 0; p <= most_; ++p) {
      const float* row = term.positions.vectors.row(set * (most_ + 1) + p);
      vectors_.insert(vectors_.end(), row, row + width);
    }
  }
  if (!term.reflections.directions.empty()) {
    for (int64_t t = first; t < first + length; ++t) {
      const float* x = term.reflections.directions.row(t) + set * width;
      double square = kDirectionFloor;
      for (int64_t c = 0; c < width; ++c) square += double{x[c]} * double{x[c]};
      norms_.push_back(std::sqrt(square));
      for (int64_t c = 0; c < width; ++c) directions_.push_back(double{x[c]} / norms_.back());
      strengths_.push_back(2.0 * sigmoid(double{term.reflections.strengths(t, set)}));
    }
  }
  const FarRotation& far = term.far;
  if (far.window == 0) return;
  window_ = far.window;
  far_first_ = far.first;
  far_pairs_ = far.key.extent(1);
  halves_ = far.halves;
  for (int64_t t = first; t < first + length; ++t) {
    const int64_t position = positions(t, far.axis);
    positions_.push_back(position);
    const auto append = [&](Factors& to, const View<const float, 3>& from) {
      for (int64_t c = 0; c < far_pairs_; ++c) to.emplace_back(from(position, c, 0), from(position, c, 1));
    };
    append(query_back_, far.query_back);
    append(query_ahead_, far.query_ahead);
    append(far_key_, far.key);
  }
}

TermGradients TermHead::no_gradients() const {
  const std::vector<double> rows(static_cast<size_t>(length_ * width_));
  return {.query = rows,
          .key = rows,
          .turned_query = rows,
          .turned_key = rows,
          .vectors = std::vector<double>(vectors_.size()),
          .directions = std::vector<double>(directions_.size()),
          .strengths = std::vector<double>(strengths_.size())};
}

// --- Positions by gates --------------------------------------------------------------------------

TermHead::Place TermHead::place_of(double position) const {
  if (position >= static_cast<double>(most_)) return {.below = most_ - 1, .share = 1.0, .moves = false};
  const auto below = std::min(static_cast<int64_t>(position), most_ - 1);
  return {.below = below, .share = position - static_cast<double>(below)};
}

void TermHead::sum_gates(const KeySpan& seen, int64_t i, const double* scaled, double* gates, double* sums) const {
  double sum = 0.0;
  for (int64_t j = seen.end - 1; j >= seen.first; --j) {
    gates[j] = sigmoid(scaled[i * length_ + j]);
    sums[j] = sum += gates[j];
  }
}

void TermHead::add_positions(const TermRows& rows, const KeyMask& mask, const double* scaled, double* logits) const {
  if (!has_positions()) return;
  const auto n = static_cast<size_t>(length_);
  std::vector<double> gates(n), sums(n), whole(static_cast<size_t>(most_) + 1);
  for (int64_t i = 0; i < length_; ++i) {
    const KeySpan seen = mask.seen_by(i, length_);
    sum_gates(seen, i, scaled, gates.data(), sums.data());
    for (int64_t p = 0; p <= most_; ++p) {
      whole[static_cast<size_t>(p)] =
          inner_product_of(rows.query + i * width_, &vectors_[static_cast<size_t>(p * width_)], width_);
    }
    for (int64_t j = seen.first; j < seen.end; ++j) {
      const Place place = place_of(sums[static_cast<size_t>(j)]);
      const auto below = static_cast<size_t>(place.below);
      logits[i * length_ + j] += (1.0 - place.share) * whole[below] + place.share * whole[below + 1];
    }
  }
}

void TermHead::positions_back(const TermRows& rows, const KeyMask& mask, const double* scaled, const double* dlogits,
                              double* dscaled, TermGradients& gradients) const {
  if (!has_positions()) return;
  const auto n = static_cast<size_t>(length_);
  std::vector<double> gates(n), sums(n), whole(static_cast<size_t>(most_) + 1), dwhole(whole.size());
  for (int64_t i = 0; i < length_; ++i) {
    const KeySpan seen = mask.seen_by(i, length_);
    sum_gates(seen, i, scaled, gates.data(), sums.data());
    const double* query = rows.query + i * width_;
    for (int64_t p = 0; p <= most_; ++p) {
      whole[static_cast<size_t>(p)] = inner_product_of(query, &vectors_[static_cast<size_t>(p * width_)], width_);
    }
    std::fill(dwhole.begin(), dwhole.end(), 0.0);
    // The gate of key t is in the positions of the keys up to it.
    double dgate = 0.0;
    for (int64_t j = seen.first; j < seen.end; ++j) {
      const auto at = static_cast<size_t>(j);
      const Place place = place_of(sums[at]);
      const auto below = static_cast<size_t>(place.below);
      const double dlogit = dlogits[i * length_ + j];
      dwhole[below] += dlogit * (1.0 - place.share);
      dwhole[below + 1] += dlogit * place.share;
      if (place.moves) dgate += dlogit * (whole[below + 1] - whole[below]);
      dscaled[i * length_ + j] += gates[at] * (1.0 - gates[at]) * dgate;
    }
    for (int64_t p = 0; p <= most_; ++p) {
      const double dp = dwhole[static_cast<size_t>(p)];
      if (dp == 0.0) continue;
      add_scaled(&gradients.query[static_cast<size_t>(i * width_)], dp, &vectors_[static_cast<size_t>(p * width_)],
                 width_);
      add_scaled(&gradients.vectors[static_cast<size_t>(p * width_)], dp, query, width_);
    }
  }
}

// --- Reflections ---------------------------------------------------------------------------------

double TermHead::reflect(int64_t t, double* x) const {
  const double* w = &directions_[static_cast<size_t>(t * width_)];
  const double along = inner_product_of(w, x, width_);
  add_scaled(x, -strengths_[static_cast<size_t>(t)] * along, w, width_);
  return along;
}

void TermHead::reflected_products(const TermRows& rows, const KeyMask& mask, double* products) const {
  std::vector<double> x(static_cast<size_t>(width_));
  for (int64_t i = 0; i < length_; ++i) {
    const KeySpan seen = mask.seen_by(i, length_);
    std::copy_n(rows.turned_query + i * width_, width_, x.begin());
    for (int64_t j = i; j >= seen.first; --j) {
      products[i * length_ + j] = inner_product_of(x.data(), rows.turned_key + j * width_, width_);
      if (j > seen.first) reflect(j, x.data());
    }
  }
}

void TermHead::reflected_back(const TermRows& rows, const KeyMask& mask, const double* dproducts,
                              TermGradients& gradients) const {
  const auto row = [this](std::vector<double>& x, int64_t t) { return &x[static_cast<size_t>(t * width_)]; };
  // x_j: what key j is multiplied with, for one query; x_(j-1) = H_j x_j.
  std::vector<double> x(static_cast<size_t>(length_ * width_)), dx(static_cast<size_t>(width_));
  std::vector<double> along(static_cast<size_t>(length_));
  for (int64_t i = 0; i < length_; ++i) {
    const KeySpan seen = mask.seen_by(i, length_);
    std::copy_n(rows.turned_query + i * width_, width_, row(x, i));
    for (int64_t j = i; j > seen.first; --j) {
      std::copy_n(row(x, j), width_, row(x, j - 1));
      along[static_cast<size_t>(j)] = reflect(j, row(x, j - 1));
    }
    std::fill(dx.begin(), dx.end(), 0.0);
    for (int64_t j = seen.first; j <= i; ++j) {
      if (j > seen.first) {
        const auto at = static_cast<size_t>(j);
        const double* w = &directions_[at * static_cast<size_t>(width_)];
        const double dalong = inner_product_of(w, dx.data(), width_);
        gradients.strengths[at] -= dalong * along[at];
        add_scaled(row(gradients.directions, j), -strengths_[at] * along[at], dx.data(), width_);
        add_scaled(row(gradients.directions, j), -strengths_[at] * dalong, row(x, j), width_);
        add_scaled(dx.data(), -strengths_[at] * dalong, w, width_);
      }
      const double d = dproducts[i * length_ + j];
      add_scaled(dx.data(), d, rows.turned_key + j * width_, width_);
      add_scaled(row(gradients.turned_key, j), d, row(x, j), width_);
    }
    add_scaled(row(gradients.turned_query, i), 1.0, dx.data(), width_);
  }
  // From unit vectors and strengths to the numbers that they are made of.
  for (int64_t t = 0; t < length_; ++t) {
    const auto at = static_cast<size_t>(t);
    const double half = strengths_[at] / 2.0;
    gradients.strengths[at] *= 2.0 * half * (1.0 - half);
    const double* w = &directions_[at * static_cast<size_t>(width_)];
    double* dw = row(gradients.directions, t);
    const double along_w = inner_product_of(w, dw, width_);
    for (int64_t c = 0; c < width_; ++c) dw[c] = (dw[c] - w[c] * along_w) / norms_[at];
  }
}

// --- Far keys ------------------------------------------------------------------------------------

bool TermHead::is_far(int64_t i, int64_t j) const {
  return std::abs(positions_[static_cast<size_t>(i)] - positions_[static_cast<size_t>(j)]) >= window_;
}

std::vector<double> TermHead::far_rows(const double* rows, const Factors& factors) const {
  std::vector<double> result(rows, rows + length_ * width_);
  for (int64_t t = 0; t < length_; ++t) {
    for (int64_t c = 0; c < far_pairs_; ++c) {
      const int64_t a = t * width_ + far_first_ + (halves_ ? c : 2 * c);
      double& first = result[static_cast<size_t>(a)];
      double& second = result[static_cast<size_t>(halves_ ? a + far_pairs_ : a + 1)];
      const std::complex<double> turned =
          std::complex<double>(first, second) * factors[static_cast<size_t>(t * far_pairs_ + c)];
      first = turned.real();
      second = turned.imag();
    }
  }
  return result;
}

void TermHead::add_far_back(const std::vector<double>& turned, const Factors& factors,
                            std::vector<double>& gradient) const {
  Factors conjugate(factors.size());
  std::transform(factors.begin(), factors.end(), conjugate.begin(), [](const auto& f) { return std::conj(f); });
  const std::vector<double> back = far_rows(turned.data(), conjugate);
  for (size_t e = 0; e < back.size(); ++e) gradient[e] += back[e];
}

// --- Products ------------------------------------------------------------------------------------

void TermHead::products(const TermRows& rows, const KeyMask& mask, double* products) const {
  if (has_reflections()) return reflected_products(rows, mask, products);
  std::vector<double> back, ahead, far_key;
  if (has_far()) {
    back = far_rows(rows.query, query_back_);
    ahead = far_rows(rows.query, query_ahead_);
    far_key = far_rows(rows.key, far_key_);
  }
  for (int64_t i = 0; i < length_; ++i) {
    const KeySpan seen = mask.seen_by(i, length_);
    for (int64_t j = seen.first; j < seen.end; ++j) {
      const bool far = has_far() && is_far(i, j);
      const double* query = !far ? rows.turned_query : looks_back(i, j) ? back.data() : ahead.data();
      const double* key = far ? far_key.data() : rows.turned_key;
      products[i * length_ + j] = inner_product_of(query + i * width_, key + j * width_, width_);
    }
  }
}

void TermHead::products_back(const TermRows& rows, const KeyMask& mask, const double* dproducts,
                             TermGradients& gradients) const {
  if (has_reflections()) return reflected_back(rows, mask, dproducts, gradients);
  std::vector<double> back, ahead, far_key, dback, dahead, dfar_key;
  if (has_far()) {
    back = far_rows(rows.query, query_back_);
    ahead = far_rows(rows.query, query_ahead_);
    far_key = far_rows(rows.key, far_key_);
    dback.resize(back.size());
    dahead.resize(ahead.size());
    dfar_key.resize(far_key.size());
  }
  for (int64_t i = 0; i < length_; ++i) {
    const KeySpan seen = mask.seen_by(i, length_);
    for (int64_t j = seen.first; j < seen.end; ++j) {
      const double d = dproducts[i * length_ + j];
      if (d == 0.0) continue;
      const bool far = has_far() && is_far(i, j), looking_back = far && looks_back(i, j);
      const double* query = !far ? rows.turned_query : looking_back ? back.data() : ahead.data();
      const double* key = far ? far_key.data() : rows.turned_key;
      double* dquery = !far ? gradients.turned_query.data() : looking_back ? dback.data() : dahead.data();
      double* dkey = far ? dfar_key.data() : gradients.turned_key.data();
      add_scaled(dquery + i * width_, d, key + j * width_, width_);
      add_scaled(dkey + j * width_, d, query + i * width_, width_);
    }
  }
  if (!has_far()) return;
  add_far_back(dback, query_back_, gradients.query);
  add_far_back(dahead, query_ahead_, gradients.query);
  add_far_back(dfar_key, far_key_, gradients.key);
}

}  // namespace phasor
