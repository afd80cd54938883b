#include "phasor/engine/download.h"

namespace phasor {

std::vector<float> download(Backend& backend, const ConstMatrix& matrix, int64_t rows) {
  return download_side_by_side(backend, {matrix}, rows);
}

std::vector<float> download_side_by_side(Backend& backend, const std::vector<ConstMatrix>& matrices, int64_t rows) {
  int64_t columns = 0;
  for (const ConstMatrix& matrix : matrices) columns += matrix.empty() ? 0 : matrix.columns();
  if (rows * columns == 0) return {};
  const Memory memory = backend.allocate(static_cast<size_t>(rows * columns) * sizeof(float));
  const Matrix packed(memory.data(), Dtype::f32, rows, columns);
  int64_t first = 0;
  for (const ConstMatrix& matrix : matrices) {
    if (matrix.empty()) continue;
    backend.run(Cast{.to = packed.column_range(first, matrix.columns()), .from = matrix.row_range(0, rows)});
    first += matrix.columns();
  }
  return download(backend, static_cast<const float*>(memory.data()), rows * columns);
}

}  // namespace phasor
