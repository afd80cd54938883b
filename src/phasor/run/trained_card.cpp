#include "phasor/run/trained_card.h"

#include <algorithm>

#include "phasor/base/json_fields.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/encoding/measure/measured_sizes.h"

namespace phasor {
namespace {

using Place = CodeSite::Place;

bool is_learned(const ResolvedEncoding& encoding, const CodeSite& site) {
  if (site.place == Place::input) return !encoding.input->learned.empty();
  const LayerEncoding& layer = encoding.layers[static_cast<size_t>(site.layer)];
  if (site.place == Place::bias) return !layer.bias->learned.empty();
  return layer.learns(site.head);
}

// The first head of the layer that has each kind of place.
std::vector<CodeSite> sites_of_layer(const ResolvedEncoding& encoding, int64_t layer) {
  std::vector<CodeSite> sites;
  for (int64_t head = 0; head < encoding.shape.heads; ++head) {
    for (const CodeSite& site : code_sites(encoding, layer, head)) {
      const bool input_again = site.place == Place::input && layer > 0;
      const bool known =
          std::any_of(sites.begin(), sites.end(), [&](const CodeSite& other) { return other.place == site.place; });
      if (!known && !input_again) sites.push_back(site);
    }
  }
  return sites;
}

bool same_curves(const KernelCurves& a, const KernelCurves& b) {
  return a.site.place == b.site.place && a.axis == b.axis &&
         std::equal(a.curves.begin(), a.curves.end(), b.curves.begin(), b.curves.end(),
                    [](const KernelCurves::Curve& left, const KernelCurves::Curve& right) {
                      return left.heads == right.heads && left.kernel.values == right.kernel.values;
                    });
}

void add_kernel(std::vector<TrainedKernel>& kernels, KernelCurves start, KernelCurves end, int64_t layer) {
  const bool has_layer = end.site.place != Place::input;
  for (TrainedKernel& kernel : kernels) {
    if (!has_layer || !same_curves(kernel.start, start) || !same_curves(kernel.end, end)) continue;
    kernel.layers.push_back(layer);
    return;
  }
  TrainedKernel kernel{.layers = {}, .start = std::move(start), .end = std::move(end)};
  if (has_layer) kernel.layers = {layer};
  kernels.push_back(std::move(kernel));
}

std::vector<TrainedKernel> trained_kernels(const ResolvedEncoding& encoding, const ResolvedEncoding& start,
                                           const ResolvedEncoding& end) {
  std::vector<TrainedKernel> kernels;
  for (int64_t layer = 0; layer < encoding.shape.layers; ++layer) {
    // A trained bias of zeros alone has no place, so those of both ends count.
    for (const CodeSite& site : sites_of_layer(end, layer)) {
      if (!is_learned(encoding, site)) continue;
      std::vector<KernelCurves> before = kernel_curves(start, site);
      std::vector<KernelCurves> after = kernel_curves(end, site);
      for (size_t a = 0; a < std::min(before.size(), after.size()); ++a) {
        add_kernel(kernels, std::move(before[a]), std::move(after[a]), layer);
      }
    }
  }
  return kernels;
}

bool rotations_learn(const ResolvedEncoding& encoding) {
  for (const LayerEncoding& layer : encoding.layers) {
    for (int64_t head = 0; head < encoding.shape.heads; ++head) {
      if (layer.learns(head)) return true;
    }
  }
  return false;
}

}  // namespace

TrainedCard trained_card(const RunFolder& folder, std::optional<int64_t> step) {
  const RunConfig config = folder.load_config();
  TrainedCard card{.folder = folder.path().string(),
                   .expression = config.model.encoding,
                   .task = config.task,
                   .seed = config.seed,
                   .step = step.value_or(config.train.steps),
                   .encoding = {},
                   .learned = learned_tensors(folder, config, step)};
  const Encoding expression = parse_encoding(card.expression);
  const ResolvedEncoding bare = resolve_encoding(config.model, /*factors=*/false);
  card.encoding = bare;
  const std::optional<ParameterValues> ends = ends_of(card.learned);
  if (!ends) {
    card.left_out = "Kernels need all learned numbers; the weights were packed, and large tables are not kept.";
    return card;
  }
  if (card.learned.empty()) return card;
  card.encoding = with_values(bare, *ends);
  if (rotations_learn(bare)) card.rotary_pairs = rotary_pairs(card.encoding);
  card.left_out = measures_left_out(expression, bare);
  if (!card.left_out.empty()) return card;
  const ResolvedEncoding whole = resolve_encoding(config.model);
  card.encoding = with_values(whole, *ends);
  card.kernels = trained_kernels(whole, with_values(whole, starts_of(card.learned)), card.encoding);
  return card;
}

namespace {

// One curve of a trained kernel, or of the one that training started from.
struct KernelRow {
  const TrainedKernel* of = nullptr;
  const KernelCurves* group = nullptr;
  const KernelCurves::Curve* curve = nullptr;
};

std::vector<KernelRow> kernel_rows(const TrainedCard& card) {
  std::vector<KernelRow> rows;
  for (const TrainedKernel& kernel : card.kernels) {
    for (const KernelCurves* group : {&kernel.start, &kernel.end}) {
      for (const KernelCurves::Curve& curve : group->curves) rows.push_back({&kernel, group, &curve});
    }
  }
  return rows;
}

const Fields<KernelRow>& json_fields(const KernelRow*) {
  using K = KernelRow;
  static const Fields<K> fields = {
      derived_field<K>(
          "place", [](const K& row) { return place_name(row.group->site.place); }, "that it belongs to"),
      derived_field<K>(
          "layers", [](const K& row) { return row.of->layers; }, "where it came out so; empty for an input term"),
      derived_field<K>(
          "heads", [](const K& row) { return row.curve->heads; }, "that share it; empty for an input term"),
      derived_field<K>(
          "trained", [](const K& row) { return row.group == &row.of->end; }, "false: as training started"),
      derived_field<K>(
          "first_distance", [](const K& row) { return row.curve->kernel.first; }, "key minus query of the first value"),
      derived_field<K>(
          "values", [](const K& row) { return row.curve->kernel.values; }, "distances one by one"),
      derived_field<K>(
          "deviation", [](const K& row) { return row.curve->kernel.deviation; },
          "from elsewhere values differ by at most this")};
  return fields;
}

}  // namespace

const Fields<TrainedCard>& json_fields(const TrainedCard*) {
  using C = TrainedCard;
  static const Fields<C> fields = {
      field("run", &C::folder, "the folder"),
      field("encoding", &C::expression, "the canonical expression"),
      field("task", &C::task, "its name"),
      field("seed", &C::seed, "of the model's start"),
      field("step", &C::step, "whose weights these are"),
      field("learned", &C::learned, "every tensor of the encoding; empty: it learns nothing"),
      field("left_out", &C::left_out, "why there are no kernels; empty: there are"),
      derived_field<C>("kernels", kernel_rows, "of places that learn, as training started and trained"),
      field("rotary_pairs", &C::rotary_pairs, "of rotations that learn, trained; as on the card of an expression")};
  return fields;
}

nlohmann::ordered_json trained_card_json(const TrainedCard& card) { return write_json(card); }

}  // namespace phasor
