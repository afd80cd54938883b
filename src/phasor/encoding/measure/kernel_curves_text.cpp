#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/measure/kernel_curves.h"
#include "phasor/encoding/measure/kernel_plot.h"
#include "phasor/encoding/syntax/index_set.h"

namespace phasor {
namespace {

constexpr size_t kKernelWidth = 100;
constexpr size_t kMostCurves = 6;

char mark_of(int64_t head) {
  if (head < 10) return static_cast<char>('0' + head);
  return head < 36 ? static_cast<char>('a' + head - 10) : '*';
}

std::string kernel_title(const KernelCurves& group, const std::string& when) {
  std::string text = fmt::format("Kernel of the {}", place_name(group.site.place));
  if (group.site.place != CodeSite::Place::input) text += fmt::format(", layer {}", group.site.layer);
  if (group.axis.kind == PositionAxis::Kind::coordinate)
    text += fmt::format(", along coordinate {}", group.axis.coordinate);
  if (group.axis.kind == PositionAxis::Kind::segment) text += ", by the number of the segment";
  if (group.axis.kind == PositionAxis::Kind::offset) text += ", by the offset within segments";
  text += when;
  switch (group.site.place) {
    case CodeSite::Place::input:
      return text + ": <P(i), P(j)> / width";
    case CodeSite::Place::rotation:
    case CodeSite::Place::decoupled:
      return text + ": mean over pairs of Re A(i) B(j)*";
    case CodeSite::Place::bias:
      return text + ": b(i, j), in logits";
    case CodeSite::Place::none:
      break;
  }
  return text;
}

std::string deviation_text(const KernelCurves& group) {
  bool toeplitz = true;
  double deviation = 0.0;
  for (const KernelCurves::Curve& curve : group.curves) {
    toeplitz = toeplitz && curve.kernel.toeplitz();
    deviation = std::max(deviation, curve.kernel.deviation);
  }
  if (toeplitz) return "Toeplitz: the same from every position.";
  const Kernel& kernel = group.curves.front().kernel;
  return fmt::format(
      "Not Toeplitz: seen from position {} (keys ahead: from 0), and from elsewhere different by up to {:.3g}{}.",
      -kernel.first, deviation,
      group.site.place == CodeSite::Place::rotation || group.site.place == CodeSite::Place::decoupled
          ? " for content in one pair"
          : "");
}

}  // namespace

std::string kernel_text(const KernelCurves& group, const KernelText& form) {
  std::vector<PlotCurve> curves;
  std::vector<std::string> legend;
  for (size_t k = 0; k < std::min(kMostCurves, group.curves.size()); ++k) {
    const KernelCurves::Curve& curve = group.curves[k];
    const char mark = group.curves.size() == 1 ? '*' : mark_of(curve.heads.front());
    curves.push_back({.mark = mark, .values = curve.kernel.values});
    if (group.curves.size() > 1) legend.push_back(fmt::format("{}: {}", mark, heads_text(curve.heads)));
  }
  if (form.before != nullptr) {
    curves.push_back({.mark = 'o', .values = form.before->curves.front().kernel.values});
    legend = {"*: trained", "o: as training started"};
  }
  if (group.curves.size() > kMostCurves) {
    legend.push_back(fmt::format("not shown: {} more", group.curves.size() - kMostCurves));
  }
  std::string text = fmt::format("\n{}\n", wrapped(kernel_title(group, form.when), kKernelWidth));
  text += kernel_plot(curves, {.first = group.curves.front().kernel.first, .ascii = form.ascii});
  const std::string notes =
      fmt::format("distance j - i from query to key{}. {}",
                  legend.empty() ? "" : fmt::format("; {}", fmt::join(legend, ", ")), deviation_text(group));
  return text + fmt::format("{:12}{}\n", "", wrapped(notes, kKernelWidth, 12));
}

std::string heads_text(const std::vector<int64_t>& heads) {
  std::vector<IndexRange> ranges;
  ranges.reserve(heads.size());
  for (const int64_t head : heads) ranges.push_back({head, head});
  return fmt::format("{} {}", heads.size() == 1 ? "head" : "heads", print(IndexSet(ranges)));
}

}  // namespace phasor
