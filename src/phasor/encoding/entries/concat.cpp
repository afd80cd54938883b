// Positions in channels of their own, beside the tokens' channels instead of on top of them.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {
namespace {

class Concat : public EncodingComponent {
 public:
  explicit Concat(const EncodingArguments& arguments)
      : inner_(arguments.encoding("encoding"), arguments.text()), width_(arguments.integer("width")) {}

  EncodingTraits traits() const override {
    EncodingTraits traits = inner_.traits();
    traits.neutral = false;  // even nothing takes channels away from the tokens
    return traits;
  }
  std::string beyond() const override { return inner_.beyond(); }
  TableForm form_for(const EncodingShape& shape) const override { return inner_.form_for(shape); }

  void fill(EncodingPlaces& places) const override {
    places.concatenate(width_, [&] { inner_.fill(places); });
  }

 private:
  EncodingSum inner_;
  int64_t width_;
};

}  // namespace

EncodingEntry concat_entry() {
  return {.name = "concat",
          .summary = "an input term in channels of its own: concatenated with the embeddings, not added",
          .formula = "x = [e ; P(p)], e of model width - width channels",
          .paper = "a variant that Vaswani et al. (arXiv 1706.03762) are often asked about; no paper of its own",
          .year = 2017,
          .parameters = {encoding_parameter("encoding", "what fills the channels; input terms only"),
                         integer_parameter("width", 16, 1, 65536, "channels that positions get")},
          .notes = "Token embeddings become narrower by that many channels, so the model has fewer parameters.",
          .example = "concat(sinusoidal,width=16)",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Concat>(arguments);
          }};
}

}  // namespace phasor
