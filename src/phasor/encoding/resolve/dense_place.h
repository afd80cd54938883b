#pragma once
// Place "dense": what attention does with all logits of a head at hand, for sequences of at most kMostDenseTokens
// tokens. A layer has one of the three.
#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "phasor/base/dense_limit.h"

namespace phasor {

// A key's position is the sum of gates between it and the query, and the logit gets the product of the query with the
// vector of that position. For causal models.
struct ContextPositions {
  int64_t most = 1;       // positions are 0 .. most
  bool per_head = false;  // vectors of its own for every head
  int64_t vectors =
      0;  // place in ResolvedEncoding::parameters: [most + 1, head width] or [heads, most + 1, head width]
};

// Every token reflects the queries behind it, on the way to the keys in front of it: H = I - beta w w^T,
//   w = x' / |x'|, x' = W x or W (W' x) of the layer's normed stream x;  beta = 2 sigmoid(u x + b).
// For causal models.
struct TokenReflections {
  int64_t inner = 0;  // channels of W' x; 0: W reads x itself
  // Places in ResolvedEncoding::parameters.
  int64_t inner_weight = -1;                       // [inner, width]
  int64_t weight = 0;                              // [heads * head width, inner or width]
  int64_t strength_weight = 0, strength_bias = 0;  // u: [heads, width], b: [heads]
};

// Keys at a distance of `window` or more are met by queries that other factors turn, and turned by others themselves.
// The layer's rotation, which this stands beside, turns for the keys nearer than that.
struct FarAngles {
  using Factors = std::vector<std::complex<double>>;

  int64_t window = 1;
  int64_t axis = 0;  // place in ResolvedEncoding::axes
  int64_t pairs = 0;
  bool halves = false;
  int64_t positions = 0;    // 0 where the shape asks for no factors
  Factors query_back = {};  // [positions, pairs]: towards keys at smaller positions; query_ahead: at larger ones
  Factors query_ahead = {};
  Factors key = {};
};

struct DensePlace {
  std::string name;            // of the term, for clashes and reports
  std::vector<int64_t> heads;  // that have it
  std::variant<ContextPositions, TokenReflections, FarAngles> what;

  const ContextPositions* positions() const { return std::get_if<ContextPositions>(&what); }
  const TokenReflections* reflections() const { return std::get_if<TokenReflections>(&what); }
  const FarAngles* far() const { return std::get_if<FarAngles>(&what); }
  bool has(int64_t head) const;
  // Of its tokens' contents, so that positions alone do not say what it adds to a logit.
  bool by_content() const { return far() == nullptr; }
};

}  // namespace phasor
