// A small trained network of the distance, measured by how far back the query could look.
#include <cmath>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class Fire : public EncodingComponent {
 public:
  explicit Fire(const EncodingArguments& arguments)
      : hidden_(arguments.integer("hidden")),
        threshold_(arguments.number("threshold")),
        shared_(arguments.word("sharing") == "model") {}

  EncodingTraits traits() const override {
    // Queries beyond the threshold measure distances by their own position.
    return {.coupling = Coupling::toeplitz_bias, .learnable = true, .extrapolates = true};
  }
  std::string beyond() const override {
    return "by the formula: queries past the trained threshold measure distances by their own position";
  }
  TableForm form() const override { return {.bias_by_query = true}; }

  void fill(EncodingPlaces& places) const override {
    if (places.form().bias_per_length) {
      places.fail_term("fire cannot be added to a bias that depends on the length of the sequence");
    }
    if (places.heads().empty()) return;
    const std::vector<int64_t> layers = places.layers();
    MlpSource source;
    for (const int64_t layer : layers) {
      if (!shared_ || layer == layers.front()) source = network(places, layer);
      places.add_bias(layer, source);
    }
  }

 private:
  // The threshold is trained as a multiple of what it starts from: steps of an optimiser are about as large as
  // numbers near 1.
  FormulaTerm ratio() const {
    FormulaArgument c{.name = "c", .learned = true, .initial = {}};
    c.initial.centre = 0.1;
    FormulaArgument multiplier{.name = "multiplier", .learned = true, .initial = {}};
    multiplier.initial.centre = 1.0;
    return {FormulaTerm::Place::bias,
            "log(abs(c*d)+1)/(log(abs(c)*max(abs(multiplier)*threshold,i)+1)+1e-6)",
            {c, multiplier, {.name = "threshold", .value = threshold_, .initial = {}}}};
  }

  // Starts as PyTorch's linear layers do, between +-1/sqrt(inputs).
  static int64_t add_weights(EncodingPlaces& places, std::string_view name, std::vector<int64_t> shape, int64_t inputs,
                             int64_t layer, std::vector<int64_t> heads = {}) {
    LearnedParameter parameter;
    parameter.heads = std::move(heads);
    parameter.shape = std::move(shape);
    parameter.initial.kind = InitialValues::Kind::uniform;
    parameter.initial.size = 1.0 / std::sqrt(static_cast<double>(inputs));
    return places.add_parameter(name, std::move(parameter), layer);
  }

  MlpSource network(EncodingPlaces& places, int64_t layer) const {
    const std::vector<int64_t> heads = places.heads();
    const int64_t outputs = static_cast<int64_t>(heads.size());
    MlpSource source;
    source.x = ratio().bias_source(places, layer, shared_, /*one_head=*/true);
    source.heads.assign(heads.begin(), heads.end());
    const int64_t scope = shared_ ? EncodingPlaces::kAllLayers : layer;
    source.weight1 = add_weights(places, "hidden.weight", {hidden_}, 1, scope);
    source.bias1 = add_weights(places, "hidden.bias", {hidden_}, 1, scope);
    source.weight2 = add_weights(places, "output.weight", {outputs, hidden_}, hidden_, scope, heads);
    source.bias2 = add_weights(places, "output.bias", {outputs}, hidden_, scope, heads);
    return source;
  }

  int64_t hidden_;
  double threshold_;
  bool shared_;
};

}  // namespace

EncodingEntry fire_entry() {
  return {.name = "fire",
          .summary = "a small trained network of the distance relative to the query's position",
          .formula = "b_h = f_h(psi(|d|) / psi(max(L, p_i))), psi(x) = log(|c| x + 1), f_h one hidden layer with relu",
          .paper =
              "Li, You, Guruganesh, Ainslie, Ontanon, Zaheer, Sanghai, Yang, Kumar, Bhojanapalli: Functional "
              "Interpolation for Relative Positions Improves Long Context Transformers (arXiv 2310.04418)",
          .year = 2023,
          .parameters = {integer_parameter("hidden", 32, 1, 1024, "width of the network's hidden layer"),
                         number_parameter("threshold", 512, 1, 1048576, "what the trained L starts from"),
                         word_parameter("sharing", {"layer", "model"}, "one network per layer, or one for all layers")},
          .notes =
              "Made for a causal mask: positions count from 0 and |d| is at most p_i, so the ratio stays below 1. "
              "In a bidirectional model, distances ahead of the query count by |d| too, and the ratio may exceed "
              "1. The bias is Toeplitz for queries up to position L and not beyond. c starts at 0.1, L is "
              "`threshold` times a trained `multiplier` that starts at 1, and 1e-6 is added to the divisor, as "
              "in public implementations; weights start as PyTorch's linear layers do. The tensors are "
              "`layers.<l>.encoding.fire.` and `c`, `multiplier`, `hidden.weight`, `hidden.bias`, "
              "`output.weight` [heads, hidden], `output.bias`.",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Fire>(arguments);
          }};
}

}  // namespace phasor
