#pragma once
// The cases of ragged attention: every field of the op record is used by some case.
#include <algorithm>
#include <utility>
#include <vector>

#include "support/attention_case.h"
#include "support/backend.h"

namespace phasor::testing_support {

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

// Distance rows: of every kind, beside shifts and rotations, and where scales differ by row.
inline void add_row_cases(std::vector<AttentionCase>& cases) {
  if (tested_device() != kDefaultDevice) return;  // the cuda backend refuses them (engine/cuda/attention_support.h)
  using Rows = AttentionCase::Rows;
  const auto add = [&cases](const char* name, std::vector<int32_t> lengths, const AttentionShape& s) -> AttentionCase& {
    AttentionCase c;
    c.name = name;
    c.lengths = std::move(lengths);
    c.shape = s;
    return cases.emplace_back(std::move(c));
  };
  {
    AttentionCase& c =
        add("ClippedRows", {1, 40, 17, 70, 2}, {.heads = 3, .key_heads = 3, .key_width = 16, .value_width = 16});
    c.query_rows = Rows::clipped;
    c.shared_rows = c.packed = true;
    c.running_axis = 0;
    c.spare = 3;
  }
  {
    AttentionCase& c =
        add("RowsOfShuffledPositions", {33, 5, 18}, {.heads = 4, .key_heads = 2, .key_width = 10, .value_width = 6});
    c.query_rows = Rows::all;
    c.key_rows = Rows::clipped;
    c.causal = c.head_scale = true;
  }
  {
    AttentionCase& c =
        add("RowsWithShifts", {70, 16, 1, 33}, {.heads = 2, .key_heads = 2, .key_width = 20, .value_width = 8});
    c.query_rows = Rows::all;
    c.shifts = true;
    c.running_axis = 0;
    c.rate = 0.2f;
    c.spare = 5;
  }
  {
    AttentionCase& c =
        add("CausalRowsBackwards", {70, 40}, {.heads = 2, .key_heads = 2, .key_width = 8, .value_width = 8});
    c.query_rows = Rows::backwards;
    c.key_rows = Rows::all;
    c.causal = c.bias = true;
    c.running_axis = 0;
  }
  {
    AttentionCase& c =
        add("RowsInBuckets", {50, 1, 35, 16}, {.heads = 4, .key_heads = 2, .key_width = 12, .value_width = 10});
    c.query_rows = c.key_rows = Rows::buckets;
    c.running_axis = 0;
    c.packed = true;
  }
  {
    AttentionCase& c =
        add("RowsBesideRotation", {21, 37}, {.heads = 4, .key_heads = 4, .key_width = 14, .value_width = 10});
    c.shape.shared_query_width = 6;
    c.shape.shared_key_width = 4;
    c.pairs = 5;
    c.first = 2;
    c.head_set = {0, -1, 0, 0};
    c.decays = c.shifts = c.shared_rows = true;
    c.query_rows = Rows::random;
    c.key_rows = Rows::clipped;
    c.axes = 2;
    c.running_axis = 1;
    c.rows_axis = 1;
  }
  {
    AttentionCase& c =
        add("RowsWithRowScale", {1, 33, 18, 40}, {.heads = 4, .key_heads = 2, .key_width = 12, .value_width = 8});
    c.query_rows = Rows::clipped;
    c.row_scale = c.head_scale = true;
  }
  {
    AttentionCase& c = add("CausalRowsOfKeysWithRowScale", {70, 1, 16},
                           {.heads = 2, .key_heads = 1, .key_width = 16, .value_width = 16});
    c.key_rows = Rows::buckets;
    c.row_scale = c.causal = c.packed = true;
    c.running_axis = 0;
    c.rate = 0.2f;
  }
  {
    AttentionCase& c =
        add("RowsWithShiftsAndRowScale", {37, 5, 64}, {.heads = 3, .key_heads = 3, .key_width = 20, .value_width = 12});
    c.query_rows = Rows::all;
    c.key_rows = Rows::random;
    c.shifts = c.row_scale = c.shared_rows = true;
    c.row_scale_tables = 2;
    c.pairs = 6;
    c.spare = 3;
  }
  {
    AttentionCase& c =
        add("RowsBesideTokenTurns", {40, 3, 17}, {.heads = 3, .key_heads = 3, .key_width = 12, .value_width = 8});
    c.query_rows = Rows::clipped;
    c.key_rows = Rows::all;
    c.shifts = c.token_turns = c.prefix = true;
    c.pairs = 6;
    c.head_set = {-1, -1, -1};
  }
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
    c.rate = 0.2f;
    c.spare = 9;
    if (tested_device() == kDefaultDevice) {
      c.query_rows = AttentionCase::Rows::random;
      c.key_rows = AttentionCase::Rows::all;
      c.rows_axis = 1;
      c.shifts = true;
    }
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
    c.row_scale = c.prefix = true;
    c.window = {2, 0, 5, 16, 1, 30};
    c.chunk = {0, 3, 4, 0, 0, 16};
    c.sink = true;
    cases.push_back(c);
  }
  // Other backends refuse windows, chunks and sinks.
  if (tested_device() != kDefaultDevice) std::erase_if(cases, [](const AttentionCase& c) { return c.masked(); });
  add_token_cases(cases);
  add_row_cases(cases);
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

}  // namespace phasor::testing_support
