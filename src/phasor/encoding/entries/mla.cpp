// Multi-head latent attention: queries and keys from narrow latents, position on channels of their own.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "phasor/base/phase.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/frequencies.h"
#include "phasor/encoding/entries/rope_scaling.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {
namespace {

constexpr int64_t kHeadWidth = -1;  // of `rope`: as many as the head has

// What the code released with arXiv 2505.13027 multiplies with: a row of all sines, then all cosines, read as if
// sines and cosines took turns. Its "sine" and "cosine" of a pair are of neighbouring frequencies, and both are sines
// in the first half of the pairs, both cosines in the second. No rotation: the modulus runs from 0 to sqrt(2).
std::vector<std::complex<double>> released_factors(const std::vector<double>& frequencies, int64_t positions) {
  const size_t pairs = frequencies.size();
  std::vector<std::complex<double>> factors;
  factors.reserve(static_cast<size_t>(positions) * pairs);
  std::vector<double> row(2 * pairs);
  for (int64_t p = 0; p < positions; ++p) {
    for (size_t c = 0; c < pairs; ++c) {
      const std::complex<double> turn = phase(p, frequencies[c]);
      row[c] = turn.imag();
      row[pairs + c] = turn.real();
    }
    for (size_t m = 0; m < pairs; ++m) factors.emplace_back(row[2 * m + 1], row[2 * m]);
  }
  return factors;
}

class Mla : public EncodingComponent {
 public:
  explicit Mla(const EncodingArguments& arguments)
      : key_latent_(arguments.integer("kv")),
        query_latent_(arguments.integer("q")),
        rotary_(arguments.integer("rope")),
        base_(arguments.number("base")),
        halves_(arguments.word("layout") == "half"),
        shared_query_(arguments.word("query") == "shared"),
        released_(arguments.word("table") == "released"),
        norm_(arguments.word("norm") == "rms"),
        scaling_(arguments, "mla", base_) {
    for (const char* name : {"base", "layout", "query", "table", "scaling"}) {
      if (rotary_ != 0 || !arguments.given(name)) continue;
      throw EncodingError(arguments.text(), arguments.column(name),
                          fmt::format("mla: {} is about rotary channels, and rope=0 has none", name));
    }
    if (!scaling_.none() && (scaling_.depends_on_length() || released_)) {
      throw EncodingError(
          arguments.text(), arguments.column("scaling"),
          released_ ? "mla: table=released is not stretched"
                    : fmt::format("mla: scaling={} goes by length, which mla does not have yet; linear, ntk, yarn and "
                                  "llama3 are there",
                                  arguments.word("scaling")));
    }
    if (rotary_ > 0 && rotary_ % 2 != 0) {
      throw EncodingError(arguments.text(), arguments.column("rope"),
                          fmt::format("mla: rope must be even, as pairs of channels turn, not {}", rotary_));
    }
    if (released_ && rotary_ > 0 && rotary_ % 4 != 0) {
      throw EncodingError(
          arguments.text(), arguments.column("rope"),
          fmt::format("mla: table=released is for an even number of pairs, so rope must be divisible by 4, not {}",
                      rotary_));
    }
  }

  EncodingTraits traits() const override {
    if (rotary_ == 0) return {.exactly_relative = true, .learnable = true, .extrapolates = true};
    return {.coupling = Coupling::hadamard_toeplitz,
            .exactly_relative = !released_,
            .learnable = true,
            .extrapolates = !scaling_.none(),
            .bidirectional = true};
  }

  std::string formula() const override {
    if (rotary_ == 0) return "L = <q, k> / sqrt(head width), q and k from latents";
    if (scaling_.none()) return "";
    const std::string factor = scaling_.attention_formula();
    return fmt::format(
        "L = (<q, k> + <R(p_i) q', R(p_j) k'>) / sqrt(head width + rope); k' is one for all heads; w = {}{}",
        scaling_.formula("base^(-2c/rope)"), factor.empty() ? "" : "; " + factor);
  }
  bool reads(std::string_view parameter) const override {
    for (const EncodingParameter& of_scaling : RopeScaling::parameters()) {
      if (parameter == of_scaling.name) return scaling_.reads(parameter);
    }
    return rotary_ != 0 || parameter == "kv" || parameter == "q" || parameter == "rope" || parameter == "norm";
  }

  void fill(EncodingPlaces& places) const override {
    const EncodingShape& shape = places.shape();
    const int64_t half = std::max<int64_t>(1, shape.width / 2);
    const int64_t rotary = rotary_ == kHeadWidth ? shape.head_width : rotary_;
    check_rotary(places, rotary);
    places.decouple({.name = {},
                     .key_latent = key_latent_ == 0 ? half : key_latent_,
                     .query_latent = query_latent_ == 0 ? half : query_latent_,
                     .rotary = rotary,
                     .shared_query = shared_query_,
                     .norm = norm_});
    if (rotary == 0) return;
    const std::vector<double> frequencies = scaling_.frequencies(base_, rotary, 0);
    Rotation rotation = index_rotation(places, frequencies, halves_);
    rotation.first = shape.head_width;
    if (!scaling_.none()) {
      rotation.unscaled = geometric_frequencies(base_, rotary);
      rotation.stretch = scaling_.stretch(0);
      rotation.magnitude = scaling_.turned_factor();
      rotation.query = rotation_factors(rotation.frequencies, rotation.positions, rotation.magnitude);
      rotation.key = rotation.query;
      places.multiply_scale(std::vector<double>(static_cast<size_t>(shape.heads), scaling_.logit_factor()));
    }
    if (released_) {
      rotation.frequencies = {};
      rotation.query = released_factors(frequencies, rotation.positions);
      rotation.key = rotation.query;
    }
    places.rotate(std::move(rotation));
  }

 private:
  // Where it is the head width, only the model says whether there are pairs.
  void check_rotary(const EncodingPlaces& places, int64_t rotary) const {
    const int64_t divisor = released_ ? 4 : 2;
    if (rotary % divisor == 0) return;
    places.fail_term(
        fmt::format("mla takes as many rotary channels as a head has, {}, which {} does not divide; give "
                    "rope",
                    rotary, divisor));
  }

  int64_t key_latent_;
  int64_t query_latent_;
  int64_t rotary_;
  double base_;
  bool halves_;
  bool shared_query_;
  bool released_;
  bool norm_;
  RopeScaling scaling_;
};

std::vector<EncodingParameter> mla_parameters() {
  constexpr int64_t kMost = 65536;
  std::vector<EncodingParameter> result = {
      integer_parameter("kv", 0, 0, kMost,
                        "width of the latent that keys and values are made from; 0: half the model's width"),
      integer_parameter("q", 0, 0, kMost, "width of the latent that queries are made from; 0: half the model's width"),
      integer_parameter("rope", kHeadWidth, kHeadWidth, kMost,
                        "rotary channels q' and k' beside a head's own; 0: none, -1: as many as a head has"),
      rotation_base_parameter(),
      pair_layout_parameter(),
      word_parameter("query", {"per_head", "shared"},
                     "each head has a q' of its own, or all have one, as in the code released with arXiv 2505.13027"),
      word_parameter("table", {"standard", "released"}, "a rotation, or what that code multiplies with instead"),
      word_parameter("norm", {"rms", "none"}, "what is done to the latents")};
  for (const EncodingParameter& parameter : RopeScaling::parameters()) result.push_back(parameter);
  return result;
}

}  // namespace

EncodingEntry mla_entry() {
  return {
      .name = "mla",
      .summary = "queries, keys and values from latents; position on rotated channels of its own",
      .formula = "L = (<q, k> + <R(p_i) q', R(p_j) k'>) / sqrt(head width + rope); k' is one for all heads",
      .paper =
          "DeepSeek-AI: DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model (arXiv "
          "2405.04434)",
      .year = 2024,
      .parameters = mla_parameters(),
      .notes =
          "Latents, their projections and norms belong to the model's layers: they are trained, and take the "
          "place of the query, key and value projections. k' is made from the layer's input, q' from the "
          "query latent. `mla(rope=0)` has no position at all.\n\n"
          "`scaling` stretches the frequencies of q' and k' as in `rope`, whose notes have the rules. DeepSeek-V2's "
          "and V3's own is `scaling=yarn,mscale=m,mscale_all_dim=a,attention_on=logits`: factors of m over those of "
          "a on q' and k', and the square of a's on whole logits, content included.\n\n"
          "`table=released` reads a row of all sines, then all cosines, as if they took turns, as "
          "`dis_gen/mla.py` of that code does: pair m gets sines of frequencies 2m and 2m+1 in the first half "
          "of the pairs and cosines in the second. That is no rotation: half the pairs vanish at position 0, "
          "and logits depend on more than the distance. That code is "
          "`mla(query=shared,table=released,norm=none)`, with a learned input term that starts at 0.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Mla>(arguments);
      }};
}

}  // namespace phasor
