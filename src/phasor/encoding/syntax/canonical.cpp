#include "phasor/encoding/syntax/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

int64_t first_index(const TermAssignment& assignment) {
  if (assignment.everything) return 0;
  return assignment.indices.empty() ? std::numeric_limits<int64_t>::max() : assignment.indices.first();
}

// The entries of the catalogue lie in one vector, so their addresses are in its order.
using SortKey = std::tuple<int64_t, int64_t, const EncodingEntry*, std::string>;

SortKey sort_key(const Term& term) {
  return {first_index(term.layers), first_index(term.heads), find_encoding(term.name), print_expression(term)};
}

void check_unassigned(const Term& term, const TermAssignment& assignment, std::string_view text) {
  if (assignment.everything) return;
  throw EncodingError(text, assignment.column,
                      fmt::format("{} fills no place, so it cannot take heads or layers from other terms; assign those "
                                  "terms instead",
                                  term.name));
}

}  // namespace

Encoding canonical(const Encoding& encoding, std::string_view text) {
  std::vector<std::pair<SortKey, Term>> kept;
  for (const Term& written : encoding.terms) {
    const EncodingEntry& entry = entry_of(written, text);
    const EncodingArguments arguments = arguments_of(written, text);
    if (!written.masks() && entry.make(arguments)->traits().neutral) {
      check_unassigned(written, written.heads, text);
      check_unassigned(written, written.layers, text);
      continue;
    }
    Term term = written;
    term.arguments = arguments.canonical();
    SortKey key = sort_key(term);
    kept.emplace_back(std::move(key), std::move(term));
  }
  std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  Encoding result;
  for (auto& [key, term] : kept) result.terms.push_back(std::move(term));
  if (result.terms.empty()) result.terms.push_back(Term{.name = "nope"});
  return result;
}

}  // namespace phasor
