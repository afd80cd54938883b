#include "phasor/spectrum/foreign_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/encoding/measure/mask_text.h"
#include "phasor/encoding/resolve/values.h"

namespace phasor {
namespace {

constexpr int64_t kMostTableEntries = 1 << 28;

[[noreturn]] void refuse(const ResolvedEncoding& encoding, std::string_view why) {
  fail_usage("--encoding {}: {}", encoding.expression, why);
}

void require_applicable(const ResolvedEncoding& encoding, const LayerEncoding& layer) {
  if (encoding.input) {
    refuse(encoding,
           "it adds to the embeddings, from which these queries and keys were made already; rotations, biases "
           "and scales can be tried on them");
  }
  if (layer.feature != FeatureMap::none) {
    refuse(encoding, "it makes features of queries and keys, twice as many channels as the file has");
  }
  if (layer.decoupled) refuse(encoding, "it makes queries and keys of its own, which the file does not have");
  if (layer.dense != nullptr && layer.dense->by_content()) {
    refuse(encoding,
           layer.dense->positions() != nullptr
               ? "it adds products of queries with trained vectors, at positions that all logits of a row make"
               : "it reflects by directions of the hidden state, which the file does not have");
  }
  if (layer.dense != nullptr) {
    refuse(encoding, "far keys see another angle than near ones, which a rotation of queries and keys cannot do");
  }
  if (layer.token_rotation) {
    refuse(encoding, "it turns by angles of the hidden state, which the file does not have");
  }
  if (!layer.gates.empty()) {
    refuse(encoding, "it makes gates of the hidden state, which the file does not have");
  }
  if (layer.query_rows || layer.key_rows) {
    refuse(encoding, "it multiplies queries and keys with trained vectors by distance, which the file does not have");
  }
  for (const PositionAxis& axis : encoding.axes) {
    if (axis.kind != PositionAxis::Kind::index) {
      refuse(encoding, "it reads other positions than the index of a token, which is all that the file has");
    }
  }
}

class Application {
 public:
  Application(const ResolvedEncoding& encoding, const ForeignPositions& positions, int64_t layer, int64_t tokens)
      : layer_(encoding.layers[static_cast<size_t>(layer)]),
        heads_(encoding.shape.heads),
        positions_(positions),
        tokens_(tokens),
        length_(positions.of(tokens - 1) + 1) {}

  void apply(HeadLogits& head, int64_t h) const {
    head.query = head.plain_query;
    head.key = head.plain_key;
    head.rotary_pairs.clear();
    if (const Rotation* rotation = layer_.rotation[static_cast<size_t>(h)].get()) {
      head.rotary_pairs = pairs_of(*rotation);
      turn(head.query, *rotation, rotation->query);
      turn(head.key, *rotation, rotation->key);
    }
    if (layer_.row_scale) scale_rows(head, h);
    head.bias = bias_of(h, head.causal);
    if (!layer_.scale.empty()) head.scale *= layer_.scale[static_cast<size_t>(h)];
  }

 private:
  void scale_rows(HeadLogits& head, int64_t h) const {
    const ScaleTerm& scale = *layer_.row_scale;
    const double* row =
        &scale.fixed
             .values[static_cast<size_t>(((scale.per_length ? length_ - 1 : 0) * heads_ + h) * scale.fixed.columns)];
    std::vector<double> factors;
    for (int64_t t = 0; t < tokens_; ++t) factors.push_back(row[scale.fixed.columns > 1 ? positions_.of(t) : 0]);
    if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1.0; })) return;
    for (Dense* x : {&head.query, &head.plain_query}) {
      for (int64_t t = 0; t < tokens_; ++t) {
        for (int64_t c = 0; c < x->columns(); ++c) (*x)(t, c) *= factors[static_cast<size_t>(t)];
      }
    }
    head.row_scale = std::move(factors);
  }

  static std::vector<std::pair<int64_t, int64_t>> pairs_of(const Rotation& rotation) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t c = 0; c < rotation.pairs; ++c) {
      const int64_t first = rotation.first + (rotation.halves ? c : 2 * c);
      pairs.emplace_back(first, rotation.halves ? first + rotation.pairs : first + 1);
    }
    return pairs;
  }

  void turn(Dense& x, const Rotation& rotation, const std::vector<std::complex<double>>& factors) const {
    const auto axes = static_cast<int64_t>(rotation.axes.size());
    const int64_t of_length =
        rotation.class_of_length.empty() ? 0 : rotation.class_of_length[static_cast<size_t>(length_)];
    const auto pairs = pairs_of(rotation);
    for (int64_t t = 0; t < tokens_; ++t) {
      for (int64_t c = 0; c < rotation.pairs; ++c) {
        std::complex<double> factor = 1.0;
        for (int64_t a = 0; a < axes; ++a) {
          const int64_t row = (of_length * axes + a) * rotation.positions + positions_.of(t);
          factor *= factors[static_cast<size_t>(row * rotation.pairs + c)];
        }
        const auto [first, second] = pairs[static_cast<size_t>(c)];
        const std::complex<double> turned = std::complex<double>(x(t, first), x(t, second)) * factor;
        x(t, first) = turned.real();
        x(t, second) = turned.imag();
      }
    }
  }

  Dense bias_of(int64_t h, bool causal) const {
    if (!layer_.bias) return {};
    const BiasTerm& bias = *layer_.bias;
    const int64_t table = bias.per_length ? length_ - 1 : 0;
    Dense result(tokens_, tokens_);
    bool any = false;
    for (int64_t i = 0; i < tokens_; ++i) {
      const int64_t here = positions_.of(i);
      const int64_t row = (table * heads_ + h) * bias.rows + (bias.rows > 1 ? here : 0);
      for (int64_t j = 0; j < (causal ? i + 1 : tokens_); ++j) {
        result(i, j) = bias.fixed(row, bias.reach + positions_.of(j) - here);
        any = any || result(i, j) != 0.0;
      }
    }
    return any ? result : Dense();
  }

  const LayerEncoding& layer_;
  int64_t heads_;
  ForeignPositions positions_;
  int64_t tokens_, length_;
};

std::string heads_text(int64_t count, int64_t heads) {
  return count == heads ? "all heads" : fmt::format("{} of {} heads", count, heads);
}

}  // namespace

std::string product_factor_text(const ResolvedEncoding& encoding, int64_t layer) {
  const LayerEncoding& of_layer = encoding.layers[static_cast<size_t>(layer)];
  if (of_layer.decoupled) return "";
  for (const auto& rotation : of_layer.rotation) {
    if (!rotation || rotation->magnitude == 1.0) continue;
    const double square = std::pow(rotation->magnitude, 2.0 * static_cast<double>(rotation->axes.size()));
    return fmt::format(
        "products of turned channels are times {:.4g}, the square of the attention factor, which contraction includes",
        square);
  }
  return "";
}

namespace {

std::vector<std::string> sentences(const ForeignQueries& queries, const ResolvedEncoding& encoding, bool plain,
                                   bool had_bias, bool learns, const ForeignPositions& positions, int64_t layer) {
  const std::vector<HeadLogits>& heads = queries.samples.front();
  const auto all = static_cast<int64_t>(heads.size());
  std::vector<std::string> done = {
      !plain             ? "on the file's queries and keys, taken as they stand before rotation"
      : !queries.rotated ? "on the file's queries_plain and keys_plain, which have no rotated ones beside them"
                         : "on the file's queries_plain and keys_plain; its rotated ones are not used"};
  int64_t turned = 0, biased = 0, scaled = 0, scaled_by_row = 0;
  for (int64_t h = 0; h < all; ++h) {
    const HeadLogits& head = heads[static_cast<size_t>(h)];
    if (!head.rotary_pairs.empty()) ++turned;
    if (head.bias.rows() > 0) ++biased;
    if (!head.row_scale.empty()) ++scaled_by_row;
    const std::vector<double>& scale = encoding.layers[static_cast<size_t>(layer)].scale;
    if (!scale.empty() && scale[static_cast<size_t>(h)] != 1.0) ++scaled;
  }
  if (turned > 0) {
    const auto head =
        std::find_if(heads.begin(), heads.end(), [](const auto& one) { return !one.rotary_pairs.empty(); });
    done.push_back(
        fmt::format("{} pairs of channels are turned, in {}", head->rotary_pairs.size(), heads_text(turned, all)));
  }
  if (const std::string factor = product_factor_text(encoding, layer); !factor.empty()) done.push_back(factor);
  if (biased > 0) done.push_back(fmt::format("a bias is added to the logits of {}", heads_text(biased, all)));
  if (scaled > 0) done.push_back(fmt::format("the scale is changed in {}", heads_text(scaled, all)));
  if (scaled_by_row > 0) {
    done.push_back(
        fmt::format("queries have factors by their position or length in {}, in logits with and without angles",
                    heads_text(scaled_by_row, all)));
  }
  if (turned + biased + scaled + scaled_by_row == 0) done.emplace_back("it changes nothing here");
  if (const std::string masks = unmasked_text(encoding); !masks.empty()) done.push_back(masks);
  if (had_bias) done.emplace_back("the file's own bias is left out");
  if (learns) done.emplace_back("what it learns stands as it starts");
  if (positions.first != 0 || positions.step != 1) {
    const int64_t last = positions.of(heads.front().size() - 1);
    done.push_back(fmt::format("tokens stand at positions {}, {}, ... {}, of a sequence of {}", positions.of(0),
                               positions.of(1), last, last + 1));
  }
  return done;
}

}  // namespace

AppliedEncoding apply_encoding(ForeignQueries& queries, const Encoding& encoding, const ForeignPositions& positions,
                               int64_t layer) {
  const bool plain = queries.plain, had_bias = queries.bias;
  const HeadLogits& first = queries.samples.front().front();
  EncodingShape shape{.layers = std::max(queries.layers, layer + 1),
                      .heads = static_cast<int64_t>(queries.samples.front().size()),
                      .head_width = first.width(),
                      .width = static_cast<int64_t>(queries.samples.front().size()) * first.width(),
                      .positions = 1,
                      .causal = queries.causal};
  for (const std::vector<HeadLogits>& sample : queries.samples) {
    shape.positions = std::max(shape.positions, positions.of(sample.front().size() - 1) + 1);
  }
  if (shape.positions > kMostForeignPosition || shape.positions > kMostTableEntries / shape.width) {
    fail_usage("--positions {}:{}: the last token stands at {}, which is too far for tables of {} channels",
               positions.first, positions.step, shape.positions - 1, shape.width);
  }
  ResolvedEncoding resolved = resolve(encoding, shape);
  require_applicable(resolved, resolved.layers[static_cast<size_t>(layer)]);
  for (const std::vector<HeadLogits>& sample : queries.samples) {
    for (const HeadLogits& head : sample) {
      if (!head.row_scale.empty()) {
        refuse(resolved,
               "the file's queries have factors by their position (query_factors) in them; only an export of a "
               "run without can be read under another encoding");
      }
    }
  }
  const bool learns = !resolved.parameters.empty();
  resolved = with_values(resolved, initial_values(resolved, 0));
  queries.bias = false;
  for (std::vector<HeadLogits>& sample : queries.samples) {
    const Application application(resolved, positions, layer, sample.front().size());
    for (size_t h = 0; h < sample.size(); ++h) {
      HeadLogits& head = sample[h];
      if (!plain) {
        head.plain_query = std::move(head.query);
        head.plain_key = std::move(head.key);
      }
      application.apply(head, static_cast<int64_t>(h));
      queries.bias = queries.bias || head.bias.rows() > 0;
    }
  }
  queries.plain = true;
  return {.expression = resolved.expression,
          .done = sentences(queries, resolved, plain, had_bias, learns, positions, layer)};
}

}  // namespace phasor
