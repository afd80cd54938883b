#pragma once
// Cases of ragged attention and their data: every field of the op record is used by some case.
#include <algorithm>

#include "reference/attention_backward.h"
#include "support/backend.h"
#include "support/sequences.h"

namespace phasor::testing_support {

struct AttentionCase {
  std::string name;
  std::vector<int32_t> lengths;
  AttentionShape shape;
  bool causal = false;
  bool shuffled = true;       // positions with gaps and out of order; else 0 .. n - 1
  int64_t running_axis = -1;  // the positions on this axis run on by one, from another start in each sequence
  int64_t axes = 1;           // of the positions
  int64_t pairs = 0;          // rotated pairs; 0: no rotation
  int64_t first = 0;
  bool halves = false;
  int64_t rotation_axes = 1;
  std::vector<int32_t> head_set;  // empty: set 0 for all heads
  bool decays = false;            // query and key tables differ, and their factors do not have modulus 1
  int64_t rotation_tables = 1;    // more than one: sequences read different ones
  bool phases = false;            // of keys
  FeatureMap feature = FeatureMap::none;
  bool bias = false;
  bool bias_rows = false;  // a row of biases for each position of the query
  int64_t bias_axis = 0;
  int64_t bias_tables = 1;
  bool head_scale = false;
  bool prefix = false;
  bool row_scale = false;
  bool row_scale_by_query = true;  // else one factor per head, or per head and table
  int64_t row_scale_axis = 0;
  int64_t row_scale_tables = 1;
  std::vector<int64_t> window, chunk;  // [heads] or empty
  bool sink = false;
  bool token_turns = false;  // heads 0, 2, ... turn by tokens
  float rate = 0.0f;
  bool packed = false;  // query, key, value are column ranges of one matrix
  int64_t spare = 0;    // tokens and sequences of capacity beyond the batch

  bool masked() const { return !window.empty() || !chunk.empty() || sink; }
};

inline void PrintTo(const AttentionCase& c, std::ostream* out) { *out << c.name; }

// Sums of gates: alone, causal with turns and dropout, and beside everything else.
inline void add_prefix_cases(std::vector<AttentionCase>& cases) {
  if (tested_device() != kDefaultDevice) return;  // the cuda backend refuses them (engine/cuda/attention_support.h)
  AttentionCase alone;
  alone.name = "Prefix";
  alone.lengths = {1, 2, 33, 17, 70};
  alone.shape = {.heads = 3, .key_heads = 3, .key_width = 8, .value_width = 8};
  alone.prefix = true;
  AttentionCase causal = alone;
  causal.name = "CausalRopeAndPrefix";
  causal.lengths = {40, 64, 1, 130, 3};
  causal.pairs = 4;
  causal.causal = causal.packed = true;
  causal.shuffled = false;
  causal.rate = 0.2f;
  causal.spare = 5;
  AttentionCase grouped = alone;
  grouped.name = "PrefixOfGroupedHeads";
  grouped.shape = {.heads = 6, .key_heads = 2, .key_width = 12, .value_width = 20};
  grouped.bias = grouped.head_scale = true;
  AttentionCase everything = cases.back();
  everything.name = "EverythingAndPrefix";
  everything.prefix = true;
  for (const AttentionCase& added : {alone, causal, grouped, everything}) cases.push_back(added);
}

// A factor per query: alone, by sequence alone, and beside everything else.
inline void add_row_scale_cases(std::vector<AttentionCase>& cases) {
  AttentionCase alone;
  alone.name = "RowScale";
  alone.lengths = {1, 2, 33, 17};
  alone.shape = {.heads = 3, .key_heads = 3, .key_width = 8, .value_width = 8};
  alone.row_scale = true;
  AttentionCase causal = alone;
  causal.name = "CausalRopeAndRowScale";
  causal.lengths = {40, 64, 1, 33, 3};
  causal.pairs = 4;
  causal.causal = causal.packed = true;
  causal.shuffled = false;
  causal.spare = 5;
  AttentionCase by_sequence = alone;
  by_sequence.name = "RowScaleByTable";
  by_sequence.lengths = {7, 12, 1, 20, 5, 3, 6};
  by_sequence.row_scale_by_query = false;
  by_sequence.row_scale_tables = 3;
  by_sequence.bias = true;
  AttentionCase everything = cases.back();
  everything.name = "EverythingAndRowScale";
  everything.row_scale = true;
  everything.row_scale_axis = 1;
  everything.row_scale_tables = 2;
  for (const AttentionCase& added : {alone, causal, by_sequence, everything}) {
    // The cuda backend refuses row scales (engine/cuda/attention_support.h).
    if (tested_device() == kDefaultDevice) cases.push_back(added);
  }
}

// Angles of tokens: alone, beside heads that turn by positions, in halves, and beside everything else.
inline void add_token_cases(std::vector<AttentionCase>& cases) {
  if (tested_device() != kDefaultDevice) return;  // the cuda backend refuses them (engine/cuda/attention_support.h)
  AttentionCase alone;
  alone.name = "TokenTurns";
  alone.lengths = {1, 2, 33, 17, 40};
  alone.shape = {.heads = 3, .key_heads = 3, .key_width = 12, .value_width = 8};
  alone.pairs = 6;
  alone.head_set = {-1, -1, -1};
  alone.token_turns = true;
  AttentionCase beside = alone;
  beside.name = "TokenTurnsBesideRope";
  beside.lengths = {40, 64, 1, 3};
  beside.shape = {.heads = 6, .key_heads = 2, .key_width = 20, .value_width = 6};
  beside.head_set = {-1, 0, -1, -1, -1, 1};
  beside.first = 4;
  beside.halves = beside.causal = beside.packed = true;
  beside.rate = 0.2f;
  beside.spare = 3;
  AttentionCase everything = alone;
  everything.name = "TokenTurnsAndPrefix";
  everything.shape.shared_key_width = 4;
  everything.shape.shared_query_width = 8;
  everything.bias = everything.head_scale = everything.prefix = true;
  everything.spare = 2;
  for (const AttentionCase& added : {alone, beside, everything}) cases.push_back(added);
}

// Most names stand for a situation of a real model; "Everything" has all fields at once.
inline std::vector<AttentionCase> attention_cases() {
  const auto shape = [](int32_t heads, int32_t key_heads, int32_t key_width, int32_t value_width) {
    return AttentionShape{.heads = heads, .key_heads = key_heads, .key_width = key_width, .value_width = value_width};
  };
  std::vector<AttentionCase> cases;
  const auto add = [&cases](const char* name, std::vector<int32_t> lengths, const AttentionShape& s) -> AttentionCase& {
    AttentionCase c;
    c.name = name;
    c.lengths = std::move(lengths);
    c.shape = s;
    cases.push_back(c);
    return cases.back();
  };
  add("Plain", {1, 2, 3, 17, 33}, shape(2, 2, 8, 8));
  {
    AttentionCase& c = add("CausalPacked", {5, 64, 1, 70}, shape(4, 4, 16, 16));
    c.causal = c.packed = true;
    c.shuffled = false;
    c.spare = 7;
  }
  {
    AttentionCase& c = add("Rope", {1, 33, 17}, shape(3, 3, 24, 24));
    c.pairs = 12;
    c.packed = true;
  }
  {
    AttentionCase& c = add("RopePartHalves", {19, 2, 5}, shape(6, 2, 20, 6));
    c.pairs = 6;
    c.first = 4;
    c.halves = true;
    c.spare = 3;
  }
  {
    AttentionCase& c = add("SomeHeadsTurnAndDecay", {9, 30}, shape(4, 4, 8, 4));
    c.pairs = 4;
    c.head_set = {1, -1, 0, 1};
    c.decays = c.causal = true;
  }
  {
    AttentionCase& c = add("TwoAxes", {20, 1, 36}, shape(2, 2, 18, 6));
    c.axes = c.rotation_axes = 2;
    c.pairs = 9;
    c.packed = true;
    c.bias_rows = true;  // of the probe
    c.bias_axis = 1;
  }
  {
    AttentionCase& c = add("ThreeAxesHalves", {9, 27, 2}, shape(4, 2, 16, 8));
    c.axes = c.rotation_axes = 3;
    c.pairs = 5;
    c.first = 3;
    c.head_set = {0, 1, -1, 1};
    c.rotation_tables = 2;
    c.halves = c.decays = true;
    c.spare = 4;
  }
  {
    AttentionCase& c = add("SharedKey", {3, 17, 40}, shape(4, 4, 24, 16));
    c.shape.shared_key_width = 8;
    c.pairs = 4;
    c.first = 16;
    c.decays = true;
    c.spare = 5;
  }
  {
    AttentionCase& c = add("SharedQuery", {17, 1, 34}, shape(4, 2, 14, 10));
    c.shape.shared_query_width = 6;
    c.pairs = 5;
    c.halves = c.head_scale = true;
    c.spare = 2;
  }
  {
    AttentionCase& c = add("SharedQueryAndKey", {5, 33}, shape(3, 3, 20, 12));
    c.shape.shared_query_width = 12;
    c.shape.shared_key_width = 8;
    c.pairs = 4;
    c.first = 12;
    c.causal = c.packed = true;
  }
  {
    AttentionCase& c = add("AllShared", {6, 20}, shape(2, 2, 8, 6));
    c.shape.shared_query_width = c.shape.shared_key_width = 8;
    c.pairs = 4;
    c.head_set = {0, 1};
  }
  {
    AttentionCase& c = add("DistanceBias", {1, 2, 3, 17, 33, 64, 70, 130}, shape(8, 8, 4, 4));
    c.bias = c.packed = true;
    c.spare = 11;
  }
  {
    AttentionCase& c = add("BiasByRow", {1, 40, 2, 33}, shape(4, 4, 8, 8));
    c.lengths.insert(c.lengths.end(), 40, 3);
    c.bias = c.bias_rows = true;
    c.spare = 3;
  }
  {
    AttentionCase& c = add("BiasByRowRunningOn", {9, 50, 3, 20}, shape(4, 2, 6, 6));
    c.bias = c.bias_rows = c.causal = true;
    c.running_axis = 0;
    c.bias_tables = 2;
  }
  {
    AttentionCase& c = add("BiasOnSecondAxis", {33, 18}, shape(2, 2, 8, 4));
    c.bias = true;
    c.axes = 2;
    c.bias_axis = 1;
    c.running_axis = 0;
  }
  {
    AttentionCase& c = add("BiasOnRunningSecondAxis", {21, 6, 40}, shape(2, 1, 10, 6));
    c.bias = c.bias_rows = true;
    c.axes = c.rotation_axes = 2;
    c.pairs = 4;
    c.bias_axis = c.running_axis = 1;
  }
  {
    AttentionCase& c = add("TablesPerSequence", {7, 12, 1, 20, 5, 3, 6}, shape(2, 1, 8, 10));
    c.pairs = 4;
    c.bias = c.head_scale = true;
    c.rotation_tables = 3;
    c.bias_tables = 2;
    c.spare = 1;
  }
  {
    AttentionCase& c = add("Dropout", {1, 18, 33}, shape(3, 3, 8, 8));
    c.bias = c.causal = true;
    c.rate = 0.3f;
  }
  {
    AttentionCase& c = add("BiasByRunningDistance", {16, 1, 130, 100, 17, 128, 5}, shape(5, 5, 16, 16));
    c.bias = c.packed = true;
    c.running_axis = 0;
    c.rate = 0.1f;
  }
  {
    AttentionCase& c = add("CausalRopeAndRunningDistance", {128, 31, 64, 7}, shape(3, 3, 32, 24));
    c.bias = c.causal = true;
    c.running_axis = 0;
    c.pairs = 16;
    c.spare = 40;
  }
  {
    AttentionCase& c = add("SharedByRunningSequences", {40, 3, 97, 16}, shape(4, 4, 64, 44));
    c.shape.shared_key_width = 16;
    c.shape.shared_query_width = 8;
    c.bias = c.head_scale = c.halves = true;
    c.running_axis = 0;
    c.pairs = 8;
    c.first = 48;
    c.rotation_tables = 2;
    c.bias_tables = 3;
    c.rate = 0.2f;
    c.spare = 3;
  }
  {
    AttentionCase& c = add("UnevenWidthsRunning", {77, 12, 33}, shape(3, 3, 12, 10));
    c.causal = true;
    c.shuffled = false;
    c.head_set = {0, -1, 0};
    c.pairs = 5;
    c.first = 1;
  }
  add("Wide", {130}, shape(1, 1, 128, 64));
  {
    AttentionCase& c = add("OneKeyHead", {64, 70}, shape(2, 1, 64, 128));
    c.causal = true;
    c.pairs = 32;
    c.halves = true;
  }
  {
    AttentionCase& c = add("Wider", {3, 40, 17}, shape(1, 1, 256, 136));
    c.pairs = 64;
    c.first = 8;
    c.halves = true;
    c.spare = 2;
  }
  {
    AttentionCase& c = add("Paper", {128, 63}, shape(16, 16, 16, 16));
    c.pairs = 8;
    c.rate = 0.1f;
    c.packed = true;
    c.shuffled = false;
  }
  {
    AttentionCase& c = add("ManySequences", std::vector<int32_t>(40, 3), shape(2, 2, 6, 6));
    c.bias = true;
    c.pairs = 3;
    c.rate = 0.1f;
    c.spare = 20;
  }
  {
    AttentionCase& c = add("Everything", {1, 17, 2, 45, 8}, shape(6, 3, 20, 10));
    c.shape.shared_key_width = 4;
    c.shape.shared_query_width = 10;
    c.causal = c.halves = c.decays = c.bias = c.bias_rows = c.head_scale = c.packed = true;
    c.axes = 3;
    c.rotation_axes = 2;
    c.bias_axis = 2;
    c.pairs = 7;
    c.first = 4;
    c.head_set = {0, 1, -1, 1, 0, 1};
    c.rotation_tables = 2;
    c.bias_tables = 3;
    c.rate = 0.25f;
    c.spare = 9;
  }
  add_prefix_cases(cases);
  add_row_scale_cases(cases);
  {
    AttentionCase& c = add("Features", {5, 33, 1, 17}, shape(3, 3, 12, 10));
    c.feature = FeatureMap::softplus;
    c.pairs = 12;
    c.phases = c.packed = true;
    c.head_set = {0, 2, 1};
    c.spare = 3;
  }
  {
    AttentionCase& c = add("FeaturesOfGroupedKeys", {40, 9}, shape(4, 2, 16, 16));
    c.feature = FeatureMap::softplus;
    c.pairs = 16;
    c.axes = c.rotation_axes = 2;
    c.head_set = {0, 1, 1, 0};
    c.causal = c.phases = c.bias = c.head_scale = true;
    c.rotation_tables = 2;
    c.rate = 0.1f;
  }
  {
    AttentionCase& c = add("FeaturesAlone", {3, 20}, shape(2, 1, 5, 8));
    c.feature = FeatureMap::softplus;
  }
  {
    AttentionCase& c = add("PhasesAlone", {7, 30, 2}, shape(4, 2, 20, 6));
    c.pairs = 6;
    c.first = 3;
    c.halves = c.phases = true;
    c.head_set = {1, -1, 0, 1};
  }
  {
    AttentionCase& c = add("Window", {1, 33, 70, 130}, shape(3, 3, 8, 8));
    c.window = {1, 2, 40};
    c.bias = c.prefix = true;
    c.spare = 2;
  }
  {
    AttentionCase& c = add("CausalWindows", {5, 64, 130, 200}, shape(4, 2, 16, 12));
    c.window = {3, 0, 64, 500};
    c.causal = c.packed = c.bias = true;
    c.pairs = 8;
    c.running_axis = 0;
    c.rate = 0.1f;
  }
  {
    AttentionCase& c = add("Chunks", {9, 50, 130}, shape(3, 3, 8, 6));
    c.chunk = {2, 0, 32};
    c.bias = c.bias_rows = true;
  }
  {
    AttentionCase& c = add("CausalWindowsAndChunks", {1, 40, 150}, shape(4, 4, 8, 8));
    c.window = {2, 30, 0, 100};
    c.chunk = {3, 20, 64, 0};
    c.causal = c.prefix = true;
    c.rate = 0.2f;
  }
  {
    AttentionCase& c = add("Sinks", {1, 17, 33, 70}, shape(4, 2, 8, 8));
    c.sink = true;
    c.packed = true;
    c.rate = 0.1f;
  }
  {
    AttentionCase& c = add("WindowsWithSinks", {7, 64, 100}, shape(2, 1, 16, 16));  // gpt-oss
    c.sink = c.causal = true;
    c.window = {4, 0};
    c.pairs = 8;
    c.halves = true;
    c.shuffled = false;
  }
  {
    const auto everything =
        std::find_if(cases.begin(), cases.end(), [](const AttentionCase& c) { return c.name == "Everything"; });
    AttentionCase c = *everything;
    c.name = "EverythingMasked";
    c.window = {2, 0, 5, 16, 1, 30};
    c.chunk = {0, 3, 4, 0, 0, 16};
    c.sink = true;
    cases.push_back(c);
  }
  // Other backends refuse windows, chunks and sinks.
  if (tested_device() != kDefaultDevice) std::erase_if(cases, [](const AttentionCase& c) { return c.masked(); });
  add_token_cases(cases);
  // Kernels elsewhere do not have these yet, and say so.
  if (tested_device() != kDefaultDevice) {
    std::erase_if(cases, [](const AttentionCase& c) { return c.phases || c.feature != FeatureMap::none; });
  }
  return cases;
}

// The same cases on batches small enough for a complex step per element.
inline std::vector<AttentionCase> small_attention_cases() {
  std::vector<AttentionCase> cases = attention_cases();
  for (AttentionCase& c : cases) {
    c.lengths = {1, 5, 2};
    c.spare = std::min<int64_t>(c.spare, 2);
  }
  return cases;
}

class AttentionData {
 public:
  AttentionData(const AttentionCase& given, Dtype dtype, uint64_t seed)
      : shape(given), operands(dtype), data(seed), batch(make_batch(data, given.lengths, given.axes, given.shuffled)) {
    const AttentionShape& s = shape.shape;
    const int64_t tokens = batch.tokens();
    tensors.query = data.normal(tokens, s.heads * (s.key_width - s.shared_query_width), dtype);
    tensors.key = data.normal(tokens, s.key_heads * (s.key_width - s.shared_key_width), dtype);
    tensors.shared_query = data.normal(tokens, s.shared_query_width, dtype);
    tensors.shared_key = data.normal(tokens, s.shared_key_width, dtype);
    tensors.value = data.normal(tokens, s.key_heads * s.value_width, dtype);
    dout = data.normal(tokens, s.heads * s.value_width, dtype);
    if (shape.running_axis >= 0) let_axis_run();

    setup.shape = s;
    setup.shape.feature = shape.feature;
    setup.offsets = batch.offsets;
    setup.positions = batch.positions;
    setup.scale = representable(1.0 / std::sqrt(static_cast<double>(s.key_width)), Dtype::f32);
    setup.causal = shape.causal;
    setup.window = shape.window;
    setup.chunk = shape.chunk;
    if (shape.head_scale) setup.head_scale = data.normal(1, s.heads, Dtype::f32, 0.3, 1.0).data;
    setup.dropout.rate = shape.rate;
    setup.dropout.stream = {.seed = seed, .purpose = Purpose::dropout, .site = 100, .step = 1};
    setup.dropout.step = 31;
    make_bias();
    make_row_scale();
    const auto in_a_set = [](int32_t set) { return set >= 0; };
    const bool any_set = shape.head_set.empty() || std::any_of(shape.head_set.begin(), shape.head_set.end(), in_a_set);
    if (shape.pairs > 0 && any_set) make_rotation();
    if (shape.prefix) make_prefix();
    if (shape.sink) {
      tensors.sink = data.normal(1, s.heads, Dtype::f32, 1.0, 1.0);
      before.sink = data.normal(1, s.heads);
    }
    if (shape.token_turns) make_token_turns();
  }

  template <class S>
  reference::AttentionTensors<S> lifted() const {
    using reference::lift;
    return {lift<S>(tensors.query),
            lift<S>(tensors.key),
            lift<S>(tensors.shared_query),
            lift<S>(tensors.shared_key),
            lift<S>(tensors.value),
            lift<S>(tensors.bias),
            {},
            lift<S>(tensors.scale),
            lift<S>(tensors.prefix),
            lift<S>(tensors.sink),
            {},
            {},
            lift<S>(tensors.vectors),
            lift<S>(tensors.directions),
            lift<S>(tensors.strengths)};
  }

  int64_t tokens() const { return batch.tokens(); }

  AttentionCase shape;
  Dtype operands;
  RandomData data;
  Batch batch;
  reference::AttentionSetup setup;
  reference::AttentionTensors<double> tensors;  // frequency stays empty: nothing is added to the tables'
  Grid<double> dout;
  reference::TableGradients before;  // what the gradients by tables are added to

 private:
  void let_axis_run() {
    constexpr int32_t kLastStart = 9;
    const std::vector<int32_t> starts = data.integers(batch.sequences(), 1, kLastStart);
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      const int32_t begin = batch.offsets[static_cast<size_t>(s)];
      for (int32_t t = begin; t < batch.offsets[static_cast<size_t>(s) + 1]; ++t) {
        batch.positions(t, shape.running_axis) = starts[static_cast<size_t>(s)] + t - begin;
      }
    }
    batch.position_count += kLastStart;
    batch.running = batch.running || shape.axes == 1;
  }

  std::vector<int32_t> table_choice(int64_t tables) {
    if (tables == 1) return {};
    return data.integers(batch.sequences(), 0, static_cast<int32_t>(tables) - 1);
  }

  void make_bias() {
    reference::BiasSetup& b = setup.bias;
    b.reach = std::max(batch.position_count - 1, 0);
    b.rows = shape.bias_rows ? std::max(batch.position_count, 1) : 1;
    b.axis = shape.bias_axis;
    b.sequence_table = table_choice(shape.bias_tables);
    const int64_t rows = shape.bias_tables * shape.shape.heads * b.rows;
    if (shape.bias) tensors.bias = data.normal(rows, 2 * b.reach + 1);
    before.bias = data.normal(rows, 2 * b.reach + 1);
  }

  void make_token_turns() {
    reference::RotationSetup& r = setup.rotation;
    r.pairs = shape.pairs;
    for (int32_t h = 0; h < shape.shape.heads; ++h) {
      r.token_set.push_back(h % 2 == 0 ? static_cast<int32_t>(r.token_sets++) : -1);
    }
    const Grid<double> angles = data.normal(batch.tokens(), r.token_sets * r.pairs, Dtype::f32, 3.0);
    for (const double angle : angles.data) {
      r.token.push_back(representable(std::cos(angle), Dtype::f32));
      r.token.push_back(representable(std::sin(angle), Dtype::f32));
    }
  }

  // Falls by about 1 a token, from anywhere: -10,000 and 0 give the same differences.
  void make_prefix() {
    const int64_t heads = shape.shape.heads;
    const Grid<double> gates = data.normal(batch.tokens(), heads);
    tensors.prefix = Grid<double>(batch.tokens(), heads);
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      for (int64_t h = 0; h < heads; ++h) {
        double sum = h % 2 == 0 ? -1e4 : 0.0;
        for (int64_t t = batch.offsets[static_cast<size_t>(s)]; t < batch.offsets[static_cast<size_t>(s) + 1]; ++t) {
          tensors.prefix(t, h) = sum -= std::abs(gates(t, h));
        }
      }
    }
  }

  // One in seven factors is 0, as log(1) is.
  void make_row_scale() {
    if (!shape.row_scale) return;
    setup.row_scale.axis = shape.row_scale_axis;
    setup.row_scale.sequence_table = table_choice(shape.row_scale_tables);
    const int64_t columns = shape.row_scale_by_query ? std::max(batch.position_count, 1) : 1;
    tensors.scale = data.normal(shape.row_scale_tables * shape.shape.heads, columns, Dtype::f32, 0.5, 1.0);
    for (size_t i = 3; i < tensors.scale.data.size(); i += 7) tensors.scale.data[i] = 0.0;
    before.scale = data.normal(tensors.scale.rows, columns);
  }

  void make_rotation() {
    reference::RotationSetup& r = setup.rotation;
    r.head_set = shape.head_set;
    if (r.head_set.empty()) r.head_set.assign(static_cast<size_t>(shape.shape.heads), 0);
    r.sets = 1 + *std::max_element(r.head_set.begin(), r.head_set.end());
    r.axes = shape.rotation_axes;
    r.positions = batch.position_count;
    r.pairs = shape.pairs;
    r.first = shape.first;
    r.halves = shape.halves;
    r.sequence_table = table_choice(shape.rotation_tables);
    const int64_t rows = shape.rotation_tables * r.sets * r.axes;
    Grid<double> frequency = data.normal(rows, r.pairs);
    before.frequency = data.normal(rows, r.pairs);
    if (shape.phases) before.phase = data.normal(rows / r.axes, r.pairs);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t c = 0; c < r.pairs; ++c) {
        // Most pairs follow several axes, some do not follow all of them.
        if (r.axes > 1 && (row % r.axes + c) % 3 == 0) frequency(row, c) = 0.0;
      }
      for (int64_t p = 0; p < r.positions; ++p) {
        for (int64_t c = 0; c < r.pairs; ++c) {
          const double angle = frequency(row, c) * static_cast<double>(p);
          const double decay = shape.decays ? std::exp(0.01 * static_cast<double>(p * (c + 1) % 23)) : 1.0;
          for (std::vector<double>* table : {&r.query, &r.key}) {
            const double modulus = table == &r.query ? decay : 1.0 / decay;
            table->push_back(representable(modulus * std::cos(angle), Dtype::f32));
            table->push_back(representable(modulus * std::sin(angle), Dtype::f32));
          }
        }
      }
    }
  }
};

}  // namespace phasor::testing_support
