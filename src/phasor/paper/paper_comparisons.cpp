#include "phasor/paper/paper_comparisons.h"

#include "phasor/paper/paper_cells.h"

namespace phasor::paper {
namespace {

std::vector<Comparison> family_of(const StudyResults& results, const std::string& task, const std::string& protocol,
                                  ComparedQuantity quantity) {
  std::vector<Comparison> family;
  const CellRuns* rope = results.find(cell_of(paper_encoding("RoPE"), task, protocol));
  if (rope == nullptr) return family;
  for (const PaperEncoding& encoding : paper_encodings()) {
    if (encoding.name == "RoPE" || encoding.name == "RoPE+Absolute") continue;
    const CellRuns* other = results.find(cell_of(encoding, task, protocol));
    if (other != nullptr) family.push_back(compare(*rope, *other, {quantity}));
  }
  adjust(family);
  return family;
}

}  // namespace

std::vector<Comparison> paper_comparisons(const StudyResults& results) {
  std::vector<Comparison> all;
  for (const ComparedQuantity quantity : {ComparedQuantity::test_accuracy, ComparedQuantity::steps_to_90}) {
    for (const char* protocol : {kClean, kReleased}) {
      for (const char* task : {kDistance, kCounting, kIndex, kIndirect}) {
        const std::vector<Comparison> family = family_of(results, task, protocol, quantity);
        all.insert(all.end(), family.begin(), family.end());
      }
    }
  }
  return all;
}

}  // namespace phasor::paper
