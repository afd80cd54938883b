// Times of single ops at the sizes of the paper's model, on any device:
//
//   op_times DEVICE [PEAK]
//
// A ragged batch of 512 sequences of 1 to 126 tokens, activations in bf16 as train.precision=bf16 has them. PEAK is the
// device's bf16 rate in TFLOP/s, of which shares are printed (bench/bf16_peak.py measures it). Each time is the median
// of seven runs of an op, many times between two waits for the device.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <vector>

#include "phasor/engine/devices.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

constexpr int64_t kSequences = 512;
constexpr int64_t kWidth = 256, kHidden = 512, kClasses = 574;
constexpr int32_t kHeads = 16, kHeadWidth = 16;

// Everything that ops read and write; lives until the end.
class Data {
 public:
  explicit Data(Backend& backend) : backend_(backend) {
    std::vector<int32_t> offsets{0}, positions;
    for (int32_t s = 0; s < kSequences; ++s) {
      const int32_t length = 1 + s * 37 % 126;
      for (int32_t p = 0; p < length; ++p) positions.push_back(p);
      offsets.push_back(offsets.back() + length);
      pairs_ += int64_t{length} * length;
    }
    tokens_ = offsets.back();
    sequences_.offsets = View<const int32_t, 1>(put(offsets), kSequences + 1);
    sequences_.positions = View<const int32_t, 2>(put(positions), tokens_, 1);
    sequences_.count = put(std::vector<int32_t>{static_cast<int32_t>(kSequences)});
    sequences_.tokens = put(std::vector<int32_t>{static_cast<int32_t>(tokens_)});
    sequences_.length_bound = 126;
    sequences_.running = true;
  }

  int64_t tokens() const { return tokens_; }
  int64_t pairs() const { return pairs_; }  // of tokens of one sequence
  const Sequences& sequences() const { return sequences_; }

  template <class T>
  T* put(const std::vector<T>& values) {
    memory_.push_back(backend_.allocate(values.size() * sizeof(T)));
    backend_.copy_in(memory_.back().data(), values.data(), values.size() * sizeof(T));
    return static_cast<T*>(memory_.back().data());
  }

  Matrix matrix(Dtype dtype, int64_t rows, int64_t columns, double deviation = 1.0) {
    const std::vector<float> values = normals(rows * columns, deviation);
    if (dtype == Dtype::f32) return {put(values), dtype, rows, columns};
    std::vector<bfloat16> narrow(values.size());
    std::transform(values.begin(), values.end(), narrow.begin(), [](float x) { return to_bfloat16(x); });
    return {put(narrow), dtype, rows, columns};
  }
  View<float, 2> table(int64_t rows, int64_t columns) {
    return View<float, 2>(put(normals(rows * columns, 1.0)), rows, columns);
  }
  View<float, 1> list(int64_t size) { return View<float, 1>(put(normals(size, 1.0)), size); }

 private:
  static std::vector<float> normals(int64_t count, double deviation) {
    static const std::vector<float> drawn = [] {
      std::vector<float> values(1 << 20);
      const RandomStream stream{.seed = 1, .purpose = Purpose::test};
      for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(normal(stream, i));
      return values;
    }();
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(deviation) * drawn[(i + i / drawn.size() * 7) % drawn.size()];
    }
    return values;
  }

  Backend& backend_;
  std::list<Memory> memory_;
  Sequences sequences_;
  int64_t tokens_ = 0, pairs_ = 0;
};

class Table {
 public:
  Table(Backend& backend, double peak) : backend_(backend), peak_(peak) {
    fmt::print("{:<44} {:>9} {:>10} {:>8} {:>9}\n", "op", "ms", "TFLOP/s", "of peak", "GB/s");
  }

  // flops and bytes of one run; 0: not counted.
  void row(const std::string& name, double flops, double bytes, const std::function<void()>& run) {
    const double once = seconds(run, 3) / 3.0;
    const int runs = static_cast<int>(std::clamp(0.02 / std::max(once, 1e-7), 1.0, 2000.0));
    std::vector<double> times(7);
    for (double& time : times) time = seconds(run, runs) / runs;
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    const double time = times[3];
    const double rate = flops / time * 1e-12;
    fmt::print("{:<44} {:>9.4f} {:>10} {:>8} {:>9}\n", name, time * 1e3, flops > 0 ? fmt::format("{:.1f}", rate) : "",
               flops > 0 && peak_ > 0 ? fmt::format("{:.1f} %", 100.0 * rate / peak_) : "",
               bytes > 0 ? fmt::format("{:.0f}", bytes / time * 1e-9) : "");
    std::fflush(stdout);
  }

 private:
  double seconds(const std::function<void()>& run, int runs) {
    backend_.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) run();
    backend_.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  Backend& backend_;
  double peak_;
};

void time_linear(Backend& backend, Data& data, Table& table, int64_t out, int64_t in, Activation activation,
                 Activation slope = Activation::none) {
  const int64_t rows = data.tokens();
  LinearForward forward;
  forward.x = data.matrix(Dtype::bf16, rows, in);
  forward.weight = data.matrix(Dtype::bf16, out, in, 1.0 / std::sqrt(static_cast<double>(in)));
  forward.y = data.matrix(Dtype::bf16, rows, out);
  forward.bias = data.list(out);
  forward.activation = activation;
  LinearBackward backward;
  backward.dx = data.matrix(Dtype::bf16, rows, in);
  backward.dweight = data.table(out, in);
  backward.dbias = data.list(out);
  backward.dy = data.matrix(Dtype::bf16, rows, out);
  backward.x = forward.x;
  backward.weight = forward.weight;
  backward.x_activation = slope;
  const double flops = 2.0 * static_cast<double>(rows * out * in);
  const double bytes = 2.0 * static_cast<double>(rows * (out + in));
  const std::string name = fmt::format("linear {} x {}{}", out, in, activation == Activation::relu ? ", relu" : "");
  table.row(name, flops, bytes, [&] { backend.run(forward); });
  table.row(name + ", backward", 2.0 * flops, 3.0 * bytes, [&] { backend.run(backward); });
}

struct AttentionKind {
  const char* name;
  bool rotation, bias, learned_bias;
  float dropout;
  int32_t width = kHeadWidth;
};

void time_attention(Backend& backend, Data& data, Table& table, const AttentionKind& kind) {
  constexpr int64_t kReach = 127;
  const int64_t columns = int64_t{kHeads} * kind.width;
  Attention a;
  a.query = data.matrix(Dtype::bf16, data.tokens(), columns);
  a.key = data.matrix(Dtype::bf16, data.tokens(), columns);
  a.value = data.matrix(Dtype::bf16, data.tokens(), columns);
  a.shape = {.heads = kHeads, .key_heads = kHeads, .key_width = kind.width, .value_width = kind.width};
  a.sequences = data.sequences();
  a.scale = 1.0f / std::sqrt(static_cast<float>(kind.width));
  if (kind.rotation) {
    const int64_t pairs = kind.width / 2, positions = kReach + 1;
    std::vector<float> factors;
    for (int64_t i = 0; i < positions * pairs; ++i) {
      const int64_t position = i / pairs;
      const double frequency = std::pow(1e4, -static_cast<double>(i % pairs) / static_cast<double>(pairs));
      const double angle = static_cast<double>(position) * frequency;
      factors.push_back(static_cast<float>(std::cos(angle)));
      factors.push_back(static_cast<float>(std::sin(angle)));
    }
    a.rotation.query = a.rotation.key = View<const float, 4>(data.put(factors), 1, positions, pairs, 2);
    a.rotation.head_set = View<const int32_t, 1>(data.put(std::vector<int32_t>(kHeads)), kHeads);
  }
  if (kind.bias) {
    a.bias.table = data.table(kHeads, 2 * kReach + 1);
    a.bias.reach = kReach;
  }
  a.dropout = {.rate = kind.dropout, .stream = {.seed = 1, .purpose = Purpose::dropout}};
  const View<float, 2> log_sum = data.table(data.tokens(), kHeads);
  const Matrix out = data.matrix(Dtype::bf16, data.tokens(), columns);
  AttentionBackward backward;
  backward.dquery = data.matrix(Dtype::bf16, data.tokens(), columns);
  backward.dkey = data.matrix(Dtype::bf16, data.tokens(), columns);
  backward.dvalue = data.matrix(Dtype::bf16, data.tokens(), columns);
  if (kind.learned_bias) backward.dbias = data.table(kHeads, 2 * kReach + 1);
  backward.out = out;
  backward.dout = data.matrix(Dtype::bf16, data.tokens(), columns);
  backward.log_sum = log_sum;
  backward.attention = a;
  // Two products forward, five backward.
  const double product = 2.0 * static_cast<double>(data.pairs() * columns);
  const double bytes = 2.0 * static_cast<double>(data.tokens() * columns);
  const std::string name = fmt::format("attention {}", kind.name);
  const AttentionForward forward{out, log_sum, a};
  table.row(name, 2.0 * product, 4.0 * bytes, [&] { backend.run(forward); });
  table.row(name + ", backward", 5.0 * product, 8.0 * bytes, [&] { backend.run(backward); });
}

void time_norm(Backend& backend, Data& data, Table& table) {
  ResidualNormForward op;
  op.sum = data.table(data.tokens(), kWidth);
  op.y = data.matrix(Dtype::bf16, data.tokens(), kWidth);
  op.mean = data.list(data.tokens());
  op.rstd = data.list(data.tokens());
  op.residual = data.table(data.tokens(), kWidth);
  op.branch = data.matrix(Dtype::bf16, data.tokens(), kWidth);
  op.weight = data.list(kWidth);
  op.bias = data.list(kWidth);
  op.dropout = {.rate = 0.1f, .stream = {.seed = 1, .purpose = Purpose::dropout}};
  const double bytes = 12.0 * static_cast<double>(data.tokens() * kWidth);
  table.row("residual + norm", 0.0, bytes, [&] { backend.run(op); });
}

void time_readout(Backend& backend, Data& data, Table& table) {
  LinearCrossEntropy op;
  op.loss = data.list(kSequences);
  op.prediction = View<int32_t, 1>(data.put(std::vector<int32_t>(kSequences)), kSequences);
  op.dx = data.matrix(Dtype::f32, kSequences, kWidth);
  op.dweight = data.table(kClasses, kWidth);
  op.dbias = data.list(kClasses);
  op.x = data.matrix(Dtype::f32, kSequences, kWidth);
  op.weight = data.matrix(Dtype::f32, kClasses, kWidth);
  op.bias = data.list(kClasses);
  op.targets = View<const int32_t, 1>(data.put(std::vector<int32_t>(kSequences, 3)), kSequences);
  op.target_weight = View<const float, 1>(data.put(std::vector<float>(kSequences, 0.01f)), kSequences);
  table.row("readout 574 x 256 of 512 rows (fp32), both", 6.0 * kSequences * kClasses * kWidth, 0.0,
            [&] { backend.run(op); });
}

void run(const std::string& device, double peak) {
  const std::unique_ptr<Backend> backend = make_backend(device);
  Data data(*backend);
  fmt::print("{}; {} sequences, {} tokens, {} pairs; peak: {}\n", backend->description(), kSequences, data.tokens(),
             data.pairs(), peak > 0 ? fmt::format("{:.0f} TFLOP/s", peak) : "not given");
  Table table(*backend, peak);
  time_linear(*backend, data, table, 768, 256, Activation::none);
  time_linear(*backend, data, table, kWidth, kWidth, Activation::none);
  time_linear(*backend, data, table, kHidden, kWidth, Activation::relu);
  time_linear(*backend, data, table, kWidth, kHidden, Activation::none, Activation::relu);
  time_attention(*backend, data, table, {"nope", false, false, false, 0.0f});
  time_attention(*backend, data, table, {"nope, dropout", false, false, false, 0.1f});
  time_attention(*backend, data, table, {"rope, dropout", true, false, false, 0.1f});
  time_attention(*backend, data, table, {"alibi, dropout", false, true, false, 0.1f});
  time_attention(*backend, data, table, {"relative, dropout", false, true, true, 0.1f});
  time_attention(*backend, data, table, {"rope, 64 channels, dropout", true, false, false, 0.1f, 64});
  time_norm(*backend, data, table);
  time_readout(*backend, data, table);
}

}  // namespace
}  // namespace phasor

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: op_times DEVICE [PEAK in TFLOP/s]\n", stderr);
    return 2;
  }
  try {
    phasor::run(arguments[1], count > 2 ? std::atof(arguments[2]) : 0.0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "op_times: {}\n", error.what());
    return 1;
  }
  return 0;
}
