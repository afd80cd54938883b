#pragma once
// The part of docs/encodings.md that is made from the catalogue.
#include <string>
#include <string_view>

namespace phasor {

// A table of all entries, the road with its measurements, and a section for each entry, in Markdown.
std::string manual_catalogue();

// `manual` with that part between its two markers. Throws FormatError for a text without them.
std::string with_catalogue(std::string_view manual, std::string_view catalogue);

}  // namespace phasor
