#pragma once
// Tables whose entries are parameters themselves.
#include <cstdint>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/places.h"

namespace phasor {

// b_h(d) = parameter[h][column_of_distance[reach + d]]: a tensor [heads of the term, columns] per layer, or one
// for all layers where it is shared. -1: no bias at that distance.
void add_learned_bias(EncodingPlaces& places, std::string_view name, int64_t columns,
                      const std::vector<int32_t>& column_of_distance, const InitialValues& initial, bool shared);

// Row row_of_distance[reach + d] of a table of so many rows is multiplied with queries or keys: a tensor [rows, head
// width] per layer where heads share it, else [heads of the term, rows, head width].
void add_learned_rows(EncodingPlaces& places, EncodingPlaces::RowsOf which, std::string_view name, int64_t rows,
                      const std::vector<int32_t>& row_of_distance, const InitialValues& initial, bool shared);

// Positions that training had.
int64_t trained_positions(const EncodingShape& shape);

// x += parameter[p]: a tensor [rows, width]. Positions beyond the last row read that one.
void add_learned_input(EncodingPlaces& places, std::string_view name, const InitialValues& initial, int64_t rows);

// Frequencies that are trained, from those of the prototype on: a tensor [axes * pairs] per layer. Prototypes are
// one for all heads of the term, or one per head; then the tensor is [heads of the term, axes * pairs].
void rotate_learned(EncodingPlaces& places, std::string_view name, const std::vector<Rotation>& prototypes);

}  // namespace phasor
