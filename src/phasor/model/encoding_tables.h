#pragma once
// A resolved encoding in device memory, in the form that the engine's ops read. What is learned is remade from the
// parameters, and its gradients go back to them.
#include <map>
#include <memory>
#include <vector>

#include "phasor/encoding/resolve/resolved.h"
#include "phasor/engine/backend.h"
#include "phasor/model/learned_table.h"
#include "phasor/model/length_classes.h"
#include "phasor/model/parameters.h"

namespace phasor {

struct LayerTables {
  RotationTable rotation;
  DistanceBias bias;
  RowScale row_scale;
  View<const float, 1> head_scale;                 // empty when every head's factor is 1
  std::vector<View<const int32_t, 1>> gate_heads;  // of each term with gates: the heads of its gates
  View<const int32_t, 1> window, chunk;            // empty where no head has one
  View<const float, 1> sink;                       // empty where no head has one
  View<const double, 1> token_frequency;           // [pairs], of what tokens turn
  View<const int32_t, 1> dense_set;                // DenseTerm::head_set; empty: the layer has no such term
  FarRotation far;                                 // of one
  // Where the backward pass adds up gradients of learned tables; empty where nothing is learned.
  View<float, 2> dbias;
  View<float, 2> dscale;
  View<float, 2> dfrequency;
  View<float, 1> dsink;
  View<float, 2> dphase;
  DistanceRows query_rows, key_rows;
  View<const float, 2> query_shift, row_shift;
  View<float, 2> dquery_rows, dkey_rows, dquery_shift, drow_shift;
};

class EncodingTables {
 public:
  // The encoding and the layout must outlive this. Batches have at most so many sequences.
  EncodingTables(Backend& backend, const ResolvedEncoding& encoding, const ParameterLayout& layout, int64_t sequences);

  const InputTable& input() const { return input_; }
  View<float, 2> dinput() const { return input_learned_ == nullptr ? View<float, 2>() : input_learned_->gradient(); }
  const LayerTables& layer(int64_t l) const { return layers_[static_cast<size_t>(l)]; }

  void set_batch(const Batch& batch);
  void remake(const View<float, 1>& parameters);
  void clear_gradients();
  void pass_back(const View<float, 1>& parameters, const View<float, 1>& parameter_gradients);

 private:
  // A rotation whose frequencies are learned, and where its factors and their gradients lie.
  struct LearnedRotation {
    std::unique_ptr<LearnedTable> frequencies;  // [axes, pairs]
    std::vector<View<float, 4>> factors;        // per axis: [1, positions, pairs, 2]
    std::vector<View<float, 2>> dfrequency;     // per axis: [1, pairs]
    double magnitude = 1.0;
  };

  // A rotation whose keys turn by learned phases beside the query's factors.
  struct LearnedPhases {
    std::unique_ptr<LearnedTable> phases;  // [1, pairs]
    View<float, 4> factors;                // of keys, [1, positions, pairs, 2]
    View<const float, 4> base;             // of queries
    View<float, 2> dphase;                 // [1, pairs]
  };

  LengthClasses& length_classes(std::vector<int32_t> of_length);
  std::vector<int32_t> class_per_length() const;
  void add_input(const InputTerm& term);
  DistanceBias add_bias(const BiasTerm& term, View<float, 2>& gradient);
  RowScale add_scale(const ScaleTerm& term, View<float, 2>& gradient);
  // Of sets that turn by one axis each.
  void add_phases(const std::vector<const Rotation*>& sets, const std::vector<int64_t>& rows, LayerTables& tables);
  DistanceRows add_rows(const RowTerm& term, View<float, 2>& gradient);
  View<const float, 2> add_table(const Table& fixed, const std::vector<TableSource>& learned, View<float, 2>& gradient);
  void add_rotations(const LayerEncoding& layer, int64_t l, LayerTables& tables);
  View<const int32_t, 1> upload_mask(const std::vector<HeadMask>& masks, int64_t HeadMask::*part);
  void add_sink(const SinkTerm& term, LayerTables& tables);
  void add_token_rotation(const LayerEncoding& layer, int64_t l, LayerTables& tables);
  void add_dense(const DensePlace& dense, LayerTables& tables);
  View<const float, 2> upload(const Table& table);
  template <class T>
  T* upload_values(const std::vector<T>& values);

  Backend& backend_;
  const ResolvedEncoding& encoding_;
  const ParameterLayout& layout_;
  int64_t sequences_;
  std::vector<Memory> memory_;
  std::map<std::vector<int32_t>, LengthClasses> classes_;
  InputTable input_;
  std::unique_ptr<LearnedTable> input_learned_;
  std::vector<std::unique_ptr<LearnedTable>> learned_;  // biases, row scales, distance rows and their shifts
  std::vector<std::unique_ptr<LearnedTable>> sinks_;
  std::vector<LearnedRotation> rotations_;
  std::vector<LearnedPhases> phases_;
  std::vector<View<float, 2>> dfrequencies_, dphases_;
  std::vector<LayerTables> layers_;
};

}  // namespace phasor
