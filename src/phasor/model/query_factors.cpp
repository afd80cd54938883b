#include "phasor/model/query_factors.h"

#include "phasor/engine/download.h"

namespace phasor {

std::vector<float> query_factors(Backend& backend, const Attention& attention, const std::vector<int32_t>& offsets) {
  const RowScale& scale = attention.row_scale;
  if (scale.table.empty()) return {};
  const int64_t heads = attention.shape.heads, columns = scale.table.extent(1);
  const int64_t tokens = offsets.back(), axes = attention.sequences.positions.extent(1);
  const auto sequences = static_cast<int64_t>(offsets.size()) - 1;
  const std::vector<float> table = download(backend, scale.table.data(), scale.table.extent(0) * columns);
  const std::vector<int32_t> positions = download(backend, attention.sequences.positions.data(), tokens * axes);
  std::vector<int32_t> tables(static_cast<size_t>(sequences), 0);
  if (!scale.sequence_table.empty()) tables = download(backend, scale.sequence_table.data(), sequences);
  std::vector<float> factors;
  factors.reserve(static_cast<size_t>(heads * tokens));
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t s = 0; s < sequences; ++s) {
      const int64_t row = (tables[static_cast<size_t>(s)] * heads + h) * columns;
      for (int64_t t = offsets[static_cast<size_t>(s)]; t < offsets[static_cast<size_t>(s) + 1]; ++t) {
        const int64_t column = columns > 1 ? positions[static_cast<size_t>(t * axes + scale.axis)] : 0;
        factors.push_back(table[static_cast<size_t>(row + column)]);
      }
    }
  }
  return factors;
}

}  // namespace phasor
