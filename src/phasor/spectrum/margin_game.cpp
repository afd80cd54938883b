#include "phasor/spectrum/margin_game.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"

namespace phasor {
namespace {

using Vector = std::vector<double>;

// The game in units: |q| <= 1 and 0 <= m <= 1, m the last coordinate where there is one.
struct UnitGame {
  Dense rows;
  bool sloped = false;
  double largest = 0.0;  // length of a row

  explicit UnitGame(const MarginGame& game) : sloped(!game.slopes.empty()) {
    const int64_t width = game.rows.columns();
    rows = Dense(game.rows.rows(), width + (sloped ? 1 : 0));
    for (int64_t i = 0; i < rows.rows(); ++i) {
      double squares = 0.0;
      for (int64_t c = 0; c < width; ++c) rows(i, c) = game.radius * game.rows(i, c);
      if (sloped) rows(i, width) = game.slope * game.slopes[static_cast<size_t>(i)];
      for (int64_t c = 0; c < rows.columns(); ++c) squares += rows(i, c) * rows(i, c);
      largest = std::max(largest, std::sqrt(squares));
    }
  }

  int64_t query_width() const { return rows.columns() - (sloped ? 1 : 0); }

  Vector payoffs(const Vector& x) const {
    Vector result(static_cast<size_t>(rows.rows()));
    for (int64_t i = 0; i < rows.rows(); ++i) {
      double total = 0.0;
      for (int64_t c = 0; c < rows.columns(); ++c) total += rows(i, c) * x[static_cast<size_t>(c)];
      result[static_cast<size_t>(i)] = total;
    }
    return result;
  }
  Vector mixed(const Vector& weights) const {
    Vector result(static_cast<size_t>(rows.columns()));
    for (int64_t i = 0; i < rows.rows(); ++i) {
      for (int64_t c = 0; c < rows.columns(); ++c) {
        result[static_cast<size_t>(c)] += weights[static_cast<size_t>(i)] * rows(i, c);
      }
    }
    return result;
  }
  void project(Vector& x) const {
    const double length = query_length(x);
    if (length > 1.0) {
      for (int64_t c = 0; c < query_width(); ++c) x[static_cast<size_t>(c)] *= 1.0 - (length - 1.0) / length;
    }
    if (sloped) x.back() = std::clamp(x.back(), 0.0, 1.0);
  }
  // The most that any parameters make of these weights: a bound for every margin.
  double bound(const Vector& weights) const {
    const Vector g = mixed(weights);
    return query_length(g) + (sloped ? std::max(0.0, g.back()) : 0.0);
  }

 private:
  double query_length(const Vector& x) const {
    double squares = 0.0;
    for (int64_t c = 0; c < query_width(); ++c) squares += x[static_cast<size_t>(c)] * x[static_cast<size_t>(c)];
    return std::sqrt(squares);
  }
};

// Weights that move against their payoffs: multiplied by exp(-step * payoff) and made to sum up to 1.
Vector moved(const Vector& weights, const Vector& payoffs, double step) {
  const double least = *std::min_element(payoffs.begin(), payoffs.end());
  Vector result(weights.size());
  double total = 0.0;
  for (size_t i = 0; i < weights.size(); ++i) {
    result[i] = weights[i] * std::exp(-step * (payoffs[i] - least));
    total += result[i];
  }
  // No weight may die out: it could not come back.
  const double floor = 1e-300;
  for (double& weight : result) weight = std::max(weight / total, floor);
  return result;
}

Vector stepped(const UnitGame& game, const Vector& x, const Vector& direction, double step) {
  Vector result = x;
  for (size_t c = 0; c < x.size(); ++c) result[c] += step * direction[c];
  game.project(result);
  return result;
}

double least(const Vector& values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

double margin_of(const MarginGame& game, const Vector& query, double slope) {
  double worst = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < game.rows.rows(); ++i) {
    double total = game.slopes.empty() ? 0.0 : game.slopes[static_cast<size_t>(i)] * slope;
    for (int64_t c = 0; c < game.rows.columns(); ++c) total += game.rows(i, c) * query[static_cast<size_t>(c)];
    worst = std::min(worst, total);
  }
  return worst;
}

MarginAnswer best_margin(const MarginGame& game, double tolerance, int64_t max_iterations) {
  const int64_t count = game.rows.rows();
  if (count == 0) fail("a margin needs something to be compared with");
  if (!game.slopes.empty() && static_cast<int64_t>(game.slopes.size()) != count) {
    fail("{} rows have {} slopes", count, game.slopes.size());
  }
  require_finite(game.rows, "a margin");
  const UnitGame unit(game);
  MarginAnswer answer;
  answer.query.resize(static_cast<size_t>(game.rows.columns()));
  answer.converged = unit.largest == 0.0;
  if (answer.converged) return answer;

  const double step = 1.0 / unit.largest;
  Vector x(static_cast<size_t>(unit.rows.columns()));
  Vector weights(static_cast<size_t>(count), 1.0 / static_cast<double>(count));
  Vector x_sum(x.size());
  Vector weight_sum(weights.size());
  answer.bound = unit.bound(weights);
  // One and the same margin from the running mean or from where the game stands, whichever is better.
  const auto look = [&](const Vector& candidate, const Vector& candidate_weights) {
    const double value = least(unit.payoffs(candidate));
    if (value > answer.margin) {
      answer.margin = value;
      for (size_t c = 0; c < answer.query.size(); ++c) answer.query[c] = game.radius * candidate[c];
      if (unit.sloped) answer.slope = game.slope * candidate.back();
    }
    answer.bound = std::min(answer.bound, unit.bound(candidate_weights));
  };
  constexpr int64_t kLook = 50;
  while (answer.iterations < max_iterations && !answer.converged) {
    const Vector x_ahead = stepped(unit, x, unit.mixed(weights), step);
    const Vector weights_ahead = moved(weights, unit.payoffs(x), step);
    const Vector direction = unit.mixed(weights_ahead);
    const Vector payoffs = unit.payoffs(x_ahead);
    x = stepped(unit, x, direction, step);
    weights = moved(weights, payoffs, step);
    for (size_t c = 0; c < x.size(); ++c) x_sum[c] += x_ahead[c];
    for (size_t i = 0; i < weights.size(); ++i) weight_sum[i] += weights_ahead[i];
    ++answer.iterations;
    if (answer.iterations % kLook != 0 && answer.iterations != max_iterations) continue;
    const double done = static_cast<double>(answer.iterations);
    Vector x_mean = x_sum;
    Vector weight_mean = weight_sum;
    for (double& value : x_mean) value /= done;
    for (double& value : weight_mean) value /= done;
    look(x_mean, weight_mean);
    look(x, weights);
    answer.converged = answer.bound - answer.margin <= tolerance * unit.largest;
  }
  return answer;
}

}  // namespace phasor
