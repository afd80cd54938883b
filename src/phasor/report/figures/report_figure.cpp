#include "phasor/report/figures/report_figure.h"

namespace phasor {

const std::vector<FigureBuilder>& figure_builders() {
  static const std::vector<FigureBuilder> builders = {
      accuracy_builder(),     learning_curves_builder(), head_verdicts_builder(),   head_drops_builder(),
      sorted_heads_builder(), head_map_builder(),        published_heads_builder(), rotary_heads_builder(),
      removal_builder(),      lengths_builder(),         singular_values_builder(), eigenvalues_builder(),
      kernels_builder(),      logit_shares_builder(),    contraction_builder(),     telemetry_builder(),
      snapshots_builder(),    audit_builder(),           comparisons_builder()};
  return builders;
}

}  // namespace phasor
