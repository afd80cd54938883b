#pragma once
// The tree behind an encoding's text. Regular values: what prints alike compares equal, and where a
// piece stood in the text (kept for error messages) is no part of that.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "phasor/encoding/syntax/index_set.h"

namespace phasor {

// Counted from 1 in the text that was parsed; 0 in a tree that was built by hand.
struct TextColumn {
  int value = 0;

  bool operator==(const TextColumn&) const { return true; }  // so that trees compare by meaning alone
};

struct Term;

// A sum of terms, in the order written.
struct Encoding {
  std::vector<Term> terms;

  bool operator==(const Encoding& other) const;
};

// A formula, without its quotes.
struct QuotedText {
  std::string text;

  bool operator==(const QuotedText&) const = default;
};

// What stands behind `key=`. A lone name is both a word and the encoding of that name: the catalogue
// says which of the two a parameter takes.
struct TermValue {
  std::variant<double, QuotedText, Encoding> content;
  TextColumn column;

  static TermValue of_word(std::string word);
  // The lone name, or null.
  const std::string* word() const;

  bool operator==(const TermValue& other) const;
};

struct TermArgument {
  std::string key;  // empty: given by position
  TermValue value;
  TextColumn column;

  bool operator==(const TermArgument&) const = default;
};

// The heads or layers that a term is given to. Without one it is given to all of them.
struct TermAssignment {
  bool everything = true;
  IndexSet indices;  // where not everything
  TextColumn column;

  bool covers(int64_t index) const { return everything || indices.contains(index); }

  bool operator==(const TermAssignment&) const = default;
};

// So many tokens, or 0 for no mask.
struct TermMask {
  int64_t tokens = 0;
  TextColumn column;

  bool operator==(const TermMask&) const = default;
};

struct Term {
  std::string name;
  std::vector<TermArgument> arguments;
  TermAssignment heads;
  TermAssignment layers;
  TermMask window, chunk;  // what the attention of these heads and layers sees
  TextColumn column;

  bool masks() const { return window.tokens > 0 || chunk.tokens > 0; }
  bool has_brackets() const { return !heads.everything || !layers.everything || masks(); }

  bool operator==(const Term&) const = default;
};

}  // namespace phasor
