#include "phasor/encoding/entries/trained_frequencies.h"

#include <cassert>
#include <memory>
#include <utility>

namespace phasor {

void rotate_trained(EncodingPlaces& places, std::string_view name, int64_t layer, const Rotation& prototype,
                    const std::vector<Table>& starts) {
  const std::vector<int64_t> heads = places.heads();
  const bool per_head = starts.size() > 1;
  assert(!per_head || starts.size() == heads.size());
  LearnedParameter parameter;
  parameter.initial.kind = InitialValues::Kind::values;
  std::vector<double>& values = parameter.initial.values;
  std::vector<GatherSource> sources(starts.size());
  for (size_t g = 0; g < starts.size(); ++g) {
    for (const double start : starts[g].values) {
      sources[g].index.push_back(start == 0.0 ? -1 : static_cast<int32_t>(values.size()));
      if (start != 0.0) values.push_back(start);
    }
  }
  const int64_t groups = static_cast<int64_t>(starts.size());
  const int64_t numbers = static_cast<int64_t>(values.size()) / groups;
  assert(numbers * groups == static_cast<int64_t>(values.size()));
  parameter.shape = per_head ? std::vector<int64_t>{groups, numbers} : std::vector<int64_t>{numbers};
  if (per_head) parameter.heads = heads;
  const int64_t place = places.add_parameter(name, std::move(parameter), layer);
  for (size_t g = 0; g < starts.size(); ++g) {
    sources[g].parameter = place;
    auto rotation = std::make_shared<Rotation>(prototype);
    rotation->name = places.term_text();
    rotation->frequencies = Table(starts[g].rows, starts[g].columns);
    rotation->learned = {std::move(sources[g])};
    places.rotate(layer, per_head ? heads[g] : EncodingPlaces::kAllHeads, rotation);
  }
}

}  // namespace phasor
