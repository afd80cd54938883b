#pragma once
// How much room text takes on a terminal, and text that is cut to fit.
#include <cstddef>
#include <string>
#include <string_view>

namespace phasor {

// Columns. Bytes that are not UTF-8 and controls count one each.
size_t display_width(std::string_view text);

// The longest beginning of at most so many columns; a mark stays with the letter that it belongs to.
std::string_view first_columns(std::string_view text, size_t columns);

// The text, or its beginning and "..." where it is wider than `columns`.
std::string cut_to(std::string_view text, size_t columns);

// With blanks behind it, up to so many columns.
std::string padded_to(std::string_view text, size_t columns);

// Between marks that keep the order of what stands around it, where it has letters that run from right to left: they
// would draw numbers and signs beside them into their order. The marks take no columns.
std::string isolated(std::string_view text);

}  // namespace phasor
