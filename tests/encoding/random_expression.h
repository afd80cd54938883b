#pragma once
// Random trees of the whole grammar, whether the catalogue knows their names or not.
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "phasor/encoding/syntax/expression.h"
#include "phasor/random/distributions.h"

namespace phasor::testing_support {

class RandomExpression {
 public:
  explicit RandomExpression(uint32_t sample)
      : draws_(RandomStream{.seed = 7, .purpose = Purpose::test, .site = 1, .step = sample}) {}

  // Any names and arguments, nested up to `depth` parentheses.
  Encoding tree(int depth) {
    Encoding result;
    const uint32_t terms = 1 + draws_.below(3);
    for (uint32_t i = 0; i < terms; ++i) result.terms.push_back(tree_term(depth));
    return result;
  }

  // `text` with blanks between some of its tokens; quoted parts stay as they are.
  std::string scattered(const std::string& text) {
    std::string result;
    bool quoted = false;
    for (const char c : text) {
      if (c == '"') quoted = !quoted;
      const bool separator = std::string("+()[],=").find(c) != std::string::npos;
      result += separator && !quoted ? blanks() + c + blanks() : std::string(1, c);
    }
    return result;
  }

 private:
  Term tree_term(int depth) {
    Term term;
    term.name = word();
    for (uint32_t i = depth > 0 ? draws_.below(4) : 0; i > 0; --i) {
      term.arguments.push_back({.key = coin() ? word() : "", .value = value(depth - 1)});
    }
    term.heads = assignment();
    term.layers = assignment();
    term.window = mask();
    term.chunk = mask();
    return term;
  }

  TermValue value(int depth) {
    switch (draws_.below(4)) {
      case 0:
        return {.content = number()};
      case 1:
        return {.content = QuotedText{formula()}};
      case 2:
        return TermValue::of_word(word());
      default:
        return {.content = tree(depth)};
    }
  }

  TermAssignment assignment() {
    if (coin()) return {};
    std::vector<IndexRange> ranges;
    for (uint32_t i = draws_.below(4); i > 0; --i) {
      const int64_t first = draws_.below(20);
      ranges.push_back({first, first + draws_.below(4)});
    }
    return {.everything = false, .indices = IndexSet(std::move(ranges))};
  }

  TermMask mask() {
    if (draws_.below(4) != 0) return {};
    return {.tokens = coin() ? 1 + draws_.below(20) : 1048576 - draws_.below(1000000)};
  }

  std::string word() {
    static const std::vector<std::string> kWords = {"rope", "mla",  "learned", "randomized", "concat", "t5",
                                                    "kv",   "base", "_",       "none",       "X9",     "heads"};
    return kWords[draws_.below(static_cast<uint32_t>(kWords.size()))];
  }

  std::string formula() {
    std::string text;
    for (uint32_t i = draws_.below(12); i > 0; --i) {
      const char c = static_cast<char>(' ' + draws_.below(95));
      text += c == '"' ? '#' : c;
    }
    return text;
  }

  // Small integers, decimals, and doubles of all magnitudes.
  double number() {
    if (coin()) return static_cast<double>(draws_.below(1000000)) - 1000.0;
    if (coin()) return static_cast<double>(draws_.below(100000)) / 1000.0;
    const uint64_t high = draws_.below(0xFFFFFFFFu);
    const double result = std::bit_cast<double>(high << 32 | draws_.below(0xFFFFFFFFu));
    return std::isfinite(result) ? result : 0.5;
  }

  std::string blanks() { return draws_.below(4) == 0 ? std::string(1 + draws_.below(2), coin() ? ' ' : '\t') : ""; }

  bool coin() { return draws_.below(2) == 0; }

  Draws draws_;
};

}  // namespace phasor::testing_support
