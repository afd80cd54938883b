#pragma once
// The inside of a model on a few samples, as a safetensors file that a few lines of Python can read.
#include <filesystem>
#include <string>
#include <vector>

#include "phasor/run/session.h"

namespace phasor {

// What can be exported: logits, weights, hidden, queries, keys, values.
const std::vector<std::string>& exportable_tensors();

// Runs the first `samples` of the test set through the model and writes the wanted tensors; docs/formats.md has their
// names and shapes. Throws UsageError for an unknown name or too many samples.
void export_activations(Session& session, const std::vector<std::string>& wanted, int64_t samples,
                        const std::filesystem::path& path);

}  // namespace phasor
