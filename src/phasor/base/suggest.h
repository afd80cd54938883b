#pragma once
// "Did you mean": the nearest known word to one that was mistyped.
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

// The candidate with the smallest edit distance, or empty when none is near enough to be meant.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'rope'?" or, when nothing is near, "; known: a, b, c".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace phasor
