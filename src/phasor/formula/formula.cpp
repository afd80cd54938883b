#include "phasor/formula/formula.h"

#include <algorithm>

#include "phasor/formula/syntax.h"

namespace phasor {

Formula::Formula() : text_("0"), nodes_(1) {}

std::vector<std::string> Formula::names() const {
  std::vector<std::string> result;
  for (const Node& node : nodes_) {
    if (node.name.empty() || node.name == kPi) continue;
    if (std::find(result.begin(), result.end(), node.name) == result.end()) result.push_back(node.name);
  }
  return result;
}

// Children stand before parents, left before right: equal trees have equal lists.
bool Formula::operator==(const Formula& other) const {
  return std::equal(nodes_.begin(), nodes_.end(), other.nodes_.begin(), other.nodes_.end(),
                    [](const Node& one, const Node& two) {
                      return one.opcode == two.opcode && one.a == two.a && one.b == two.b &&
                             one.constant == two.constant && one.name == two.name;
                    });
}

}  // namespace phasor
