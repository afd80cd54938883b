#pragma once
// What long expressions are called where nobody has named them.
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace phasor {

inline constexpr size_t kShortExpression = 28;  // characters; what is longer gets a label
inline constexpr size_t kLongestLabel = 40;     // characters of such a label

// A label for every expression of more than kShortExpression characters; the others are as they stand. All that are
// given are canonical and different, and no label is in `taken` or one of the other expressions.
//
// A term is its name with its words and trained numbers, without their keys: "rope(scaling=yarn,factor=4,original=64)"
// is "rope(yarn)". A term alone without such words has its first argument there, and a formula its beginning. Where
// labels would be equal, what differs is added: "rope(yarn,factor=4)" and "rope(yarn,factor=8)"; then numbers: "...
// #2". A label that would itself be an expression, which means something else, shows by ".." what it leaves out.
std::map<std::string, std::string> short_labels(const std::vector<std::string>& expressions,
                                                const std::set<std::string>& taken);

}  // namespace phasor
