#include "phasor/model/encoding_tables.h"

#include <algorithm>
#include <numeric>

#include "phasor/base/error.h"

namespace phasor {
namespace {

// What the heads of one layer turn by, laid out for the engine.
struct RotationSets {
  std::vector<const Rotation*> sets;
  std::vector<int32_t> head_set;
  int64_t axes = 1, positions = 0, pairs = 0;
  std::vector<int32_t> of_length;               // which class a length reads; empty: one class
  std::vector<std::vector<int32_t>> set_class;  // [classes][sets]: the class of each set

  RotationSets(const LayerEncoding& layer, int64_t longest) {
    for (const auto& rotation : layer.rotation) {
      if (rotation == nullptr) {
        head_set.push_back(-1);
        continue;
      }
      const auto found = std::find(sets.begin(), sets.end(), rotation.get());
      head_set.push_back(static_cast<int32_t>(found - sets.begin()));
      if (found == sets.end()) sets.push_back(rotation.get());
    }
    for (const Rotation* set : sets) {
      for (const int64_t axis : set->axes) axes = std::max(axes, axis + 1);
      positions = std::max(positions, set->positions);
      pairs = std::max(pairs, set->pairs);
    }
    make_classes(longest);
  }

  int64_t classes() const { return static_cast<int64_t>(set_class.size()); }

 private:
  void make_classes(int64_t longest) {
    const bool one = std::all_of(sets.begin(), sets.end(), [](const Rotation* set) { return set->classes == 1; });
    if (one) {
      set_class.assign(1, std::vector<int32_t>(sets.size(), 0));
      return;
    }
    for (int64_t n = 0; n <= longest; ++n) {
      std::vector<int32_t> classes;
      for (const Rotation* set : sets) {
        classes.push_back(set->class_of_length.empty() ? 0 : set->class_of_length[static_cast<size_t>(n)]);
      }
      const auto found = std::find(set_class.begin(), set_class.end(), classes);
      of_length.push_back(static_cast<int32_t>(found - set_class.begin()));
      if (found == set_class.end()) set_class.push_back(std::move(classes));
    }
  }
};

// Heads of a layer may turn different numbers of channels where pairs are neighbours: the rest turn by nothing.
void check_sets(const RotationSets& rotations, int64_t layer) {
  const Rotation& first = *rotations.sets.front();
  for (const Rotation* set : rotations.sets) {
    const bool same_pairs = set->pairs == first.pairs;
    const bool padded = !set->halves && set->learned.empty() && first.learned.empty();
    if (set->first == first.first && set->halves == first.halves && (same_pairs || padded)) continue;
    fail_usage("layer {}: {} and {} turn different channels; the heads of a layer must turn the same ones", layer,
               first.name, set->name);
  }
}

}  // namespace

EncodingTables::EncodingTables(Backend& backend, const ResolvedEncoding& encoding, const ParameterLayout& layout,
                               int64_t sequences)
    : backend_(backend), encoding_(encoding), layout_(layout), sequences_(sequences) {
  if (encoding.input) add_input(*encoding.input);
  for (size_t l = 0; l < encoding.layers.size(); ++l) {
    const LayerEncoding& layer = encoding.layers[l];
    LayerTables tables;
    if (l > 0 && layer.rotation == encoding.layers[l - 1].rotation) {
      tables.rotation = layers_.back().rotation;
      tables.dfrequency = layers_.back().dfrequency;
      tables.dphase = layers_.back().dphase;
    } else {
      add_rotations(layer, static_cast<int64_t>(l), tables);
    }
    if (l > 0 && layer.bias == encoding.layers[l - 1].bias) {
      tables.bias = layers_.back().bias;
      tables.dbias = layers_.back().dbias;
    } else if (layer.bias != nullptr) {
      tables.bias = add_bias(*layer.bias, tables.dbias);
    }
    if (l > 0 && layer.row_scale == encoding.layers[l - 1].row_scale) {
      tables.row_scale = layers_.back().row_scale;
      tables.dscale = layers_.back().dscale;
    } else if (layer.row_scale != nullptr) {
      tables.row_scale = add_scale(*layer.row_scale, tables.dscale);
    }
    if (layer.query_rows != nullptr) tables.query_rows = add_rows(*layer.query_rows, tables.dquery_rows);
    if (layer.key_rows != nullptr) tables.key_rows = add_rows(*layer.key_rows, tables.dkey_rows);
    if (layer.query_shift != nullptr) {
      tables.query_shift = add_table(layer.query_shift->fixed, layer.query_shift->learned, tables.dquery_shift);
    }
    if (layer.row_shift != nullptr) {
      tables.row_shift = add_table(layer.row_shift->fixed, layer.row_shift->learned, tables.drow_shift);
    }
    if (std::any_of(layer.scale.begin(), layer.scale.end(), [](double s) { return s != 1.0; })) {
      const std::vector<float> scale(layer.scale.begin(), layer.scale.end());
      tables.head_scale = View<const float, 1>(upload_values(scale), layer.scale.size());
    }
    tables.rotation.token_set = {};  // of the layer itself, whatever it shares
    if (layer.token_rotation) add_token_rotation(layer, static_cast<int64_t>(l), tables);
    for (const GateTerm& gates : layer.gates) {
      const std::vector<int32_t> heads(gates.heads.begin(), gates.heads.end());
      tables.gate_heads.emplace_back(upload_values(heads), heads.size());
    }
    tables.window = upload_mask(layer.masks, &HeadMask::window);
    tables.chunk = upload_mask(layer.masks, &HeadMask::chunk);
    if (layer.sink != nullptr) add_sink(*layer.sink, tables);
    if (l > 0 && layer.dense == encoding.layers[l - 1].dense) {
      tables.dense_set = layers_.back().dense_set;
      tables.far = layers_.back().far;
    } else if (layer.dense != nullptr) {
      add_dense(*layer.dense, tables);
    }
    layers_.push_back(tables);
  }
}

template <class T>
T* EncodingTables::upload_values(const std::vector<T>& values) {
  memory_.push_back(backend_.allocate(std::max<size_t>(1, values.size()) * sizeof(T)));
  backend_.copy_in(memory_.back().data(), values.data(), values.size() * sizeof(T));
  return static_cast<T*>(memory_.back().data());
}

View<const float, 2> EncodingTables::upload(const Table& table) {
  const std::vector<float> values(table.values.begin(), table.values.end());
  return View<const float, 2>(upload_values(values), table.rows, table.columns);
}

LengthClasses& EncodingTables::length_classes(std::vector<int32_t> of_length) {
  const auto found = classes_.find(of_length);
  if (found != classes_.end()) return found->second;
  return classes_.emplace(of_length, LengthClasses(backend_, of_length, sequences_)).first->second;
}

// One table for each length from 1 on.
std::vector<int32_t> EncodingTables::class_per_length() const {
  std::vector<int32_t> of_length(static_cast<size_t>(encoding_.shape.positions) + 1);
  std::iota(of_length.begin() + 1, of_length.end(), 0);
  return of_length;
}

void EncodingTables::add_input(const InputTerm& term) {
  const int64_t tables = term.per_length ? encoding_.shape.positions : 1;
  input_.axis = static_cast<int32_t>(term.axis);
  input_.positions = static_cast<int32_t>(term.fixed.rows / tables);
  if (term.per_length) input_.sequence_table = length_classes(class_per_length()).sequence_table();
  if (term.learned.empty()) {
    input_.table = upload(term.fixed);
    return;
  }
  input_learned_ = std::make_unique<LearnedTable>(backend_, term.fixed, term.learned, layout_);
  input_.table = input_learned_->table();
}

DistanceBias EncodingTables::add_bias(const BiasTerm& term, View<float, 2>& gradient) {
  DistanceBias bias;
  bias.reach = static_cast<int32_t>(term.reach);
  bias.rows = static_cast<int32_t>(term.rows);
  bias.axis = static_cast<int32_t>(term.axis);
  if (term.per_length) bias.sequence_table = length_classes(class_per_length()).sequence_table();
  bias.table = add_table(term.fixed, term.learned, gradient);
  return bias;
}

View<const float, 2> EncodingTables::add_table(const Table& fixed, const std::vector<TableSource>& learned,
                                               View<float, 2>& gradient) {
  if (learned.empty()) return upload(fixed);
  learned_.push_back(std::make_unique<LearnedTable>(backend_, fixed, learned, layout_));
  gradient = learned_.back()->gradient();
  return learned_.back()->table();
}

RowScale EncodingTables::add_scale(const ScaleTerm& term, View<float, 2>& gradient) {
  RowScale scale;
  scale.axis = static_cast<int32_t>(term.axis);
  if (term.per_length) scale.sequence_table = length_classes(class_per_length()).sequence_table();
  scale.table = add_table(term.fixed, term.learned, gradient);
  return scale;
}

DistanceRows EncodingTables::add_rows(const RowTerm& term, View<float, 2>& gradient) {
  DistanceRows rows;
  rows.table = add_table(term.fixed, term.learned, gradient);
  rows.index = View<const int32_t, 1>(upload_values(term.index), term.index.size());
  rows.reach = static_cast<int32_t>(term.reach);
  rows.axis = static_cast<int32_t>(term.axis);
  return rows;
}

void EncodingTables::add_rotations(const LayerEncoding& layer, int64_t l, LayerTables& tables) {
  const RotationSets rotations(layer, encoding_.shape.positions);
  if (rotations.sets.empty()) return;
  check_sets(rotations, l);
  const auto set_count = static_cast<int64_t>(rotations.sets.size());
  const int64_t rows = rotations.classes() * set_count * rotations.axes;
  // A row is read at the token's position on every axis, of other terms too.
  int64_t positions = rotations.positions;
  for (int64_t axis = 0; axis < rotations.axes; ++axis) {
    positions = std::max(positions, encoding_.axes[static_cast<size_t>(axis)].extent);
  }
  const int64_t pairs = rotations.pairs;
  const int64_t row_size = positions * pairs * 2;
  const auto row_of = [&](int64_t c, int64_t set, int64_t axis) {
    return (c * set_count + set) * rotations.axes + axis;
  };

  // What is not turned has the factor 1.
  std::vector<float> query(static_cast<size_t>(rows * row_size));
  for (size_t i = 0; i < query.size(); i += 2) query[i] = 1.0f;
  std::vector<float> key = query;
  bool learned = false;
  for (int64_t set = 0; set < set_count; ++set) {
    const Rotation& rotation = *rotations.sets[static_cast<size_t>(set)];
    learned = learned || !rotation.learned.empty();
    if (!rotation.learned.empty()) continue;
    const auto axes = static_cast<int64_t>(rotation.axes.size());
    for (int64_t c = 0; c < rotations.classes(); ++c) {
      const int64_t own_class = rotations.set_class[static_cast<size_t>(c)][static_cast<size_t>(set)];
      for (int64_t a = 0; a < axes; ++a) {
        const int64_t to = row_of(c, set, rotation.axes[static_cast<size_t>(a)]) * row_size;
        for (int64_t p = 0; p < rotation.positions; ++p) {
          for (int64_t pair = 0; pair < rotation.pairs; ++pair) {
            const auto from =
                static_cast<size_t>(((own_class * axes + a) * rotation.positions + p) * rotation.pairs + pair);
            const auto place = static_cast<size_t>(to + (p * pairs + pair) * 2);
            query[place] = static_cast<float>(rotation.query[from].real());
            query[place + 1] = static_cast<float>(rotation.query[from].imag());
            key[place] = static_cast<float>(rotation.key[from].real());
            key[place + 1] = static_cast<float>(rotation.key[from].imag());
          }
        }
      }
    }
  }

  float* query_memory = upload_values(query);
  const bool phased = std::any_of(rotations.sets.begin(), rotations.sets.end(),
                                  [](const Rotation* set) { return !set->learned_phases.empty(); });
  float* key_memory = query == key && !phased ? query_memory : upload_values(key);
  const Rotation& first = *rotations.sets.front();
  tables.rotation = {.query = View<const float, 4>(query_memory, rows, positions, pairs, 2),
                     .key = View<const float, 4>(key_memory, rows, positions, pairs, 2),
                     .head_set = View<const int32_t, 1>(upload_values(rotations.head_set), rotations.head_set.size()),
                     .sets = static_cast<int32_t>(set_count),
                     .axes = static_cast<int32_t>(rotations.axes),
                     .first = static_cast<int32_t>(first.first),
                     .halves = first.halves};
  if (!rotations.of_length.empty()) {
    tables.rotation.sequence_table = length_classes(rotations.of_length).sequence_table();
  }
  if (phased) {
    std::vector<int64_t> of_sets;
    for (int64_t set = 0; set < set_count; ++set) {
      of_sets.push_back(row_of(0, set, rotations.sets[static_cast<size_t>(set)]->axes.front()));
    }
    add_phases(rotations.sets, of_sets, tables);
  }
  if (!learned) return;
  if (rotations.classes() > 1 || key_memory != query_memory) {
    fail_usage("layer {}: learned frequencies cannot share a layer with {}", l,
               rotations.classes() > 1 ? "rotations that depend on length" : "rotations that decay");
  }
  tables.dfrequency = View<float, 2>(upload_values(std::vector<float>(static_cast<size_t>(rows * pairs))), rows, pairs);
  dfrequencies_.push_back(tables.dfrequency);
  for (int64_t set = 0; set < set_count; ++set) {
    const Rotation& rotation = *rotations.sets[static_cast<size_t>(set)];
    if (rotation.learned.empty()) continue;
    LearnedRotation entry;
    entry.frequencies = std::make_unique<LearnedTable>(backend_, rotation.frequencies, rotation.learned, layout_);
    entry.magnitude = rotation.magnitude;
    for (const int64_t axis : rotation.axes) {
      const int64_t row = row_of(0, set, axis);
      entry.factors.emplace_back(query_memory + row * row_size, 1, positions, pairs, 2);
      entry.dfrequency.emplace_back(tables.dfrequency.row(row), 1, pairs);
    }
    rotations_.push_back(std::move(entry));
  }
}

void EncodingTables::add_phases(const std::vector<const Rotation*>& sets, const std::vector<int64_t>& rows,
                                LayerTables& tables) {
  const RotationTable& rotation = tables.rotation;
  const int64_t positions = rotation.query.extent(1);
  const int64_t pairs = rotation.query.extent(2);
  const auto count = static_cast<int64_t>(sets.size());
  tables.dphase = View<float, 2>(upload_values(std::vector<float>(static_cast<size_t>(count * pairs))), count, pairs);
  dphases_.push_back(tables.dphase);
  for (size_t set = 0; set < sets.size(); ++set) {
    if (sets[set]->learned_phases.empty()) continue;
    LearnedPhases entry;
    entry.phases = std::make_unique<LearnedTable>(backend_, sets[set]->phases, sets[set]->learned_phases, layout_);
    // The key's factors are this layer's own: nothing else reads them.
    auto* keys =
        const_cast<float*>(rotation.key.row(rows[set], 0, 0));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    entry.factors = View<float, 4>(keys, 1, positions, pairs, 2);
    entry.base = View<const float, 4>(rotation.query.row(rows[set], 0, 0), 1, positions, pairs, 2);
    entry.dphase = View<float, 2>(tables.dphase.row(static_cast<int64_t>(set)), 1, pairs);
    phases_.push_back(std::move(entry));
  }
}

View<const int32_t, 1> EncodingTables::upload_mask(const std::vector<HeadMask>& masks, int64_t HeadMask::*part) {
  std::vector<int32_t> tokens;
  tokens.reserve(masks.size());
  for (const HeadMask& mask : masks) tokens.push_back(static_cast<int32_t>(mask.*part));
  if (std::all_of(tokens.begin(), tokens.end(), [](int32_t count) { return count == 0; })) return {};
  return View<const int32_t, 1>(upload_values(tokens), tokens.size());
}

void EncodingTables::add_sink(const SinkTerm& term, LayerTables& tables) {
  if (term.learned.empty()) {
    tables.sink = View<const float, 1>(upload(term.fixed).data(), term.fixed.columns);
    return;
  }
  sinks_.push_back(std::make_unique<LearnedTable>(backend_, term.fixed, term.learned, layout_));
  tables.sink = View<const float, 1>(sinks_.back()->table().data(), term.fixed.columns);
  tables.dsink = View<float, 1>(sinks_.back()->gradient().data(), term.fixed.columns);
}

// Some heads of the layer may turn by positions, others by tokens, all of them the same channels.
void EncodingTables::add_token_rotation(const LayerEncoding& layer, int64_t l, LayerTables& tables) {
  const TokenRotation& rotation = *layer.token_rotation;
  RotationTable& table = tables.rotation;
  const bool same = table.first == 0 && table.halves == rotation.halves;
  if (!table.query.empty() && !(same && table.query.extent(2) == rotation.pairs)) {
    fail_usage(
        "layer {}: {} and the layer's other rotation turn different channels; the heads of a layer must turn the "
        "same ones",
        l, rotation.name);
  }
  table.halves = rotation.halves;
  std::vector<int32_t> sets(layer.rotation.size(), -1);
  for (size_t set = 0; set < rotation.heads.size(); ++set) {
    sets[static_cast<size_t>(rotation.heads[set])] = static_cast<int32_t>(set);
  }
  table.token_set = View<const int32_t, 1>(upload_values(sets), sets.size());
  tables.token_frequency = View<const double, 1>(upload_values(rotation.frequencies), rotation.frequencies.size());
}

// Positions share their vectors between heads or do not; what else there is has a set for every head, or one.
void EncodingTables::add_dense(const DensePlace& dense, LayerTables& tables) {
  const ContextPositions* positions = dense.positions();
  const bool one_set = dense.far() != nullptr || (positions != nullptr && !positions->per_head);
  std::vector<int32_t> sets(static_cast<size_t>(encoding_.shape.heads), -1);
  for (size_t set = 0; set < dense.heads.size(); ++set) {
    sets[static_cast<size_t>(dense.heads[set])] = one_set ? 0 : static_cast<int32_t>(set);
  }
  tables.dense_set = View<const int32_t, 1>(upload_values(sets), sets.size());
  const FarAngles* far = dense.far();
  if (far == nullptr) return;
  const auto factors = [&](const FarAngles::Factors& from) {
    std::vector<float> values;
    for (const std::complex<double>& factor : from) {
      values.push_back(static_cast<float>(factor.real()));
      values.push_back(static_cast<float>(factor.imag()));
    }
    return View<const float, 3>(upload_values(values), far->positions, far->pairs, 2);
  };
  tables.far = {.query_back = factors(far->query_back),
                .query_ahead = factors(far->query_ahead),
                .key = factors(far->key),
                .window = static_cast<int32_t>(far->window),
                .axis = static_cast<int32_t>(far->axis),
                .halves = far->halves};
}

void EncodingTables::set_batch(const Batch& batch) {
  for (auto& [of_length, classes] : classes_) classes.upload(backend_, batch);
}

void EncodingTables::remake(const View<float, 1>& parameters) {
  if (input_learned_ != nullptr) input_learned_->remake(parameters);
  for (const auto& sink : sinks_) sink->remake(parameters);
  for (const auto& table : learned_) table->remake(parameters);
  for (const LearnedRotation& rotation : rotations_) {
    rotation.frequencies->remake(parameters);
    const View<float, 2> frequencies = rotation.frequencies->table();
    for (size_t a = 0; a < rotation.factors.size(); ++a) {
      backend_.run(RotationFactors{.factors = rotation.factors[a],
                                   .frequency = View<const float, 2>(frequencies.row(a), 1, frequencies.extent(1)),
                                   .magnitude = static_cast<float>(rotation.magnitude)});
    }
  }
  for (const LearnedPhases& entry : phases_) {
    entry.phases->remake(parameters);
    backend_.run(PhaseFactors{.factors = entry.factors, .base = entry.base, .phase = entry.phases->table()});
  }
}

void EncodingTables::clear_gradients() {
  for (const View<float, 2>& dphase : dphases_) {
    backend_.run(Fill{.x = View<float, 1>(dphase.data(), dphase.size())});
  }
  if (input_learned_ != nullptr) input_learned_->clear_gradient();
  for (const auto& sink : sinks_) sink->clear_gradient();
  for (const auto& table : learned_) table->clear_gradient();
  for (const View<float, 2>& dfrequency : dfrequencies_) {
    backend_.run(Fill{.x = View<float, 1>(dfrequency.data(), dfrequency.size())});
  }
}

void EncodingTables::pass_back(const View<float, 1>& parameters, const View<float, 1>& gradients) {
  if (input_learned_ != nullptr) input_learned_->pass_back(parameters, gradients);
  for (const auto& sink : sinks_) sink->pass_back(parameters, gradients);
  for (const auto& table : learned_) table->pass_back(parameters, gradients);
  for (const LearnedRotation& rotation : rotations_) {
    const View<float, 2> collected = rotation.frequencies->gradient();
    for (size_t a = 0; a < rotation.dfrequency.size(); ++a) {
      backend_.run(
          Cast{.to = View<float, 2>(collected.row(a), 1, collected.extent(1)), .from = rotation.dfrequency[a]});
    }
    rotation.frequencies->pass_back(parameters, gradients);
  }
  for (const LearnedPhases& entry : phases_) {
    backend_.run(Cast{.to = entry.phases->gradient(), .from = entry.dphase});
    entry.phases->pass_back(parameters, gradients);
  }
}

}  // namespace phasor
