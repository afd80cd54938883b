#pragma once
// Factors on the logits of queries, as a card shows them.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/resolve/resolved.h"

namespace phasor {

// Of heads of one layer that are scaled alike.
struct RowScaleCurve {
  int64_t layer = 0;
  std::vector<int64_t> heads;
  bool by_query = false;       // values of the queries of the longest sequence; else of the lengths from 1 on
  std::vector<double> values;  // one value where neither has a say

  bool operator==(const RowScaleCurve&) const = default;
};

// Whether any factor of the head is not 1. `encoding` has its values (values.h), here and below.
bool has_row_scale(const ResolvedEncoding& encoding, int64_t layer, int64_t head);

std::vector<RowScaleCurve> row_scale_curves(const ResolvedEncoding& encoding);

// A few of the numbers: "heads 0-3: 0 at i = 0, 0.116 at 1, ...".
std::string row_scale_text(const RowScaleCurve& curve);

const Fields<RowScaleCurve>& json_fields(const RowScaleCurve*);

}  // namespace phasor
