#pragma once
// The parameters of a model, described once: parameters, gradients and both moments are four flat arrays of
// one layout. An optimiser step is then one op, a checkpoint one walk over names.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/resolved.h"
#include "phasor/model/config.h"
#include "phasor/random/initial_values.h"

namespace phasor {

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  InitialValues initial;
  int64_t offset = 0;  // in floats
  int64_t size = 0;
  // Kept within these after every update.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

// Where a linear layer's numbers lie. Entries that follow each other can be read as one taller matrix: the
// query, key and value projections are.
struct LinearSlot {
  int64_t weight = 0;
  int64_t bias = -1;  // none
  int64_t out = 0, in = 0;

  LinearSlot row_range(int64_t first, int64_t count) const {
    return {weight + first * in, bias < 0 ? bias : bias + first, count, in};
  }
};

struct NormSlot {
  int64_t weight = 0;
  int64_t bias = -1;  // none for RMS norm
};

// Queries, keys and values out of latents (ResolvedEncoding's decoupled path).
struct DecoupledSlots {
  LinearSlot down;  // [query latent; key latent; rotary key]
  NormSlot query_norm, key_norm;
  LinearSlot query_up;      // [queries; shared rotary query]
  LinearSlot key_value_up;  // [keys; values]
};

struct LayerSlots {
  NormSlot attention_norm;
  LinearSlot projections;       // [query; key; value]; unused with a decoupled path
  LinearSlot query, key_value;  // the same numbers in two parts
  DecoupledSlots decoupled;
  LinearSlot output;
  NormSlot ffn_norm;
  LinearSlot up, down;
};

class ParameterLayout {
 public:
  ParameterLayout(const ModelConfig& config, const ResolvedEncoding& encoding);

  const std::vector<Parameter>& entries() const { return entries_; }
  const Parameter& find(std::string_view name) const;  // Error when there is none
  // Of the arrays, in floats: between entries there may be a few zeros that belong to none.
  int64_t size() const { return size_; }
  int64_t count() const { return count_; }  // of parameters

  // The initial values: a function of the seed and the entry's name and shape alone.
  std::vector<float> initial_values(uint64_t seed) const;

  int64_t embedding = 0;
  const Parameter& encoding_entry(int64_t parameter) const;  // by its place in ResolvedEncoding::parameters
  std::vector<LayerSlots> layers;
  NormSlot final_norm;
  LinearSlot readout;

 private:
  // Entries start where devices read whole vectors, but for those that are read as one matrix with the entry before.
  enum class Start : uint8_t { aligned, behind_the_last };
  Parameter& add_entry(std::string name, std::vector<int64_t> shape, InitialValues initial, Start start);
  int64_t add(std::string name, std::vector<int64_t> shape, InitialValues initial, Start start = Start::aligned);
  NormSlot add_norm(const std::string& name, const ModelConfig& config);
  LinearSlot add_linear(const std::string& name, int64_t out, int64_t in, const ModelConfig& config);
  LinearSlot add_projections(const std::string& name, const ModelConfig& config);
  LinearSlot add_output(const std::string& name, const ModelConfig& config, bool bias);
  DecoupledSlots add_decoupled(const std::string& name, const ModelConfig& config, const DecoupledPath& path);

  std::vector<Parameter> entries_;
  int64_t first_encoding_ = 0;  // place of the encoding's first entry
  int64_t size_ = 0, count_ = 0;
};

}  // namespace phasor
