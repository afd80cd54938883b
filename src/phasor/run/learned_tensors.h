#pragma once
// What a run's encoding has learned: every number of its tensors, as training started and as it ended.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/model/parameters.h"
#include "phasor/run/run_folder.h"
#include "phasor/run/stored_result.h"

namespace phasor {

struct LearnedTensor {
  std::string name;              // as in model.safetensors: "layers.1.encoding.bias.b"
  std::string label;             // without the layer: "bias.b"
  std::optional<int64_t> layer;  // nothing: all layers share it
  std::vector<int64_t> heads;    // that the rows belong to; empty: no head has numbers of its own
  std::vector<int64_t> shape;
  double least = 0.0, most = 0.0;  // kept within these
  std::vector<double> start, end;  // row by row; no end where a packed run has not kept it

  size_t rows() const { return heads.empty() ? 1 : heads.size(); }
  size_t columns() const { return start.size() / rows(); }  // numbers of a head, or of all
};
const Fields<LearnedTensor>& json_fields(const LearnedTensor*);

// Larger ones are tables, whose numbers mean little one by one.
inline constexpr size_t kMostNamedNumbers = 16;  // of one head, or of all
bool has_named_numbers(const LearnedTensor& tensor);

// "b", "frequencies[3]": of one of them.
std::string number_name(const LearnedTensor& tensor, size_t column);

// Of a model with these parameters. The start is a function of the seed.
std::vector<LearnedTensor> learned_tensors(const ResolvedEncoding& encoding, const ParameterLayout& layout,
                                           uint64_t seed, const std::vector<float>& parameters);

// Of a run: from its weights, or, where those were packed, as far as its result has kept them. Throws UsageError where
// a run has no such weights, FormatError where its files are damaged.
std::vector<LearnedTensor> learned_tensors(const RunFolder& folder, const RunConfig& config,
                                           std::optional<int64_t> step = {});

// The same for a summary of many runs: nothing where the encoding learns nothing or the weights are gone.
std::vector<LearnedTensor> learned_tensors_if_there(const RunFolder& folder, const RunConfig& config,
                                                    const StoredResult& result);

// What a result keeps of a run whose weights go.
std::map<std::string, std::vector<double>> kept_numbers(const std::vector<LearnedTensor>& tensors);

// Starts or ends for with_values(); nothing where an end is missing.
ParameterValues starts_of(const std::vector<LearnedTensor>& tensors);
std::optional<ParameterValues> ends_of(const std::vector<LearnedTensor>& tensors);

// Lines for people: every label with its numbers, or their range. Empty where nothing is learned.
std::string learned_in_short(const std::vector<LearnedTensor>& tensors);

}  // namespace phasor
