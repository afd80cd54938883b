#include "phasor/run/telemetry.h"

#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"

namespace phasor {

const Fields<Telemetry>& json_fields(const Telemetry*) {
  using T = Telemetry;
  static const Fields<T> fields = {
      size_field("step", &T::step, "steps done"), field("loss", &T::loss, "mean loss on these sequences"),
      group_field<T>(
          "heads",
          {field("spectral_norm", &T::spectral_norm,
                 "largest singular value of the logits, bias included (causal: of the lower triangle)"),
           field("stable_rank", &T::stable_rank, "sum of squared singular values / largest one squared"),
           field("relative_r2", &T::relative_r2, "adjusted share of row-centred logits that distance alone explains"),
           field("positional_share", &T::positional_share,
                 "share of the variance of row-centred logits that positions alone explain: position with position, "
                 "and the bias"),
           field("seed", &T::seed,
                 "norm over distances d of t[d] = sum of dLoss / dlogit over all queries and keys at distance d: the "
                 "gradient that a bias over distance would receive if there were one"),
           field("phase_seed", &T::phase_seed,
                 "norm over places and pairs of channels of dLoss / dangle, the angle by which the head's queries are "
                 "turned; null for heads that turn nothing; absent in older files")
               .since_later(),
           field("gradient_norm", &T::gradient_norm,
                 "norm of the gradient of the loss by the head's rows of query, key and value weights and its columns "
                 "of the output weights; without weights that heads share")},
          "by layer and head; all but the last two are means over the sequences"),
      group_field<T>("layers",
                     {field("gradient_norm", &T::layer_gradient_norm, "the same over everything named `layers.l.`"),
                      field("margin", &T::margin, "largest seed - second largest")},
                     "by layer")};
  return fields;
}

std::string to_json_line(const Telemetry& telemetry) { return write_json(telemetry).dump(); }

Telemetry parse_telemetry(std::string_view line, std::string_view source) {
  try {
    return read_json<Telemetry>(nlohmann::ordered_json::parse(line));
  } catch (const nlohmann::ordered_json::exception& error) {
    throw FormatError(fmt::format("{}: not a line of telemetry ({})", source, error.what()));
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace phasor
