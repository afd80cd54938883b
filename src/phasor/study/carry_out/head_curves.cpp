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
Json short_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.6g}", value));
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(short_number(value));
  return list;
}

Json curves_json(const HeadCurves& head) {
  Json eigenvalues = Json::array();
  for (const std::complex<double>& value : head.eigenvalues) {
    eigenvalues.push_back({short_number(value.real()), short_number(value.imag())});
  }
  return {{"layer", head.layer},
          {"head", head.head},
          {"singular", numbers(head.singular)},
          {"plain", numbers(head.plain)},
          {"eigenvalues", std::move(eigenvalues)},
          {"kernel", numbers(head.kernel)},
          {"shares",
           {{"content_content", short_number(head.shares.content_content)},
            {"content_position", short_number(head.shares.content_position)},
            {"position_content", short_number(head.shares.position_content)},
            {"position_position", short_number(head.shares.position_position)},
            {"bias", short_number(head.shares.bias)},
            {"decoupled", short_number(head.shares.decoupled)}}},
          {"contraction", short_number(head.contraction)}};
}

double number_from(const Json& json) { return json.is_null() ? std::nan("") : json.get<double>(); }

HeadCurves curves_from(const Json& json) {
  HeadCurves head{.layer = json.at("layer"),
                  .head = json.at("head"),
                  .singular = json.at("singular").get<std::vector<double>>(),
                  .plain = json.at("plain").get<std::vector<double>>(),
                  .kernel = json.at("kernel").get<std::vector<double>>(),
                  .contraction = number_from(json.at("contraction"))};
  for (const Json& value : json.at("eigenvalues")) head.eigenvalues.emplace_back(value.at(0), value.at(1));
  const Json& shares = json.at("shares");
  head.shares = {.content_content = number_from(shares.at("content_content")),
                 .content_position = number_from(shares.at("content_position")),
                 .position_content = number_from(shares.at("position_content")),
                 .position_position = number_from(shares.at("position_position")),
                 .bias = number_from(shares.at("bias")),
                 .decoupled = number_from(shares.at("decoupled"))};
  return head;
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

void write_head_curves(const CurvesRecord& record, const std::filesystem::path& path, const std::string& run) {
  Json json = {{"format", kCurvesFormat}, {"tokens", record.tokens}};
  if (!run.empty()) json["run"] = run;
  json["heads"] = Json::array();
  for (const HeadCurves& head : record.heads) json["heads"].push_back(curves_json(head));
  write_file_atomically(path, sealed(json.dump() + "\n"));
}

CurvesRecord read_head_curves(const std::filesystem::path& path, const std::string& run) {
  return read_measured_file(
      path, kCurvesFormat,
      [](const Json& json) {
        CurvesRecord record{.tokens = json.at("tokens")};
        for (const Json& head : json.at("heads")) record.heads.push_back(curves_from(head));
        return record;
      },
      run);
}

}  // namespace phasor
