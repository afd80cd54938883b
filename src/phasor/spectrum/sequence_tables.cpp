#include "phasor/spectrum/sequence_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/engine/download.h"

namespace phasor {
namespace {

bool all_zero(const Dense& a) {
  return std::all_of(a.values().begin(), a.values().end(), [](double value) { return value == 0.0; });
}

}  // namespace

SequenceTables::SequenceTables(Backend& backend, const Attention& attention, const std::vector<int32_t>& head_set,
                               const std::vector<int32_t>& token_set, const SequencePlace& place)
    : length_(place.length), width_(attention.shape.turned_width()), head_set_(head_set), causal_(attention.causal) {
  const RotationTable& rotation = attention.rotation;
  if (rotation.query.empty()) {
    head_set_.assign(static_cast<size_t>(attention.shape.heads), -1);
  }
  const bool by_tokens = !token_set.empty();
  const int64_t count = by_tokens ? rotation.token.extent(2) : rotation.query.empty() ? 0 : rotation.query.extent(2);
  for (int64_t c = 0; c < count; ++c) {
    const int64_t first = rotation.first + (rotation.halves ? c : 2 * c);
    pairs_.emplace_back(first, rotation.halves ? first + count : first + 1);
  }
  if (!rotation.query.empty()) {
    query_factors_ = read_factors(backend, rotation, rotation.query, place);
    key_factors_ = read_factors(backend, rotation, rotation.key, place);
  }
  read_row_scales(backend, attention, place);
  if (by_tokens) add_token_factors(token_set, count, place);
  read_biases(backend, attention, place);
  add_gates(attention.causal, place);
  scales_.assign(static_cast<size_t>(heads()), static_cast<double>(attention.scale));
  if (!attention.head_scale.empty()) {
    const std::vector<float> factors = download(backend, attention.head_scale.data(), heads());
    for (size_t h = 0; h < scales_.size(); ++h) scales_[h] *= static_cast<double>(factors[h]);
  }
  query_rows_ = read_rows(backend, attention.query_rows, place);
  key_rows_ = read_rows(backend, attention.key_rows, place);
  if (!attention.query_shift.empty()) {
    const std::vector<float> shift = download(backend, attention.query_shift.data(), heads() * width_);
    query_shift_.assign(shift.begin(), shift.end());
  }
  if (!attention.row_shift.empty()) add_shift_biases(backend, attention);
}

SequenceTables::Factors SequenceTables::read_factors(Backend& backend, const RotationTable& rotation,
                                                     const View<const float, 4>& table,
                                                     const SequencePlace& place) const {
  const int64_t pairs = table.extent(2);
  Factors result;
  for (int64_t set = 0; set < rotation.sets; ++set) {
    ComplexDense factors(length_, pairs);
    std::fill(factors.values().begin(), factors.values().end(), 1.0);
    for (int64_t axis = 0; axis < rotation.axes; ++axis) {
      const int64_t slab = (place.rotation_table * rotation.sets + set) * rotation.axes + axis;
      const int64_t stride = table.stride(1);
      const std::vector<float> values =
          download(backend, table.row(slab, 0, 0), (table.extent(1) - 1) * stride + pairs * 2);
      for (int64_t t = 0; t < length_; ++t) {
        const float* f = values.data() + place.position(t, axis) * stride;
        for (int64_t c = 0; c < pairs; ++c) factors(t, c) *= std::complex<double>(f[2 * c], f[2 * c + 1]);
      }
    }
    result.push_back(std::move(factors));
  }
  return result;
}

void SequenceTables::read_row_scales(Backend& backend, const Attention& attention, const SequencePlace& place) {
  const RowScale& scale = attention.row_scale;
  row_scales_.resize(static_cast<size_t>(heads()));
  if (scale.table.empty()) return;
  const int64_t columns = scale.table.extent(1);
  for (int64_t h = 0; h < heads(); ++h) {
    const std::vector<float> row = download(backend, scale.table.row(place.scale_table * heads() + h), columns);
    std::vector<double> factors;
    for (int64_t t = 0; t < length_; ++t) {
      const int64_t column = columns > 1 ? place.position(t, scale.axis) : 0;
      factors.push_back(static_cast<double>(row[static_cast<size_t>(column)]));
    }
    // A table has rows of ones for heads that its terms were not given to.
    const bool any = std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1.0; });
    if (any) row_scales_[static_cast<size_t>(h)] = std::move(factors);
  }
}

Dense SequenceTables::scaled(Dense queries) const {
  for (int64_t h = 0; h < heads(); ++h) {
    const std::vector<double>& factors = row_scale(h);
    for (int64_t t = 0; t < static_cast<int64_t>(factors.size()); ++t) {
      double* x = queries.row(t) + h * width_;
      for (int64_t c = 0; c < width_; ++c) x[c] *= factors[static_cast<size_t>(t)];
    }
  }
  return queries;
}

void SequenceTables::read_biases(Backend& backend, const Attention& attention, const SequencePlace& place) {
  const DistanceBias& bias = attention.bias;
  biases_.resize(static_cast<size_t>(heads()));
  if (bias.table.empty()) return;
  int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
  for (int64_t t = 0; t < length_; ++t) {
    least = std::min(least, place.position(t, bias.axis));
    most = std::max(most, place.position(t, bias.axis));
  }
  for (int64_t h = 0; h < heads(); ++h) {
    Dense matrix(length_, length_);
    const int64_t first_row = (place.bias_table * heads() + h) * bias.rows;
    std::vector<float> row;
    int64_t first_column = 0;
    for (int64_t i = 0; i < length_; ++i) {
      const int64_t here = place.position(i, bias.axis);
      if (bias.rows > 1) {  // of a table that may be large, what this query reads
        first_column = bias.reach + least - here;
        row = download(backend, bias.table.row(first_row + here) + first_column, most - least + 1);
      } else if (row.empty()) {
        row = download(backend, bias.table.row(first_row), bias.table.extent(1));
      }
      const int64_t visible = attention.causal ? i + 1 : length_;
      for (int64_t j = 0; j < visible; ++j) {
        const int64_t column = bias.reach + place.position(j, bias.axis) - here;
        matrix(i, j) = static_cast<double>(row[static_cast<size_t>(column - first_column)]);
      }
    }
    // A table has rows of zeros for heads that its terms were not given to.
    if (!all_zero(matrix)) biases_[static_cast<size_t>(h)] = std::move(matrix);
  }
}

// Sets of this sequence, behind those of the tables.
void SequenceTables::add_token_factors(const std::vector<int32_t>& token_set, int64_t pairs,
                                       const SequencePlace& place) {
  const auto first = static_cast<int32_t>(query_factors_.size());
  const auto sets = static_cast<int64_t>(place.token_factors.size()) / (length_ * pairs);
  for (int64_t set = 0; set < sets; ++set) {
    ComplexDense factors(length_, pairs);
    for (int64_t t = 0; t < length_; ++t) {
      for (int64_t c = 0; c < pairs; ++c) {
        factors(t, c) = place.token_factors[static_cast<size_t>((t * sets + set) * pairs + c)];
      }
    }
    query_factors_.push_back(factors);
    key_factors_.push_back(std::move(factors));
  }
  for (size_t h = 0; h < token_set.size(); ++h) {
    if (token_set[h] >= 0) head_set_[h] = first + token_set[h];
  }
}

// What gates take from the logits joins the bias.
void SequenceTables::add_gates(bool causal, const SequencePlace& place) {
  gated_.assign(static_cast<size_t>(heads()), false);
  if (place.prefix.empty()) return;
  const auto sum = [&](int64_t token, int64_t head) {
    return place.prefix[static_cast<size_t>(token * heads() + head)];
  };
  for (int64_t h = 0; h < heads(); ++h) {
    bool any = false;  // heads without a gate have zeros
    for (int64_t t = 0; t < length_; ++t) any = any || sum(t, h) != 0.0;
    if (!any) continue;
    gated_[static_cast<size_t>(h)] = true;
    Dense& bias = biases_[static_cast<size_t>(h)];
    if (bias.rows() == 0) bias = Dense(length_, length_);
    for (int64_t i = 0; i < length_; ++i) {
      const int64_t visible = causal ? i + 1 : length_;
      for (int64_t j = 0; j < visible; ++j) bias(i, j) -= std::abs(sum(i, h) - sum(j, h));
    }
  }
}

SequenceTables::Rows SequenceTables::read_rows(Backend& backend, const DistanceRows& rows, const SequencePlace& place) {
  Rows result;
  if (rows.table.empty()) return result;
  result.table = Dense(rows.table.extent(0), rows.table.extent(1));
  const std::vector<float> values = download(backend, rows.table.data(), rows.table.size());
  std::copy(values.begin(), values.end(), result.table.values().begin());
  result.index = download(backend, rows.index.data(), rows.index.size());
  result.reach = rows.reach;
  for (int64_t t = 0; t < place.length; ++t) result.positions.push_back(place.position(t, rows.axis));
  return result;
}

const double* SequenceTables::Rows::of(int64_t head, int64_t width, int64_t i, int64_t j) const {
  const int64_t distance = positions[static_cast<size_t>(j)] - positions[static_cast<size_t>(i)];
  const int32_t row = index[static_cast<size_t>(reach + distance)];
  return table.row(row) + (table.columns() > width ? head * width : 0);
}

void SequenceTables::add_shift_biases(Backend& backend, const Attention& attention) {
  const std::vector<float> shift = download(backend, attention.row_shift.data(), heads() * width_);
  for (int64_t h = 0; h < heads(); ++h) {
    Dense matrix(length_, length_);
    for (int64_t i = 0; i < length_; ++i) {
      for (int64_t j = 0; j < (causal_ ? i + 1 : length_); ++j) {
        const double* row = query_rows_.of(h, width_, i, j);
        double sum = 0.0;
        for (int64_t c = 0; c < width_; ++c)
          sum += static_cast<double>(shift[static_cast<size_t>(h * width_ + c)]) * row[c];
        matrix(i, j) = scale(h, i) * sum;
      }
    }
    Dense& bias = biases_[static_cast<size_t>(h)];
    for (size_t e = 0; e < bias.values().size(); ++e) matrix.values()[e] += bias.values()[e];
    if (!all_zero(matrix)) bias = std::move(matrix);
  }
}

double SequenceTables::scale(int64_t head, int64_t query) const {
  const std::vector<double>& factors = row_scale(head);
  const double scale = scales_[static_cast<size_t>(head)];
  return factors.empty() ? scale : scale * factors[static_cast<size_t>(query)];
}

Dense SequenceTables::shifted_queries(DenseView queries) const {
  Dense result = copy_of(queries);
  for (int64_t t = 0; t < (query_shift_.empty() ? 0 : result.rows()); ++t) {
    for (size_t c = 0; c < query_shift_.size(); ++c) result.row(t)[c] += query_shift_[c];
  }
  return result;
}

double SequenceTables::row_product(int64_t head, int64_t i, int64_t j, const double* query, const double* key) const {
  double sum = 0.0;
  if (!query_rows_.index.empty()) {
    const double* row = query_rows_.of(head, width_, i, j);
    for (int64_t c = 0; c < width_; ++c) sum += query[c] * row[c];
  }
  if (!key_rows_.index.empty()) {
    const double* row = key_rows_.of(head, width_, i, j);
    for (int64_t c = 0; c < width_; ++c) sum += key[c] * row[c];
  }
  return sum;
}

Dense SequenceTables::row_products(int64_t head, DenseView queries, DenseView keys) const {
  if (!has_rows()) return {};
  Dense result(length_, length_);
  for (int64_t i = 0; i < length_; ++i) {
    for (int64_t j = 0; j < (causal_ ? i + 1 : length_); ++j) {
      result(i, j) = scale(head, i) * row_product(head, i, j, queries.row(i), keys.row(j));
    }
  }
  // Heads that have none read zeros.
  return all_zero(result) ? Dense() : result;
}

Dense SequenceTables::turned(DenseView rows, const Factors& factors) const {
  if (rows.extent(0) != length_ || rows.extent(1) != heads() * width_) {
    fail("queries and keys of this sequence are {} x {}, not {} x {}", length_, heads() * width_, rows.extent(0),
         rows.extent(1));
  }
  Dense result = copy_of(rows);
  for (int64_t t = 0; t < length_; ++t) {
    for (int64_t h = 0; h < heads(); ++h) {
      if (!is_turned(h)) continue;
      const std::complex<double>* f = factors[static_cast<size_t>(head_set_[static_cast<size_t>(h)])].row(t);
      double* x = result.row(t) + h * width_;
      for (size_t c = 0; c < pairs_.size(); ++c) {
        double& a = x[pairs_[c].first];
        double& b = x[pairs_[c].second];
        const double real = a * f[c].real() - b * f[c].imag();
        b = a * f[c].imag() + b * f[c].real();
        a = real;
      }
    }
  }
  return result;
}

std::vector<std::pair<int64_t, int64_t>> SequenceTables::pairs(int64_t head) const {
  return is_turned(head) ? pairs_ : std::vector<std::pair<int64_t, int64_t>>();
}

}  // namespace phasor
