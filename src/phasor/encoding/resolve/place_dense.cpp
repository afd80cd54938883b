// The place of what needs all logits of a head at once.
#include <fmt/format.h>

#include <algorithm>

#include "phasor/encoding/resolve/places.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {

bool DensePlace::has(int64_t head) const { return std::find(heads.begin(), heads.end(), head) != heads.end(); }

void EncodingPlaces::add_dense(int64_t layer, const std::shared_ptr<const DensePlace>& place) {
  if (concatenated_) {
    fail_term(fmt::format("concat takes terms that are added to the embeddings, which {} is not", stack_.back()->name));
  }
  const Term*& owner = dense_terms_[static_cast<size_t>(layer)];
  if (owner != nullptr) {
    fail_term(clash(*owner, fmt::format("need all logits of layer {} at once, and a layer has one of them; give them "
                                        "different layers",
                                        layer)));
  }
  owner = stack_.back();
  resolved_.layers[static_cast<size_t>(layer)].dense = place;
}

void EncodingPlaces::check_dense() const {
  for (size_t l = 0; l < dense_terms_.size(); ++l) {
    const Term* dense = dense_terms_[l];
    if (dense == nullptr) continue;
    if (const Term* other = decoupled_terms_[l]; other != nullptr) {
      throw EncodingError(resolved_.expression, dense->column,
                          fmt::format("{} reads queries and keys of the head's own width, and {} makes others in layer "
                                      "{}; give them different layers",
                                      dense->name, other->name, l));
    }
    for (const Term* rows : {query_row_terms_[l], key_row_terms_[l]}) {
      if (rows == nullptr) continue;
      throw EncodingError(resolved_.expression, dense->column,
                          fmt::format("{} has no vectors by distance, which {} has in layer {}; give them different "
                                      "layers",
                                      dense->name, rows->name, l));
    }
  }
}

}  // namespace phasor
