#pragma once
// What an encoding does at positions that training never had.
#include <string>
#include <string_view>

#include "phasor/encoding/catalogue.h"

namespace phasor {

// "distances of 128 and more share the last bucket; ...": a clause for each term. Throws UsageError.
std::string beyond_words(std::string_view expression);
// Of the expression that stands for the entry.
std::string beyond_words(const EncodingEntry& entry);

}  // namespace phasor
