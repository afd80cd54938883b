#pragma once
// Place "gates": numbers that a layer makes of its normed stream x for every token, z = W x + b, one per head of the
// term. They are mapped and summed along the sequence to c, and the logits lose |c_i - c_j|: what lies between query
// and key counts, whatever their positions.
#include <cstdint>
#include <string>
#include <vector>

namespace phasor {

struct GateTerm {
  // Neither is ever positive, so c falls along a sequence.
  enum class Map : uint8_t {
    log_sigmoid,     // log sigmoid(z)
    minus_softplus,  // -log(1 + e^z)
  };

  std::string name;            // of the term, for clashes and reports
  std::vector<int64_t> heads;  // of the rows of W and b
  Map map = Map::log_sigmoid;
  int64_t weight = 0, bias = 0;  // places in ResolvedEncoding::parameters: [heads, width], [heads]
};

}  // namespace phasor
