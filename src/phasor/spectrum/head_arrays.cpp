#include <algorithm>
#include <complex>

#include "phasor/base/error.h"
#include "phasor/spectrum/head_output.h"

namespace phasor {
namespace {

// Values of every head behind each other, each filled up with zeros to the longest.
class HeadRows {
 public:
  void add(const std::vector<double>& values) { rows_.push_back(values); }
  void add(const std::vector<std::complex<double>>& values) {
    std::vector<double> flat;
    for (const std::complex<double>& value : values) flat.insert(flat.end(), {value.real(), value.imag()});
    rows_.push_back(std::move(flat));
  }

  // [layers, heads, longest / item (, item)]; nothing where no head has a value.
  void write(SafetensorsWriter& writer, const char* name, int64_t layers, int64_t item = 1) const {
    size_t longest = 0;
    for (const std::vector<double>& row : rows_) longest = std::max(longest, row.size());
    if (longest == 0) return;
    std::vector<double> values;
    for (const std::vector<double>& row : rows_) {
      values.insert(values.end(), row.begin(), row.end());
      values.resize(values.size() + longest - row.size());
    }
    TensorShape shape = {layers, static_cast<int64_t>(rows_.size()) / layers, static_cast<int64_t>(longest) / item};
    if (item > 1) shape.push_back(item);
    writer.add(name, shape, std::move(values));
  }

 private:
  std::vector<std::vector<double>> rows_;
};

}  // namespace

void add_head_arrays(SafetensorsWriter& writer, const std::vector<HeadSummary>& heads, int64_t layers) {
  if (heads.empty() || static_cast<int64_t>(heads.size()) % layers != 0) {
    fail("{} heads are not those of {} layers", heads.size(), layers);
  }
  HeadRows singular, plain, symmetric, eigenvalues, kernels, symbols, boundaries, support;
  for (const HeadSummary& head : heads) {
    const HeadReport& report = head.first;
    singular.add(report.logits.singular.values);
    plain.add(report.plain ? report.plain->singular.values : std::vector<double>());
    symmetric.add(report.logits.symmetric ? report.logits.symmetric->values : std::vector<double>());
    eigenvalues.add(report.logits.eigen ? report.logits.eigen->values : std::vector<std::complex<double>>());
    kernels.add(report.relative.kernel.values);
    symbols.add(report.symbol.values);
    boundaries.add(report.range ? report.range->boundary : std::vector<std::complex<double>>());
    support.add(report.range ? report.range->support : std::vector<double>());
  }
  singular.write(writer, "singular_values", layers);
  plain.write(writer, "singular_values_plain", layers);
  symmetric.write(writer, "symmetric_eigenvalues", layers);
  eigenvalues.write(writer, "eigenvalues", layers, 2);
  kernels.write(writer, "kernels", layers);
  symbols.write(writer, "symbols", layers, 2);
  boundaries.write(writer, "numerical_range", layers, 2);
  support.write(writer, "numerical_range_support", layers);
  const HeadReport& first = heads.front().first;
  writer.add("symbol_frequencies", {static_cast<int64_t>(first.symbol.frequencies.size())}, first.symbol.frequencies);
  if (first.range) {
    writer.add("numerical_range_angles", {static_cast<int64_t>(first.range->angles.size())}, first.range->angles);
  }
}

}  // namespace phasor
