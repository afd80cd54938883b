#include "phasor/spectrum/additive_states.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/engine/download.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace {

// Rows that a factor's level or a cell has, and their mean.
struct Group {
  int64_t count = 0;
  std::vector<double> mean;
};

void add_to(Group& group, const double* row, size_t columns) {
  group.mean.resize(columns);
  for (size_t c = 0; c < columns; ++c) group.mean[c] += row[c];
  ++group.count;
}

void finish(Group& group) {
  for (double& value : group.mean) value /= static_cast<double>(group.count);
}

double squares(const std::vector<double>& x) {
  double total = 0.0;
  for (const double value : x) total += value * value;
  return total;
}

// The layout of the rows in use: levels numbered from 0, states less their mean.
struct Layout {
  Dense states;
  std::vector<int64_t> token, position, cell;
  std::vector<std::pair<int64_t, int64_t>> cells;  // token and position of each
  int64_t tokens = 0, positions = 0;
};

int64_t numbered(std::map<int32_t, int64_t>& numbers, int32_t level) {
  return numbers.emplace(level, static_cast<int64_t>(numbers.size())).first->second;
}

Layout layout_of(DenseView states, const std::vector<int32_t>& tokens, const std::vector<int32_t>& positions) {
  std::map<std::pair<int32_t, int32_t>, int64_t> counts;
  for (size_t r = 0; r < tokens.size(); ++r) ++counts[{tokens[r], positions[r]}];
  Layout layout;
  std::map<int32_t, int64_t> token_numbers, position_numbers;
  std::map<std::pair<int32_t, int32_t>, int64_t> cell_numbers;
  std::vector<int64_t> used;
  for (size_t r = 0; r < tokens.size(); ++r) {
    if (counts[{tokens[r], positions[r]}] < 2) continue;
    used.push_back(static_cast<int64_t>(r));
    layout.token.push_back(numbered(token_numbers, tokens[r]));
    layout.position.push_back(numbered(position_numbers, positions[r]));
    const auto [place, added] =
        cell_numbers.emplace(std::pair{tokens[r], positions[r]}, static_cast<int64_t>(cell_numbers.size()));
    if (added) layout.cells.emplace_back(layout.token.back(), layout.position.back());
    layout.cell.push_back(place->second);
  }
  layout.tokens = static_cast<int64_t>(token_numbers.size());
  layout.positions = static_cast<int64_t>(position_numbers.size());
  layout.states = Dense(static_cast<int64_t>(used.size()), states.extent(1));
  Group all;
  for (size_t r = 0; r < used.size(); ++r) {
    const double* row = states.row(used[r]);
    std::copy_n(row, states.extent(1), layout.states.row(static_cast<int64_t>(r)));
    add_to(all, row, static_cast<size_t>(states.extent(1)));
  }
  finish(all);
  for (int64_t r = 0; r < layout.states.rows(); ++r) {
    for (size_t c = 0; c < all.mean.size(); ++c) layout.states.row(r)[c] -= all.mean[c];
  }
  return layout;
}

std::vector<Group> groups(const Layout& layout, const std::vector<int64_t>& level, int64_t levels) {
  std::vector<Group> result(static_cast<size_t>(levels));
  for (size_t r = 0; r < level.size(); ++r) {
    add_to(result[static_cast<size_t>(level[r])], layout.states.row(static_cast<int64_t>(r)),
           static_cast<size_t>(layout.states.columns()));
  }
  for (Group& group : result) finish(group);
  return result;
}

// Sum of squares of the groups' means about 0, which is the mean of all rows.
double between(const std::vector<Group>& groups) {
  double total = 0.0;
  for (const Group& group : groups) total += static_cast<double>(group.count) * squares(group.mean);
  return total;
}

struct Reduction {
  double squares = 0.0;
  int64_t freedom = 0;
};

// What places add to tokens. With the tokens' effects eliminated the normal equations are M p = y with
//   M = diag(n_p) - sum_t n_tp n_tp' / n_t,   y_p = sum of the rows at p less their token's mean,
// and the sum of squares they explain is y^T M^+ y. M is singular along a constant in every set of places that tokens
// connect, so its rank is the degrees of freedom.
Reduction position_after_token(const Layout& layout, const std::vector<Group>& tokens,
                               const std::vector<Group>& cells) {
  const int64_t count = layout.positions, columns = layout.states.columns();
  Dense incidence(layout.tokens, count);  // n_tp / sqrt(n_t)
  Dense matrix(count, count), right(count, columns);
  for (size_t c = 0; c < cells.size(); ++c) {
    const auto [t, p] = layout.cells[c];
    const Group& token = tokens[static_cast<size_t>(t)];
    const auto rows = static_cast<double>(cells[c].count);
    incidence(t, p) = rows / std::sqrt(static_cast<double>(token.count));
    matrix(p, p) += rows;
    for (int64_t k = 0; k < columns; ++k) {
      right(p, k) += rows * (cells[c].mean[static_cast<size_t>(k)] - token.mean[static_cast<size_t>(k)]);
    }
  }
  const Dense shared = transposed_product(incidence, incidence);
  double largest = 0.0;
  for (int64_t p = 0; p < count; ++p) {
    largest = std::max(largest, matrix(p, p));
    for (int64_t other = 0; other < count; ++other) matrix(p, other) -= shared(p, other);
  }
  const SymmetricVectors eigen = symmetric_vectors(matrix);
  const Dense along = product(eigen.vectors, right);
  // Counts are whole numbers: what is singular is so up to the rounding of the largest of them.
  const double rounding = largest * static_cast<double>(count) * 16.0 * std::numeric_limits<double>::epsilon();
  Reduction result;
  for (int64_t p = 0; p < count; ++p) {
    const double value = eigen.values[static_cast<size_t>(p)];
    if (value <= rounding) continue;
    ++result.freedom;
    double part = 0.0;
    for (int64_t k = 0; k < columns; ++k) part += along(p, k) * along(p, k);
    result.squares += part / value;
  }
  return result;
}

// Rows less their cell's mean.
Dense within_cells(const Layout& layout, const std::vector<Group>& cells) {
  Dense rest = layout.states;
  for (int64_t r = 0; r < rest.rows(); ++r) {
    const std::vector<double>& mean = cells[static_cast<size_t>(layout.cell[static_cast<size_t>(r)])].mean;
    for (size_t c = 0; c < mean.size(); ++c) rest.row(r)[c] -= mean[c];
  }
  return rest;
}

double squares(const Dense& a) { return squares(a.values()); }

Dense downloaded(Backend& backend, const ConstMatrix& from, int64_t rows) {
  const std::vector<float> values = download(backend, from, rows);
  Dense result(rows, from.columns());
  std::copy(values.begin(), values.end(), result.values().begin());
  return result;
}

}  // namespace

AdditiveStates additive_states(DenseView states, const std::vector<int32_t>& tokens,
                               const std::vector<int32_t>& positions) {
  const auto rows = static_cast<size_t>(states.extent(0));
  if (tokens.size() != rows || positions.size() != rows) {
    fail("{} hidden states with {} tokens and {} positions: one of each is needed", rows, tokens.size(),
         positions.size());
  }
  require_finite(states, "hidden states");
  AdditiveStates result;
  result.rows = states.extent(0);
  const Layout layout = layout_of(states, tokens, positions);
  result.used_rows = layout.states.rows();
  result.tokens = layout.tokens;
  result.positions = layout.positions;
  result.cells = static_cast<int64_t>(layout.cells.size());
  if (result.cells < 2) return result;
  result.total = squares(layout.states);
  const double unit = std::numeric_limits<double>::epsilon() * static_cast<double>(result.used_rows);
  result.defined = result.total > unit * unit * squares(copy_of(states));
  if (!result.defined) return result;

  const std::vector<Group> by_token = groups(layout, layout.token, layout.tokens);
  const std::vector<Group> by_cell = groups(layout, layout.cell, result.cells);
  const double token = between(by_token);
  const Reduction position = position_after_token(layout, by_token, by_cell);
  const Dense rest = within_cells(layout, by_cell);
  const double within = squares(rest);
  const double interaction = between(by_cell) - token - position.squares;
  result.position_freedom = position.freedom;
  result.interaction_freedom = result.cells - layout.tokens - position.freedom;
  result.within_freedom = result.used_rows - result.cells;  // at least one for every cell
  const double mean_square = within / static_cast<double>(result.within_freedom);
  const auto share = [&](double effect, int64_t freedom) {
    return (effect - static_cast<double>(freedom) * mean_square) / result.total;
  };
  result.token = share(token, layout.tokens - 1);
  result.position = share(position.squares, position.freedom);
  result.interaction = share(interaction, result.interaction_freedom);
  result.context = static_cast<double>(result.used_rows - 1) * mean_square / result.total;

  // A sum of squares with f degrees of freedom of vectors with covariance V has variance 2 f tr(V^2).
  const Dense scatter = transposed_product(rest, rest);
  const double freedom = static_cast<double>(result.within_freedom);
  const double trace = squares(scatter) / (freedom * freedom);
  const auto tested = static_cast<double>(result.interaction_freedom);
  result.interaction_deviation = std::sqrt(2.0 * trace * (tested + tested * tested / freedom)) / result.total;
  return result;
}

std::vector<StreamStates> stream_states(Transformer& model, const Batch& batch) {
  const Activations& activations = model.activations();
  const int64_t layers = model.config().layers;
  const auto states = [&](const ConstMatrix& matrix) {
    return additive_states(downloaded(model.backend(), matrix, batch.token_count()), batch.tokens, batch.positions);
  };
  std::vector<StreamStates> result;
  for (int64_t l = 0; l <= layers; ++l) {
    StreamStates entry{.layer = l};
    entry.stream = states(activations.stream[static_cast<size_t>(2 * l)]);
    const NormActivations& norm =
        l < layers ? activations.layers[static_cast<size_t>(l)].attention_norm : activations.final_norm;
    if (!norm.y.empty()) entry.normed = states(norm.y);
    result.push_back(entry);
  }
  return result;
}

}  // namespace phasor
