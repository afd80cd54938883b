#include "phasor/encoding/measure/kernel_curves.h"

#include <algorithm>
#include <map>
#include <utility>

namespace phasor {
namespace {

using Place = CodeSite::Place;

void add_curve(KernelCurves& group, Kernel kernel, int64_t head) {
  for (KernelCurves::Curve& curve : group.curves) {
    if (curve.kernel.values == kernel.values) {
      curve.heads.push_back(head);
      return;
    }
  }
  group.curves.push_back({.heads = {head}, .kernel = std::move(kernel)});
}

}  // namespace

std::vector<KernelCurves> kernel_curves(const ResolvedEncoding& encoding, const CodeSite& first) {
  std::vector<KernelCurves> groups;
  std::map<const Rotation*, std::vector<Kernel>> rotations;  // heads that share a table share its kernels
  for (int64_t head = first.head; head < encoding.shape.heads; ++head) {
    for (const CodeSite& site : code_sites(encoding, first.layer, head)) {
      if (site.place != first.place) continue;
      const LayerEncoding& layer = encoding.layers[static_cast<size_t>(site.layer)];
      const Rotation* rotation = layer.rotation[static_cast<size_t>(head)].get();
      const bool turns = site.place == Place::rotation || site.place == Place::decoupled;
      std::vector<Kernel>& known = rotations[turns ? rotation : nullptr];
      if (!turns || known.empty()) known = kernels_at(encoding, site);
      groups.resize(known.size());
      for (size_t a = 0; a < known.size(); ++a) {
        groups[a].site = first;
        groups[a].axis = known[a].axis;
        add_curve(groups[a], known[a], head);
      }
    }
    if (first.place == Place::input) break;  // for all heads
  }
  if (first.place == Place::input) groups.front().curves.front().heads.clear();
  return groups;
}

}  // namespace phasor
