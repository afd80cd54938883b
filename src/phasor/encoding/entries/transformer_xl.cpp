// Sinusoids of the distance, projected by a trained matrix, and multiplied with the query.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/phase.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/frequencies.h"

namespace phasor {
namespace {

class TransformerXl : public EncodingComponent {
 public:
  explicit TransformerXl(const EncodingArguments& arguments)
      : max_distance_(arguments.integer("max_distance")),
        base_(arguments.number("base")),
        shared_(arguments.word("sharing") == "model"),
        deviation_(arguments.number("init")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::distance_rows,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = true,  // sinusoids exist at any distance
            .bidirectional = true,
            .beyond = max_distance_ > 0 ? Beyond::clamped : Beyond::formula};
  }
  std::string beyond() const override {
    return max_distance_ > 0 ? fmt::format("distances of {} and more count as {}", max_distance_, max_distance_)
                             : "sinusoids of distances go on by the formula";
  }

  void fill(EncodingPlaces& places) const override {
    const EncodingShape& shape = places.shape();
    if (shape.width % 2 != 0) {
      places.fail_term(fmt::format("transformer_xl needs an even width, as sines have cosines; not {}", shape.width));
    }
    const std::vector<int64_t> heads = places.heads();
    if (heads.empty()) return;
    const int64_t reach = shape.positions - 1;
    const int64_t behind = max_distance_ > 0 ? std::min(max_distance_, reach) : reach;
    // In causal models too: keys stand ahead where positions are shuffled.
    const int64_t rows = 2 * behind + 1;
    places.check_rows_size(rows, shape.heads * shape.head_width);
    places.check_rows_size(rows, shape.width);

    RowTerm prototype;
    for (int64_t distance = -reach; distance <= reach; ++distance) {
      prototype.index.push_back(static_cast<int32_t>(behind + std::clamp(distance, -behind, behind)));
    }
    prototype.fixed = Table(rows, shape.heads * shape.head_width);
    const auto sinusoids = std::make_shared<const Table>(sinusoid_rows(rows, behind, shape.width));
    int64_t u = 0, v = 0;
    for (const int64_t layer : places.layers()) {
      RowTerm term = prototype;
      const int64_t weight = add_weight(places, layer);
      for (size_t g = 0; g < heads.size(); ++g) {
        term.learned.emplace_back(ProductSource{.factors = sinusoids,
                                                .parameter = weight,
                                                .first = static_cast<int64_t>(g) * shape.head_width,
                                                .columns = shape.head_width,
                                                .first_column = heads[g] * shape.head_width});
      }
      places.add_rows(layer, EncodingPlaces::RowsOf::queries, join(std::move(term)));
      if (!shared_ || layer == places.layers().front()) {
        u = add_vector(places, "u", layer);
        v = add_vector(places, "v", layer);
      }
      places.shift_queries(layer, shift(places, u), shift(places, v));
    }
  }

 private:
  // Row r is of keys behind - r tokens behind the query: all sines, then all cosines.
  Table sinusoid_rows(int64_t rows, int64_t behind, int64_t width) const {
    const std::vector<double> frequencies = geometric_frequencies(base_, width);
    Table table(rows, width);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < width / 2; ++c) {
        const std::complex<double> turn = phase(behind - r, frequencies[static_cast<size_t>(c)]);
        table(r, c) = turn.imag();
        table(r, width / 2 + c) = turn.real();
      }
    }
    return table;
  }

  // Products of neighbouring heads are one product.
  static RowTerm join(RowTerm term) {
    std::vector<TableSource> joined;
    for (const TableSource& source : term.learned) {
      const auto& next = std::get<ProductSource>(source);
      if (!joined.empty()) {
        auto& last = std::get<ProductSource>(joined.back());
        if (last.first_column + last.columns == next.first_column) {
          last.columns += next.columns;
          continue;
        }
      }
      joined.emplace_back(next);
    }
    term.learned = std::move(joined);
    return term;
  }

  // Starts as PyTorch's linear layers do.
  static int64_t add_weight(EncodingPlaces& places, int64_t layer) {
    const EncodingShape& shape = places.shape();
    LearnedParameter weight;
    weight.heads = places.heads();
    weight.shape = {static_cast<int64_t>(weight.heads.size()), shape.head_width, shape.width};
    weight.initial.kind = InitialValues::Kind::uniform;
    weight.initial.size = 1.0 / std::sqrt(static_cast<double>(shape.width));
    return places.add_parameter("weight", std::move(weight), layer);
  }

  int64_t add_vector(EncodingPlaces& places, std::string_view name, int64_t layer) const {
    LearnedParameter vector;
    vector.heads = places.heads();
    vector.shape = {static_cast<int64_t>(vector.heads.size()), places.shape().head_width};
    vector.initial.kind = InitialValues::Kind::normal;
    vector.initial.size = deviation_;
    return places.add_parameter(name, std::move(vector), shared_ ? EncodingPlaces::kAllLayers : layer);
  }

  static ShiftTerm shift(const EncodingPlaces& places, int64_t parameter) {
    const int64_t width = places.shape().head_width;
    ShiftTerm term{.fixed = Table(places.shape().heads, width), .learned = {}};
    GatherSource source{.parameter = parameter, .index = {}};
    source.index.assign(term.fixed.values.size(), -1);
    int32_t next = 0;
    for (const int64_t head : places.heads()) {
      for (int64_t c = 0; c < width; ++c) source.index[static_cast<size_t>(head * width + c)] = next++;
    }
    term.learned.emplace_back(std::move(source));
    return term;
  }

  int64_t max_distance_;
  double base_;
  bool shared_;
  double deviation_;
};

}  // namespace

EncodingEntry transformer_xl_entry() {
  return {
      .name = "transformer_xl",
      .summary = "sinusoids of the distance through a trained matrix, multiplied with the query",
      .formula = "L = (<q + u, k> + <q + v, W r(d)>) / sqrt(C), r(d) = sines and cosines of d base^(-2c/width)",
      .paper =
          "Dai, Yang, Yang, Carbonell, Le, Salakhutdinov: Transformer-XL: Attentive Language Models Beyond a "
          "Fixed-Length Context (arXiv 1901.02860)",
      .year = 2019,
      .parameters = {integer_parameter("max_distance", 0, 0, 1048576,
                                       "farther distances count as this one (`clamp_len`); 0: each has its own "
                                       "sinusoids, at any length"),
                     number_parameter("base", 10000, 1, 1e12, "the slowest sine takes about 2 pi base positions"),
                     word_parameter("sharing", {"model", "layer"},
                                    "u and v: one pair for all layers, as in the paper, or one per layer"),
                     number_parameter("init", 0.02, 0, 100, "standard deviation that u and v start with")},
      .notes =
          "The four terms of the paper: (a) <q, k>, (b) <q, W r>, (c) <u, k>, (d) <v, W r>; W is its W_kR. Projections "
          "of queries have biases here, which the paper's have not: they add to u and to v alike, so what u and v add "
          "to the model is their difference. Recurrence over segments is not part of the encoding and not built. "
          "In bidirectional models keys ahead of the query have sinusoids of negative distances, as in XLNet. u is "
          "added before a rotation; the vectors meet the query as it stands before any. Tensors are "
          "`layers.<l>.encoding.transformer_xl.weight` [heads, head width, width] and `encoding.transformer_xl.u`, "
          "`.v` [heads, head width], the latter per layer with `sharing=layer`.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<TransformerXl>(arguments);
      }};
}

}  // namespace phasor
