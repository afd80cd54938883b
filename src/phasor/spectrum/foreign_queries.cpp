#include "phasor/spectrum/foreign_queries.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/spectrum/hadamard_form.h"
#include "phasor/tensor/bfloat16.h"

namespace phasor {
namespace {

constexpr int64_t kMostForeignPositions = 8192;
constexpr const char* kHeadsFirst = "heads,n,width";
constexpr const char* kPositionsFirst = "n,heads,width";

double half_to_double(uint16_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(fraction), -24);
  return sign * std::ldexp(static_cast<double>(fraction + 1024), exponent - 25);
}

class ForeignFile {
 public:
  ForeignFile(const std::filesystem::path& path, const ForeignOptions& options)
      : name_(path.string()), options_(options), file_(SafetensorsFile::open(path)) {}

  ForeignQueries read() {
    const auto format = file_.metadata().find("format");
    read_metadata();
    if (format != file_.metadata().end() && format->second == "phasor activations 1") {
      read_export();
    } else {
      read_plain_file();
    }
    if (options_.length) shorten(*options_.length);
    return std::move(result_);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(const std::string& tensor, fmt::format_string<Args...> text, Args&&... args) const {
    throw FormatError(
        fmt::format("'{}': tensor '{}': {}", name_, tensor, fmt::format(text, std::forward<Args>(args)...)));
  }

  const TensorInfo& info(const std::string& tensor) const {
    if (file_.contains(tensor)) return file_.tensor(tensor);
    std::vector<std::string> names = file_.names();
    const bool more = names.size() > 6;
    if (more) names.resize(6);
    throw FormatError(fmt::format("'{}' has no tensor '{}'; it has {}{}", name_, tensor,
                                  names.empty() ? "none at all" : fmt::format("{}", fmt::join(names, ", ")),
                                  more ? ", ..." : ""));
  }

  // All of its numbers. Entries that are not finite are refused, unless they may be masked ones.
  std::vector<double> numbers(const std::string& tensor, bool infinite_allowed = false) const {
    const TensorInfo& about = info(tensor);
    std::vector<double> values;
    const auto convert = [&](const auto& span) {
      for (const auto value : span) values.push_back(static_cast<double>(value));
    };
    switch (about.dtype) {
      case StoredDtype::f64:
        convert(file_.data<double>(tensor));
        break;
      case StoredDtype::f32:
        convert(file_.data<float>(tensor));
        break;
      case StoredDtype::bf16:
        for (const bfloat16 value : file_.data<bfloat16>(tensor)) {
          values.push_back(static_cast<double>(to_float(value)));
        }
        break;
      case StoredDtype::f16: {
        const std::span<const std::byte> bytes = file_.bytes(tensor);
        for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
          uint16_t bits = 0;
          std::memcpy(&bits, bytes.data() + i, sizeof(bits));
          values.push_back(half_to_double(bits));
        }
        break;
      }
      default:
        refuse(tensor, "is {}; queries, keys and biases are F64, F32, F16 or BF16", phasor::name(about.dtype));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i]) || (infinite_allowed && std::isinf(values[i]))) continue;
      refuse(tensor, "number {} (row-major, from 0) is {}; only finite numbers have a spectrum", i, values[i]);
    }
    return values;
  }

  // The first positions of every sample.
  void shorten(int64_t length) {
    const auto cut = [&](Dense& x, bool both) {
      if (x.rows() == 0) return;
      Dense first(length, both ? length : x.columns());
      for (int64_t i = 0; i < length; ++i) std::copy_n(x.row(i), first.columns(), first.row(i));
      x = std::move(first);
    };
    for (std::vector<HeadLogits>& sample : result_.samples) {
      if (length > sample.front().size()) {
        fail_usage("--length {}: '{}' has {} positions", length, name_, sample.front().size());
      }
      for (HeadLogits& head : sample) {
        for (Dense* x : {&head.query, &head.key, &head.plain_query, &head.plain_key}) cut(*x, false);
        cut(head.bias, true);
      }
    }
  }

  static std::string text(const TensorShape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

  void read_metadata() {
    const auto find = [&](const char* key) { return file_.metadata().find(key); };
    result_.causal = options_.causal;
    if (const auto causal = find("causal"); causal != file_.metadata().end()) {
      if (causal->second != "true" && causal->second != "false") {
        throw FormatError(fmt::format("'{}': metadata 'causal' is '{}', not true or false", name_, causal->second));
      }
      result_.causal = result_.causal || causal->second == "true";
    }
    given_scale_ = options_.scale;
    if (const auto scale = find("scale"); scale != file_.metadata().end() && !given_scale_) {
      char* end = nullptr;
      given_scale_ = std::strtod(scale->second.c_str(), &end);
      if (scale->second.empty() || *end != '\0' || !std::isfinite(*given_scale_)) {
        throw FormatError(fmt::format("'{}': metadata 'scale' is '{}', which is no number", name_, scale->second));
      }
    }
  }

  // [samples, heads, n, width] of a tensor that may come without samples, and in the other layout.
  TensorShape full_shape(const std::string& tensor) const {
    TensorShape shape = info(tensor).shape;
    if (shape.size() == 3) shape.insert(shape.begin(), 1);
    if (shape.size() != 4) {
      const char* layout = options_.positions_first ? "n, heads, width" : "heads, n, width";
      refuse(tensor, "has shape {}; [{}] or [samples, {}] is read", text(info(tensor).shape), layout, layout);
    }
    if (options_.positions_first) std::swap(shape[1], shape[2]);
    for (const int64_t extent : shape) {
      if (extent < 1) refuse(tensor, "has shape {}: there is nothing in it", text(info(tensor).shape));
    }
    if (shape[2] > kMostForeignPositions)
      refuse(tensor, "has {} positions; at most {} are read", shape[2], kMostForeignPositions);
    return shape;
  }

  void require_shape(const std::string& tensor, const TensorShape& expected, const char* like) const {
    const TensorShape shape = full_shape(tensor);
    if (shape == expected) return;
    refuse(tensor, "has shape {}, and '{}' has {}", text(info(tensor).shape), like, text(info(like).shape));
  }

  static Dense matrix(const std::vector<double>& values, int64_t block, int64_t rows, int64_t columns) {
    Dense result(rows, columns);
    std::copy_n(values.begin() + block * rows * columns, rows * columns, result.values().begin());
    return result;
  }

  // Numbers in the order [samples, heads, n, width].
  std::vector<double> ordered_numbers(const std::string& tensor) const {
    std::vector<double> values = numbers(tensor);
    if (!options_.positions_first) return values;
    const TensorShape shape = full_shape(tensor);
    std::vector<double> ordered(values.size());
    for (int64_t s = 0; s < shape[0]; ++s) {
      for (int64_t h = 0; h < shape[1]; ++h) {
        for (int64_t i = 0; i < shape[2]; ++i) {
          std::copy_n(values.begin() + ((s * shape[2] + i) * shape[1] + h) * shape[3], shape[3],
                      ordered.begin() + ((s * shape[1] + h) * shape[2] + i) * shape[3]);
        }
      }
    }
    return ordered;
  }

  static bool fit(const TensorShape& queries, const TensorShape& keys) {
    return keys[0] == queries[0] && keys[2] == queries[2] && keys[3] == queries[3] && queries[1] % keys[1] == 0;
  }

  const char* layout() const { return options_.positions_first ? kPositionsFirst : kHeadsFirst; }
  const char* other_layout() const { return options_.positions_first ? kHeadsFirst : kPositionsFirst; }

  // What to say of queries and keys that do not fit each other, where they do the other way round.
  std::string layout_hint(TensorShape queries, TensorShape keys) const {
    std::swap(queries[1], queries[2]);
    std::swap(keys[1], keys[2]);
    if (!fit(queries, keys)) return "";
    return fmt::format("; read as [{}] they fit: --layout {}", other_layout(), other_layout());
  }

  // More heads than positions are rare; in the other layout it would be the other way round.
  void note_layout(const TensorShape& queries) {
    if (queries[1] <= queries[2]) return;
    result_.note = fmt::format("'{}' was read as [{}]: {} heads of {} positions; if it is [{}], add --layout {}", name_,
                               layout(), queries[1], queries[2], other_layout(), other_layout());
  }

  void name_layer() {
    const auto named = file_.metadata().find("layer");
    if (options_.layer) {
      result_.layer = *options_.layer;
      result_.layer_is = fmt::format("layer {}, as --layer calls it", result_.layer);
    } else if (named != file_.metadata().end()) {
      const std::string& digits = named->second;
      const auto end = digits.data() + digits.size();
      const auto read = std::from_chars(digits.data(), end, result_.layer);
      if (read.ec != std::errc() || read.ptr != end || result_.layer < 0) {
        throw FormatError(fmt::format("'{}': metadata 'layer' is '{}', which is no layer", name_, digits));
      }
      result_.layer_is = fmt::format("layer {}, as the file says", result_.layer);
    } else {
      result_.layer_is = "one layer, which the file does not name";
    }
  }

  void read_plain_file() {
    name_layer();
    result_.rotated = !options_.plain_enough || file_.contains("queries") || !file_.contains("queries_plain");
    const char* query_name = result_.rotated ? "queries" : "queries_plain";
    const char* key_name = result_.rotated ? "keys" : "keys_plain";
    const TensorShape queries = full_shape(query_name);
    const TensorShape keys = full_shape(key_name);
    const int64_t heads = queries[1], n = queries[2], width = queries[3];
    if (keys[0] != queries[0] || keys[2] != n || keys[3] != width) {
      refuse(key_name, "has shape {}, and '{}' has {}; only the number of heads may differ{}",
             text(info(key_name).shape), query_name, text(info(query_name).shape), layout_hint(queries, keys));
    }
    const int64_t key_heads = keys[1];
    if (heads % key_heads != 0) {
      refuse(key_name, "has {} heads, which cannot be shared evenly by {} heads of queries{}", key_heads, heads,
             layout_hint(queries, keys));
    }
    note_layout(queries);
    result_.plain = file_.contains("queries_plain") || file_.contains("keys_plain");
    if (result_.plain) {
      require_shape("queries_plain", queries, query_name);
      require_shape("keys_plain", keys, key_name);
    }
    result_.bias = file_.contains("bias");
    result_.scale = given_scale_.value_or(1.0 / std::sqrt(static_cast<double>(width)));
    const std::vector<double> q = ordered_numbers(query_name), k = ordered_numbers(key_name);
    const std::vector<double> plain_q = result_.plain ? ordered_numbers("queries_plain") : std::vector<double>();
    const std::vector<double> plain_k = result_.plain ? ordered_numbers("keys_plain") : std::vector<double>();
    const std::vector<Dense> biases = read_bias(heads, n);
    result_.samples_stored = queries[0];
    for (int64_t s = 0; s < std::min(queries[0], options_.most_samples); ++s) {
      std::vector<HeadLogits> sample;
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t key = s * key_heads + h * key_heads / heads;
        HeadLogits head;
        head.query = matrix(q, s * heads + h, n, width);
        head.key = matrix(k, key, n, width);
        if (result_.plain) {
          head.plain_query = matrix(plain_q, s * heads + h, n, width);
          head.plain_key = matrix(plain_k, key, n, width);
          head.rotary_pairs = find_rotary_pairs(head.plain_query, head.query);
        }
        if (!biases.empty()) head.bias = biases[biases.size() == 1 ? 0 : static_cast<size_t>(h)];
        head.scale = result_.scale;
        head.causal = result_.causal;
        sample.push_back(std::move(head));
      }
      result_.samples.push_back(std::move(sample));
    }
  }

  std::vector<Dense> read_bias(int64_t heads, int64_t n) const {
    if (!result_.bias) return {};
    const TensorShape& shape = info("bias").shape;
    if (shape != TensorShape{n, n} && shape != TensorShape{heads, n, n}) {
      const bool other = shape == TensorShape{heads, heads} || shape == TensorShape{n, heads, heads};
      refuse("bias", "has shape {}; with these queries [{}, {}] or [{}, {}, {}] is read{}", text(shape), n, n, heads, n,
             n,
             other ? fmt::format("; it fits queries read as [{}]: --layout {}", other_layout(), other_layout()) : "");
    }
    const std::vector<double> values = numbers("bias", result_.causal);
    std::vector<Dense> biases;
    for (int64_t h = 0; h < (shape.size() == 2 ? 1 : heads); ++h) {
      Dense bias = matrix(values, h, n, n);
      if (result_.causal) bias = lower_triangle(bias);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          if (!std::isfinite(bias(i, j))) refuse("bias", "entry ({}, {}) is {} and not masked", i, j, bias(i, j));
        }
      }
      biases.push_back(std::move(bias));
    }
    return biases;
  }

  // --- What 'phasor export' writes -------------------------------------------------------------------------------

  std::string layer_tensor(const char* what) const { return fmt::format("layers.{}.{}", result_.layer, what); }

  void read_export() {
    const std::vector<std::string> names = file_.names();
    const auto has_layer = [&](int64_t layer) {
      const std::string prefix = fmt::format("layers.{}.", layer);
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& known) { return known.rfind(prefix, 0) == 0; });
    };
    result_.layers = 0;
    while (has_layer(result_.layers)) ++result_.layers;
    result_.layer = options_.layer.value_or(0);
    if (result_.layer >= result_.layers) {
      fail_usage("--layer {}: '{}' has layers 0 to {}", result_.layer, name_, result_.layers - 1);
    }
    result_.layer_is = fmt::format("layer {} of layers 0 to {}", result_.layer, result_.layers - 1);
    if (options_.positions_first) fail_usage("--layout: '{}' is an export, whose layout is known", name_);
    const std::string first = layer_tensor("queries_rotated.0");
    if (!file_.contains(first)) {
      throw FormatError(fmt::format("'{}' has no tensor '{}'; write it with: phasor export RUN --tensors queries,keys",
                                    name_, first));
    }
    if (const auto config = file_.metadata().find("config"); config != file_.metadata().end()) {
      result_.causal = result_.causal || config->second.find("model.causal=true") != std::string::npos;
    }
    while (file_.contains(layer_tensor(fmt::format("queries_rotated.{}", result_.samples_stored).c_str()))) {
      if (result_.samples_stored < options_.most_samples) read_exported_sample(result_.samples_stored);
      ++result_.samples_stored;
    }
  }

  void read_exported_sample(int64_t s) {
    const std::string query_name = layer_tensor(fmt::format("queries_rotated.{}", s).c_str());
    const std::string key_name = layer_tensor(fmt::format("keys_rotated.{}", s).c_str());
    const TensorShape shape = full_shape(query_name);
    require_shape(key_name, shape, query_name.c_str());
    const int64_t heads = shape[1], n = shape[2], width = shape[3];
    result_.scale = given_scale_.value_or(1.0 / std::sqrt(static_cast<double>(width)));
    const std::vector<double> q = numbers(query_name), k = numbers(key_name);
    std::vector<HeadLogits> sample;
    for (int64_t h = 0; h < heads; ++h) {
      HeadLogits head;
      head.query = matrix(q, h, n, width);
      head.key = matrix(k, h, n, width);
      head.scale = result_.scale;
      head.causal = result_.causal;
      scale_exported_rows(head, s, h);
      add_exported_bias(head, s, h);
      add_exported_plain(head, s, h);
      sample.push_back(std::move(head));
    }
    result_.samples.push_back(std::move(sample));
  }

  static void scale_rows(Dense& rows, const std::vector<double>& factors) {
    for (int64_t i = 0; i < std::min(rows.rows(), static_cast<int64_t>(factors.size())); ++i) {
      for (int64_t c = 0; c < rows.columns(); ++c) rows(i, c) *= factors[static_cast<size_t>(i)];
    }
  }

  // Factors by the query's position, which the queries of an export do not have yet.
  void scale_exported_rows(HeadLogits& head, int64_t s, int64_t h) {
    const std::string name = layer_tensor("query_factors");
    if (!file_.contains(name) || !file_.contains("offsets")) return;
    const TensorShape& shape = info(name).shape;
    const auto offsets = file_.data<int32_t>("offsets");
    const int64_t n = head.size();
    if (static_cast<size_t>(s) + 1 >= offsets.size()) refuse("offsets", "ends before sample {}", s);
    const int64_t first = offsets[static_cast<size_t>(s)];
    if (shape.size() != 2 || h >= shape[0] || first < 0 || first + n > shape[1]) {
      refuse(name, "has shape {}, for head {} and tokens {} to {}", text(shape), h, first, first + n - 1);
    }
    const std::vector<double> factors = numbers(name);
    const auto from = factors.begin() + h * shape[1] + first;
    head.row_scale.assign(from, from + n);
    if (std::all_of(from, from + n, [](double factor) { return factor == 1.0; })) head.row_scale.clear();
    scale_rows(head.query, head.row_scale);
  }

  // What the logits have beyond the products, where they are in the file and that is more than rounding.
  void add_exported_bias(HeadLogits& head, int64_t s, int64_t h) {
    const std::string logits_name = layer_tensor(fmt::format("logits.{}", s).c_str());
    if (!file_.contains(logits_name)) return;
    const int64_t n = head.size();
    const TensorShape& shape = info(logits_name).shape;
    if (shape.size() != 3 || h >= shape[0] || shape[1] != n || shape[2] != n) {
      refuse(logits_name, "has shape {}, for {} positions", text(shape), n);
    }
    Dense bias = matrix(numbers(logits_name, true), h, n, n);
    const Dense products = head.products();
    double largest = 0.0;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (std::isinf(bias(i, j))) {
          if (j <= i) refuse(logits_name, "entry ({}, {}) of head {} is {} and not masked", i, j, h, bias(i, j));
          head.causal = result_.causal = true;
          bias(i, j) = 0.0;
          continue;
        }
        bias(i, j) -= products(i, j);
        largest = std::max(largest, std::abs(bias(i, j)));
      }
    }
    if (largest <= 1e-4 * std::max(1e-30, largest_magnitude(products))) return;
    result_.bias = true;
    head.bias = std::move(bias);
  }

  void add_exported_plain(HeadLogits& head, int64_t s, int64_t h) {
    const std::string query_name = layer_tensor("queries");
    const std::string key_name = layer_tensor("keys");
    // Channels that heads share would have to be put in place first.
    if (!file_.contains(query_name) || !file_.contains(key_name) || !file_.contains("offsets")) return;
    if (file_.contains(layer_tensor("keys_shared"))) return;
    const TensorShape& query_shape = info(query_name).shape;
    const TensorShape& key_shape = info(key_name).shape;
    const auto offsets = file_.data<int32_t>("offsets");
    const int64_t n = head.size(), width = head.query.columns();
    if (static_cast<size_t>(s) + 1 >= offsets.size()) refuse("offsets", "ends before sample {}", s);
    const int64_t first = offsets[static_cast<size_t>(s)];
    if (offsets[static_cast<size_t>(s) + 1] - first != n) refuse("offsets", "sample {} has not {} tokens", s, n);
    const auto rows = [&](const std::string& tensor, const TensorShape& shape, int64_t of_head) {
      if (shape.size() != 3 || shape[2] != width || first < 0 || first + n > shape[0] || of_head >= shape[1]) {
        refuse(tensor, "has shape {}, for {} channels and tokens {} to {}", text(shape), width, first, first + n - 1);
      }
      const std::vector<double> values = numbers(tensor);
      Dense result(n, width);
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(values.begin() + ((first + i) * shape[1] + of_head) * width, width, result.row(i));
      }
      return result;
    };
    if (query_shape.size() != 3 || query_shape[1] < 1 || key_shape.size() != 3) {
      refuse(query_name, "has shape {}; [tokens, heads, width] is expected", text(query_shape));
    }
    head.plain_query = rows(query_name, query_shape, h);
    scale_rows(head.plain_query, head.row_scale);
    head.plain_key = rows(key_name, key_shape, h * key_shape[1] / query_shape[1]);
    head.rotary_pairs = find_rotary_pairs(head.plain_query, head.query);
    result_.plain = true;
  }

  std::string name_;
  const ForeignOptions& options_;
  SafetensorsFile file_;
  std::optional<double> given_scale_;
  ForeignQueries result_;
};

}  // namespace

ForeignQueries read_foreign_queries(const std::filesystem::path& path, const ForeignOptions& options) {
  return ForeignFile(path, options).read();
}

}  // namespace phasor
