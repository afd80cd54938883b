#pragma once
// Words of a task as an argument names them: numbers, ranges of numbers, and names that a task knows.
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/syntax/index_set.h"

namespace phasor {

inline constexpr int64_t kLargestWord = 16777215;

struct WordSet {
  std::vector<std::string> names;  // sorted, each once
  IndexSet numbers;

  bool empty() const { return names.empty() && numbers.empty(); }
};

// "separator,0,5-9": names and numbers in any order, blanks around them allowed. Says in `reason` what is wrong.
bool read_words(std::string_view text, WordSet& words, std::string& reason);

// Names first; equal sets print alike.
std::string print(const WordSet& words);

}  // namespace phasor
