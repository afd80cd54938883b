#include "phasor/run/learned_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "phasor/base/json_fields.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/run/finished_run.h"
#include "phasor/run/trained_model.h"
#include "phasor/run/training_start.h"

namespace phasor {
namespace {

constexpr size_t kMostKept = 4096;  // numbers of a tensor

double as_stored(double value) { return static_cast<double>(static_cast<float>(value)); }

// "layers.<l>.encoding.<label>" or "encoding.<label>"
void take_name(LearnedTensor& tensor) {
  constexpr std::string_view kLayers = "layers.", kEncoding = "encoding.";
  std::string_view rest = tensor.name;
  if (rest.starts_with(kLayers)) {
    rest.remove_prefix(kLayers.size());
    int64_t layer = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), layer);
    tensor.layer = layer;
    rest.remove_prefix(static_cast<size_t>(read.ptr - rest.data()) + 1);
  }
  if (rest.starts_with(kEncoding)) rest.remove_prefix(kEncoding.size());
  tensor.label = rest;
}

std::vector<LearnedTensor> starting_tensors(const ResolvedEncoding& encoding, uint64_t seed) {
  const ParameterValues starts = initial_values(encoding, seed);
  std::vector<LearnedTensor> tensors;
  for (size_t p = 0; p < starts.size(); ++p) {
    const LearnedParameter& parameter = encoding.parameters[p];
    LearnedTensor tensor{.name = parameter.name,
                         .label = {},
                         .layer = {},
                         .heads = parameter.heads,
                         .shape = parameter.shape,
                         .least = parameter.least,
                         .most = parameter.most};
    take_name(tensor);
    // As the model has them.
    for (const double value : starts[p]) tensor.start.push_back(as_stored(value));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

bool learns(const RunConfig& config) {
  const Encoding encoding = parse_encoding(config.model.encoding);
  return EncodingSum(encoding, config.model.encoding).traits().learnable;
}

std::vector<LearnedTensor> from_weights(const RunFolder& folder, const RunConfig& config, const std::string& name) {
  const ResolvedEncoding encoding = resolve_encoding(config.model, /*factors=*/false);
  if (encoding.parameters.empty()) return {};
  const ParameterLayout layout(config.model, encoding);
  folder.check_model(config, name);
  std::vector<LearnedTensor> tensors = learned_tensors(encoding, layout, config.seed, folder.load_model(layout, name));
  if (!config.start.empty() && has_start(folder)) {
    const std::vector<float> start = load_start(folder, layout, config);
    for (size_t p = 0; p < tensors.size(); ++p) {
      const auto first = start.begin() + layout.encoding_entry(static_cast<int64_t>(p)).offset;
      tensors[p].start.assign(first, first + layout.encoding_entry(static_cast<int64_t>(p)).size);
    }
  }
  return tensors;
}

std::vector<LearnedTensor> from_result(const RunConfig& config, const StoredResult& result) {
  std::vector<LearnedTensor> tensors = starting_tensors(resolve_encoding(config.model, /*factors=*/false), config.seed);
  for (LearnedTensor& tensor : tensors) {
    const auto kept = result.learned.find(tensor.name);
    if (kept != result.learned.end() && kept->second.size() == tensor.start.size()) tensor.end = kept->second;
  }
  return tensors;
}

bool is_packed(const StoredResult& result) {
  return std::find(result.packed.begin(), result.packed.end(), "model.safetensors") != result.packed.end();
}

}  // namespace

bool has_named_numbers(const LearnedTensor& tensor) { return tensor.columns() <= kMostNamedNumbers; }

std::string number_name(const LearnedTensor& tensor, size_t column) {
  return tensor.columns() == 1 ? tensor.label : fmt::format("{}[{}]", tensor.label, column);
}

std::vector<LearnedTensor> learned_tensors(const ResolvedEncoding& encoding, const ParameterLayout& layout,
                                           uint64_t seed, const std::vector<float>& parameters) {
  std::vector<LearnedTensor> tensors = starting_tensors(encoding, seed);
  for (size_t p = 0; p < tensors.size(); ++p) {
    const Parameter& entry = layout.encoding_entry(static_cast<int64_t>(p));
    const auto first = parameters.begin() + entry.offset;
    tensors[p].end.assign(first, first + entry.size);
  }
  return tensors;
}

std::vector<LearnedTensor> learned_tensors(const RunFolder& folder, const RunConfig& config,
                                           std::optional<int64_t> step) {
  if (!step && !std::filesystem::exists(folder.file("model.safetensors")) && folder.complete()) {
    const StoredResult result = read_result(folder, config);
    std::vector<LearnedTensor> kept = from_result(config, result);
    const auto has_end = [](const LearnedTensor& tensor) { return !tensor.end.empty(); };
    if (is_packed(result) && (kept.empty() || std::any_of(kept.begin(), kept.end(), has_end))) return kept;
  }
  return from_weights(folder, config, trained_model_file(folder, config, step));
}

std::vector<LearnedTensor> learned_tensors_if_there(const RunFolder& folder, const RunConfig& config,
                                                    const StoredResult& result) {
  if (!learns(config)) return {};
  if (std::filesystem::exists(folder.file("model.safetensors"))) {
    return from_weights(folder, config, "model.safetensors");
  }
  return result.learned.empty() ? std::vector<LearnedTensor>() : from_result(config, result);
}

std::map<std::string, std::vector<double>> kept_numbers(const std::vector<LearnedTensor>& tensors) {
  std::map<std::string, std::vector<double>> kept;
  for (const LearnedTensor& tensor : tensors) {
    if (!tensor.end.empty() && tensor.end.size() <= kMostKept) kept[tensor.name] = tensor.end;
  }
  return kept;
}

ParameterValues starts_of(const std::vector<LearnedTensor>& tensors) {
  ParameterValues values;
  for (const LearnedTensor& tensor : tensors) values.push_back(tensor.start);
  return values;
}

std::optional<ParameterValues> ends_of(const std::vector<LearnedTensor>& tensors) {
  ParameterValues values;
  for (const LearnedTensor& tensor : tensors) {
    if (tensor.end.empty()) return std::nullopt;
    values.push_back(tensor.end);
  }
  return values;
}

// Numbers without a bound are written down as bounded by 1e300.
static std::optional<double> bound(double value) {
  return std::abs(value) < 1e300 ? std::optional(value) : std::nullopt;
}

const Fields<LearnedTensor>& json_fields(const LearnedTensor*) {
  using T = LearnedTensor;
  static const Fields<T> fields = {
      field("name", &T::name, "of the tensor, as in model.safetensors"),
      field("label", &T::label, "without the layer"),
      field("layer", &T::layer, "null: all layers share it"),
      field("heads", &T::heads, "that its rows belong to; empty: no head has numbers of its own"),
      field("shape", &T::shape, "of the tensor"),
      derived_field<T>(
          "least", [](const T& tensor) { return bound(tensor.least); }, "kept above it; null: no bound"),
      derived_field<T>(
          "most", [](const T& tensor) { return bound(tensor.most); }, "kept below it; null: no bound"),
      field("start", &T::start, "every number, row by row, as training started"),
      field("end", &T::end, "likewise, trained; empty where a packed run has not kept them")};
  return fields;
}

}  // namespace phasor
