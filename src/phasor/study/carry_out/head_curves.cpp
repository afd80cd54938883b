#include "phasor/study/carry_out/head_curves.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/seal.h"
#include "phasor/spectrum/head_report.h"
#include "phasor/spectrum/layer_logits.h"
#include "phasor/study/carry_out/measured_file.h"
#include "phasor/study/records/run_facts.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCurvesFormat = "phasor head curves 1";

int64_t longest_sequence(const Batch& batch) {
  const auto length = [&](int64_t s) {
    return batch.offsets[static_cast<size_t>(s) + 1] - batch.offsets[static_cast<size_t>(s)];
  };
  int64_t longest = 0;
  for (int64_t s = 1; s < batch.sequence_count(); ++s) {
    if (length(s) > length(longest)) longest = s;
  }
  return longest;
}

HeadCurves curves_of(const HeadReport& report, const HeadMeasures& measures) {
  HeadCurves curves{.layer = measures.layer,
                    .head = measures.head,
                    .singular = report.logits.singular.values,
                    .kernel = report.relative.kernel.values,
                    .shares = measures.shares,
                    .contraction = measures.contraction};
  const bool turns = measures.contraction != 1.0;
  if (turns && report.plain) curves.plain = report.plain->singular.values;
  if (report.logits.eigen) curves.eigenvalues = report.logits.eigen->values;
  return curves;
}

// Six digits: these numbers are for pictures.
Json shortened(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.6g}", value));
}
Json shortened(const std::complex<double>& value) { return {shortened(value.real()), shortened(value.imag())}; }

template <class T>
Json shortened(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(shortened(value));
  return list;
}

bool is_finite(const HeadMeasures& head) { return std::isfinite(head.spectral_norm); }

}  // namespace

CurvesRecord measure_head_curves(Session& session, const std::vector<HeadMeasures>& measures) {
  Transformer& model = session.model();
  const Batch batch = first_test_sequences(session, kSpectralSequences);
  const int64_t sequence = longest_sequence(batch);
  CurvesRecord record{.tokens = batch.offsets[static_cast<size_t>(sequence) + 1] -
                                batch.offsets[static_cast<size_t>(sequence)]};
  model.forward(batch);
  for (int64_t l = 0; l < model.config().layers; ++l) {
    const LayerLogits layer(model, batch, l);
    const HeadReporter reporter(record.tokens, layer.causal());
    const std::vector<HeadLogits> heads = layer.sequence(sequence);
    for (size_t h = 0; h < heads.size(); ++h) {
      const HeadMeasures& own = measures.at(static_cast<size_t>(l) * heads.size() + h);
      if (!is_finite(own)) continue;
      record.heads.push_back(curves_of(reporter.report(heads[h], {.numerical_range = false, .checks = false}), own));
    }
  }
  return record;
}

// Numbers of curves are written with six digits.
template <class V>
static Field<HeadCurves> short_field(const char* name, V HeadCurves::*member, const char* help) {
  return field(name, member, help).written_by([member](const HeadCurves& head) { return shortened(head.*member); });
}

static Fields<PartShares> short_shares() {
  const auto share = [](const char* name, double PartShares::*member, const char* help) {
    return field(name, member, help).written_by([member](const PartShares& shares) {
      return shortened(shares.*member);
    });
  };
  return {share("content_content", &PartShares::content_content, "of the logits' variance by content alone"),
          share("content_position", &PartShares::content_position, "by the query's content and the key's position"),
          share("position_content", &PartShares::position_content, "by the query's position and the key's content"),
          share("position_position", &PartShares::position_position, "by position alone"),
          share("bias", &PartShares::bias, "by the bias"),
          share("rows", &PartShares::rows, "by products with distance rows; absent if there are none")
              .since_later()
              .left_out_if([](const PartShares& shares) { return !shares.has_rows(); }),
          share("decoupled", &PartShares::decoupled, "by the decoupled path")};
}

static const Fields<HeadCurves>& json_fields(const HeadCurves*) {
  static const Fields<HeadCurves> fields = {
      field("layer", &HeadCurves::layer, "from 0"),
      field("head", &HeadCurves::head, "from 0"),
      short_field("singular", &HeadCurves::singular, "singular values of the logits, falling"),
      short_field("plain", &HeadCurves::plain, "the same with all angles at zero; empty where nothing turns"),
      short_field("eigenvalues", &HeadCurves::eigenvalues, "of the logits; empty where they are causal"),
      short_field("kernel", &HeadCurves::kernel, "what distance adds to the logits, from -(tokens - 1)"),
      group_field("shares", part_fields(&HeadCurves::shares, short_shares()), "means over the first test sequences"),
      short_field("contraction", &HeadCurves::contraction, "sigma_1 over that with all angles at zero")};
  return fields;
}

const Fields<CurvesRecord>& json_fields(const CurvesRecord*) {
  static const Fields<CurvesRecord> fields = {field("tokens", &CurvesRecord::tokens, "of the sample"),
                                              field("heads", &CurvesRecord::heads, "layer by layer")};
  return fields;
}

void write_head_curves(const CurvesRecord& record, const std::filesystem::path& path, const std::string& run) {
  Json json = {{"format", kCurvesFormat}, {"tokens", record.tokens}};
  if (!run.empty()) json["run"] = run;
  json["heads"] = write_json(record.heads);
  write_file_atomically(path, sealed(json.dump() + "\n"));
}

CurvesRecord read_head_curves(const std::filesystem::path& path, const std::string& run) {
  return read_measured_file(path, kCurvesFormat, read_members<CurvesRecord>, run);
}

}  // namespace phasor
