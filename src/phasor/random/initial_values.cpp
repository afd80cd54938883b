#include "phasor/random/initial_values.h"

#include <cassert>

#include "phasor/random/distributions.h"

namespace phasor {
namespace {

// FNV-1a.
uint32_t name_site(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace

std::vector<double> draw(const InitialValues& initial, int64_t count, std::string_view name, uint64_t seed) {
  using Kind = InitialValues::Kind;
  if (initial.kind == Kind::values) {
    assert(static_cast<int64_t>(initial.values.size()) == count);
    return initial.values;
  }
  std::vector<double> result(static_cast<size_t>(count), initial.centre);
  const RandomStream stream{.seed = seed, .purpose = Purpose::initialization, .site = name_site(name)};
  for (size_t i = 0; i < result.size(); ++i) {
    if (initial.kind == Kind::normal) result[i] += initial.size * normal(stream, i);
    if (initial.kind == Kind::uniform) result[i] += initial.size * (2.0 * uniform(stream, i) - 1.0);
  }
  return result;
}

}  // namespace phasor
