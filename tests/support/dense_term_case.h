#pragma once
// Cases of attention with a dense term, their data, and runs of them on a backend.
#include <array>
#include <utility>

#include "reference/complex_step.h"
#include "support/attention_device.h"

namespace phasor::testing_support {

enum class TermKind : uint8_t { positions, reflections, far };

struct DenseTermCase {
  std::string name;
  AttentionCase attention;
  TermKind kind = TermKind::positions;
  std::vector<int32_t> head_set;
  int64_t most = 3;
  int64_t window = 2;
};

inline void PrintTo(const DenseTermCase& c, std::ostream* out) { *out << c.name; }

inline std::vector<DenseTermCase> dense_term_cases() {
  if (tested_device() != kDefaultDevice) return {};  // the cuda backend refuses them (engine/cuda/attention_support.h)
  const auto base = [](int32_t heads, int32_t key_heads, int32_t key_width, int32_t value_width) {
    AttentionCase c;
    c.lengths = {1, 7, 2, 5};
    c.shape = {.heads = heads, .key_heads = key_heads, .key_width = key_width, .value_width = value_width};
    c.causal = true;
    return c;
  };
  // With everything else that attention has and that may stand beside it.
  const auto everything = [&] {
    AttentionCase c = base(4, 2, 6, 5);
    c.pairs = 2;
    c.first = 1;
    c.head_set = {0, 1, -1, 0};
    c.bias = c.bias_rows = c.head_scale = c.prefix = c.row_scale = c.sink = true;
    c.window = {3, 0, 4, 0};
    c.chunk = {0, 4, 0, 0};
    c.rate = 0.5f;  // twice as much is kept, exactly
    c.packed = true;
    c.spare = 3;
    return c;
  };
  AttentionCase ahead = everything();
  ahead.causal = false;
  AttentionCase turned = base(2, 2, 8, 4);
  turned.pairs = 4;
  turned.shuffled = false;
  AttentionCase halves = turned;
  halves.halves = true;
  halves.causal = false;
  AttentionCase by_tokens = base(3, 3, 6, 4);
  by_tokens.pairs = 3;
  by_tokens.head_set = {-1, -1, -1};
  by_tokens.token_turns = true;
  return {
      {.name = "Positions", .attention = base(3, 3, 5, 6), .kind = TermKind::positions, .head_set = {0, 0, 0}},
      {.name = "PositionsPerHead",
       .attention = base(4, 2, 5, 6),
       .kind = TermKind::positions,
       .head_set = {1, -1, 2, 0}},
      {.name = "PositionsTurnedByTokens", .attention = by_tokens, .kind = TermKind::positions, .head_set = {0, 0, -1}},
      {.name = "PositionsBesideEverything",
       .attention = everything(),
       .kind = TermKind::positions,
       .head_set = {0, -1, 0, 1},
       .most = 1},
      {.name = "Reflections", .attention = base(2, 2, 5, 6), .kind = TermKind::reflections, .head_set = {0, 1}},
      {.name = "ReflectionsBesideEverything",
       .attention = everything(),
       .kind = TermKind::reflections,
       .head_set = {1, 0, -1, 2}},
      {.name = "Far", .attention = turned, .kind = TermKind::far, .head_set = {0, 0}},
      {.name = "FarInHalves", .attention = halves, .kind = TermKind::far, .head_set = {0, -1}, .window = 3},
      {.name = "FarBesideEverything",
       .attention = ahead,
       .kind = TermKind::far,
       .head_set = {-1, 0, 0, 0},
       .window = 5},
  };
}

// An attention case's data with those of a term.
class DenseTermData {
 public:
  DenseTermData(const DenseTermCase& given, Dtype dtype, uint64_t seed)
      : shape(given), attention(given.attention, dtype, seed) {
    reference::AttentionSetup& setup = attention.setup;
    reference::DenseSetup& dense = setup.dense;
    const int64_t width = setup.shape.key_width, tokens = attention.tokens();
    dense.head_set = given.head_set;
    const int64_t sets = 1 + *std::max_element(given.head_set.begin(), given.head_set.end());
    RandomData& data = attention.data;
    if (given.kind == TermKind::positions) {
      dense.most = given.most;
      attention.tensors.vectors = data.normal(sets * (given.most + 1), width);
      before = data.normal(sets * (given.most + 1), width);
    }
    if (given.kind == TermKind::reflections) {
      attention.tensors.directions = data.normal(tokens, sets * width);
      attention.tensors.strengths = data.normal(tokens, sets);
    }
    if (given.kind == TermKind::far) {
      dense.window = given.window;
      dense.first = given.attention.first;
      dense.pairs = given.attention.pairs;
      dense.halves = given.attention.halves;
      const int64_t positions = attention.batch.position_count;
      for (std::vector<double>* factors : {&dense.query_back, &dense.query_ahead, &dense.key}) {
        for (const double angle : data.normal(positions, dense.pairs, Dtype::f32, 2.0).data) {
          factors->push_back(representable(std::cos(angle), Dtype::f32));
          factors->push_back(representable(std::sin(angle), Dtype::f32));
        }
      }
    }
  }

  DenseTermCase shape;
  AttentionData attention;
  Grid<double> before;  // what the gradient by vectors is added to
};

// The Attention record with the term, and the memory it points into.
class DeviceDenseTerm {
 public:
  DeviceDenseTerm(Backend& backend, const DenseTermData& data)
      : attention_(backend, data.attention), record_(attention_.record()) {
    const reference::DenseSetup& dense = data.attention.setup.dense;
    const reference::AttentionTensors<double>& tensors = data.attention.tensors;
    const int64_t spare = data.attention.shape.spare;
    head_set_ = DeviceArray<int32_t>(backend, dense.head_set);
    record_.dense.head_set = head_set_.view();
    if (!tensors.vectors.empty()) {
      vectors_ = DeviceMatrix(backend, Dtype::f32, tensors.vectors);
      record_.dense.positions = {.vectors = vectors_.view(), .most = static_cast<int32_t>(dense.most)};
    }
    if (!tensors.directions.empty()) {
      directions_ = DeviceMatrix(backend, Dtype::f32, tensors.directions, spare);
      strengths_ = DeviceMatrix(backend, Dtype::f32, tensors.strengths, spare);
      record_.dense.reflections = {.directions = directions_.view(), .strengths = strengths_.view()};
    }
    if (dense.window == 0) return;
    const auto table = [&](const std::vector<double>& factors) {
      tables_.emplace_back(backend, std::vector<float>(factors.begin(), factors.end()));
      const auto positions = static_cast<int64_t>(factors.size()) / (2 * dense.pairs);
      return View<const float, 3>(tables_.back().data(), positions, dense.pairs, 2);
    };
    tables_.reserve(3);
    record_.dense.far = {.query_back = table(dense.query_back),
                         .query_ahead = table(dense.query_ahead),
                         .key = table(dense.key),
                         .window = static_cast<int32_t>(dense.window),
                         .axis = static_cast<int32_t>(dense.axis),
                         .first = static_cast<int32_t>(dense.first),
                         .halves = dense.halves};
  }

  const Attention& record() const { return record_; }

 private:
  DeviceAttention attention_;
  DeviceArray<int32_t> head_set_;
  DeviceMatrix vectors_, directions_, strengths_;
  std::vector<DeviceArray<float>> tables_;
  Attention record_;
};

inline AttentionOutputs run_term_forward(Backend& backend, const DenseTermData& data) {
  const DeviceDenseTerm term(backend, data);
  const AttentionData& a = data.attention;
  const int64_t capacity = a.tokens() + a.shape.spare;
  const DeviceMatrix out(backend, a.operands, capacity, a.dout.columns, 2);
  const DeviceMatrix log_sum(backend, Dtype::f32, capacity, a.setup.shape.heads);
  backend.run(AttentionForward{out.matrix(), log_sum.view(), term.record()});
  return {out.read(a.tokens()),
          log_sum.read(a.tokens()),
          out.spoiled_beyond(a.tokens()) + log_sum.spoiled_beyond(a.tokens()),
          {out.download(), log_sum.download()}};
}

// Of which gradients are asked for; those from kTermTables on have something that they are added to.
inline constexpr const char* kTermTensors[] = {"query",     "key",  "value", "prefix", "directions",
                                               "strengths", "bias", "scale", "sink",   "vectors"};
inline constexpr size_t kTermTables = 6;

template <class S>
std::array<Grid<S>*, std::size(kTermTensors)> term_tensors(reference::AttentionTensors<S>& t) {
  return {&t.query, &t.key, &t.value, &t.prefix, &t.directions, &t.strengths, &t.bias, &t.scale, &t.sink, &t.vectors};
}

struct TermGradientOutputs {
  std::array<Grid<double>, std::size(kTermTensors)> gradients, before;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

inline TermGradientOutputs run_term_backward(Backend& backend, const DenseTermData& data) {
  const DeviceDenseTerm term(backend, data);
  const AttentionData& a = data.attention;
  const int64_t spare = a.shape.spare, tokens = a.tokens(), capacity = tokens + spare;
  const int64_t heads = a.setup.shape.heads;
  const AttentionBlocks blocks(backend, a);
  const DeviceMatrix dout(backend, a.operands, a.dout, spare, 1);
  const DeviceMatrix out(backend, a.operands, capacity, a.dout.columns), log_sum(backend, Dtype::f32, capacity, heads);
  const DeviceMatrix dbias(backend, Dtype::f32, a.before.bias), dscale(backend, Dtype::f32, a.before.scale),
      dsink(backend, Dtype::f32, a.before.sink), dvectors(backend, Dtype::f32, data.before),
      ddirections(backend, Dtype::f32, capacity, a.tensors.directions.columns, 1),
      dstrengths(backend, Dtype::f32, capacity, a.tensors.strengths.columns, 1);
  const DeviceArray<double> dprefix(backend, {}, capacity * heads);
  const int64_t angles = a.setup.rotation.token_sets * a.setup.rotation.pairs;
  const DeviceMatrix dangle(backend, Dtype::f32, capacity, angles);
  AttentionBackward op;
  op.dquery = blocks.matrix(0);
  op.dkey = blocks.matrix(1);
  op.dvalue = blocks.matrix(4);
  op.dbias = dbias.view();
  if (!a.before.scale.empty()) op.dscale = dscale.view();
  if (!a.before.sink.empty()) op.dsink = View<float, 1>(dsink.view().data(), a.before.sink.columns);
  if (!a.tensors.prefix.empty()) op.dprefix = View<double, 2>(dprefix.data(), capacity, heads);
  if (angles > 0) {
    op.dangle = View<float, 3>(dangle.flat().data(), capacity, a.setup.rotation.token_sets, a.setup.rotation.pairs);
  }
  if (!data.before.empty()) op.ddense.vectors = dvectors.view();
  if (!a.tensors.directions.empty()) {
    op.ddense.directions = ddirections.matrix();
    op.ddense.strengths = dstrengths.matrix();
  }
  op.out = out.matrix();
  op.dout = dout.matrix();
  op.log_sum = log_sum.view();
  op.attention = term.record();
  backend.run(op);

  Grid<double> prefix(a.tensors.prefix.rows, a.tensors.prefix.columns);
  prefix.data = dprefix.read(static_cast<int64_t>(prefix.data.size()));
  TermGradientOutputs got{
      .gradients = {blocks.read(0), blocks.read(1), blocks.read(4), prefix, ddirections.read(tokens),
                    dstrengths.read(tokens), dbias.read(a.before.bias.rows), dscale.read(a.before.scale.rows),
                    dsink.read(a.before.sink.rows), dvectors.read(data.before.rows)},
      .before = {}};
  got.before[kTermTables] = a.before.bias;
  got.before[kTermTables + 1] = a.before.scale;
  got.before[kTermTables + 2] = a.before.sink;
  got.before[kTermTables + 3] = data.before;
  got.spoiled = blocks.spoiled() + ddirections.spoiled_beyond(tokens) + dstrengths.spoiled_beyond(tokens);
  got.images = blocks.images();
  for (const DeviceMatrix* matrix : {&dbias, &dscale, &dsink, &dvectors, &ddirections, &dstrengths, &dangle}) {
    got.images.push_back(matrix->download());
  }
  return got;
}

// The derivative of <dout, out> by one of the tensors.
inline Grid<double> term_gradient_truth(const DenseTermData& data, size_t tensor) {
  reference::AttentionTensors<double> tensors = data.attention.tensors;
  return reference::complex_step_gradient(
      [&](const Grid<reference::Complex>& x) {
        auto changed = data.attention.lifted<reference::Complex>();
        *term_tensors(changed)[tensor] = x;
        return dot(data.attention.dout, reference::attention(data.attention.setup, changed).out);
      },
      *term_tensors(tensors)[tensor]);
}

}  // namespace phasor::testing_support
