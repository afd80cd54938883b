// A random vector per position that is never trained.
#include "phasor/encoding/catalogue.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

class Random : public EncodingComponent {
 public:
  explicit Random(const EncodingArguments& arguments)
      : deviation_(arguments.number("init")), seed_(arguments.integer("seed")) {}

  EncodingTraits traits() const override { return {.coupling = Coupling::input, .bidirectional = true}; }
  std::string beyond() const override { return "further positions have further random vectors"; }

  void fill(EncodingPlaces& places) const override {
    places.check_input_size();
    Table table(places.shape().positions, places.shape().width);
    // A position's vector does not depend on how many positions there are.
    for (int64_t position = 0; position < table.rows; ++position) {
      const RandomStream stream{.seed = static_cast<uint64_t>(seed_),
                                .purpose = Purpose::encoding,
                                .site = 0,
                                .step = static_cast<uint32_t>(position)};
      for (int64_t c = 0; c < table.columns; ++c) {
        table(position, c) = deviation_ * normal(stream, static_cast<uint64_t>(c));
      }
    }
    places.add_input(table);
  }

 private:
  double deviation_;
  int64_t seed_;
};

}  // namespace

EncodingEntry random_entry() {
  return {
      .name = "random",
      .summary = "a random vector per position, added to the embeddings and never trained",
      .formula = "x += E[p], E ~ N(0, init^2), frozen",
      .paper = "a control: distinct positions without any structure between them",
      .year = 2017,
      .parameters = {number_parameter("init", 1, 0, 100, "standard deviation of the vectors"),
                     integer_parameter("seed", 0, 0, 1000000000, "which vectors; the model's seed has no part in it")},
      .notes = "What the code released with arXiv 2505.13027 calls \"random\" is trained: `learned(init=1)`.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Random>(arguments);
      }};
}

}  // namespace phasor
