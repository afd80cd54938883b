#pragma once
// Text in lines of a given width, for terminals and for Markdown.
#include <string>
#include <string_view>

namespace phasor {

// Breaks at blanks, so that a line has at most `width` characters unless a word alone is longer. Each line begins
// behind a margin of `indent` characters; the first one's is left to the caller, who may have a label there. Line ends
// in the text stay. A line never begins with what Markdown would take for a list or a heading.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

}  // namespace phasor
