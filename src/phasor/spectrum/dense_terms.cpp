#include "phasor/spectrum/dense_terms.h"

#include <utility>

#include "phasor/engine/download.h"
#include "phasor/engine/term_head.h"

namespace phasor {
namespace {

// The same view of memory on the host, which `to` keeps; its rows lie without gaps.
template <int Rank>
View<const float, Rank> copied_view(Backend& backend, const View<const float, Rank>& from, std::vector<float>& to) {
  if (from.empty()) return {};
  to = download(backend, from.data(), from.size());
  View<const float, Rank> view = from;
  if constexpr (Rank == 2) return View<const float, Rank>(to.data(), view.extent(0), view.extent(1));
  if constexpr (Rank == 3) return View<const float, Rank>(to.data(), view.extent(0), view.extent(1), view.extent(2));
}

View<const float, 2> first_rows(const View<const float, 2>& from, int64_t rows) {
  return from.empty() ? from : View<const float, 2>(from.data(), rows, from.extent(1));
}

}  // namespace

DenseTerms::DenseTerms(Backend& backend, const Attention& attention, int64_t tokens, std::vector<int32_t> positions,
                       int64_t axes)
    : positions_(std::move(positions)) {
  const DenseTerm& term = attention.dense;
  if (!term.any()) return;
  position_rows_ = View<const int32_t, 2>(positions_.data(), tokens, axes);
  head_set_ = download(backend, term.head_set.data(), attention.shape.heads);
  term_ = term;
  term_.head_set = View<const int32_t, 1>(head_set_.data(), attention.shape.heads);
  term_.positions.vectors = copied_view(backend, term.positions.vectors, vectors_);
  term_.reflections.directions = copied_view(backend, first_rows(term.reflections.directions, tokens), directions_);
  term_.reflections.strengths = copied_view(backend, first_rows(term.reflections.strengths, tokens), strengths_);
  term_.far.query_back = copied_view(backend, term.far.query_back, query_back_);
  term_.far.query_ahead = copied_view(backend, term.far.query_ahead, query_ahead_);
  term_.far.key = copied_view(backend, term.far.key, key_);
}

Dense DenseTerms::beyond_products(int64_t head, int64_t first, const Rows& rows) const {
  const int64_t n = rows.query.extent(0), width = rows.query.extent(1);
  const Dense query = copy_of(rows.query), scaled_query = copy_of(rows.scaled_query), key = copy_of(rows.key),
              turned_query = copy_of(rows.turned_query), turned_key = copy_of(rows.turned_key);
  const TermHead term(term_, head, first, n, width, position_rows_);
  const KeyMask mask{.causal = rows.causal};
  Dense scaled(n, n);
  term.products({scaled_query.data(), key.data(), turned_query.data(), turned_key.data()}, mask, scaled.data());
  for (double& value : scaled.values()) value *= rows.scale;
  Dense result = scaled;
  term.add_positions({query.data(), key.data(), turned_query.data(), turned_key.data()}, mask, scaled.data(),
                     result.data());
  const Dense plain = product_transposed(turned_query, turned_key);
  for (int64_t i = 0; i < n; ++i) {
    const KeySpan seen = mask.seen_by(i, n);
    for (int64_t j = seen.first; j < seen.end; ++j) result(i, j) -= rows.scale * plain(i, j);
  }
  return result;
}

}  // namespace phasor
