#include "phasor/ablation/head_rows.h"

namespace phasor {

std::vector<float> rows_of(Backend& backend, const ConstMatrix& from, int64_t rows) {
  const Memory memory = backend.allocate(static_cast<size_t>(rows * from.columns()) * sizeof(float));
  backend.run(Cast{.to = Matrix(memory.data(), Dtype::f32, rows, from.columns()), .from = from.row_range(0, rows)});
  std::vector<float> values(static_cast<size_t>(rows * from.columns()));
  backend.copy_out(values.data(), memory.data(), values.size() * sizeof(float));
  return values;
}

QueryKeyColumns::QueryKeyColumns(const Attention& attention)
    : query(attention.query.columns()),
      shared_query(attention.shared_query.columns()),
      key(attention.key.columns()),
      shared_key(attention.shared_key.columns()) {}

std::vector<float> query_key_rows(Backend& backend, const Attention& attention, int64_t tokens) {
  const int64_t columns = QueryKeyColumns(attention).total();
  const Memory memory = backend.allocate(static_cast<size_t>(tokens * columns) * sizeof(float));
  const Matrix packed(memory.data(), Dtype::f32, tokens, columns);
  int64_t first = 0;
  for (const ConstMatrix& part : {attention.query, attention.shared_query, attention.key, attention.shared_key}) {
    if (part.empty()) continue;
    backend.run(Cast{.to = packed.column_range(first, part.columns()), .from = part.row_range(0, tokens)});
    first += part.columns();
  }
  std::vector<float> values(static_cast<size_t>(tokens * columns));
  backend.copy_out(values.data(), memory.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace phasor
