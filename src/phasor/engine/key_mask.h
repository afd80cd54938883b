#pragma once
// Which keys a query sees. Whatever masks are in force together, it is a run of tokens that holds the query's own.
#include <algorithm>
#include <cstdint>

namespace phasor {

struct KeySpan {
  int64_t first = 0, end = 0;  // from, up to
};

// Tokens are counted within their sequence.
struct KeyMask {
  bool causal = false;
  int64_t window = 0;  // those less than so many tokens away; 0: all
  int64_t chunk = 0;   // those of the query's own chunk of so many tokens; 0: all

  // Neither end goes down from one query to the next.
  KeySpan seen_by(int64_t query, int64_t length) const {
    KeySpan span{0, causal ? query + 1 : length};
    if (window > 0) span = {std::max(span.first, query - window + 1), std::min(span.end, query + window)};
    if (chunk > 0) {
      const int64_t begin = query / chunk * chunk;
      span = {std::max(span.first, begin), std::min(span.end, begin + chunk)};
    }
    return span;
  }
};

}  // namespace phasor
