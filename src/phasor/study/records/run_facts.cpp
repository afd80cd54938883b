#include "phasor/study/records/run_facts.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/run/config_complete.h"
#include "phasor/run/finished_run.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

SpectralFacts measure(Session& session) {
  const Batch batch = first_test_sequences(session, kSpectralSequences);
  return spectral_facts(measure_heads(session.model(), batch,
                                      {.shares = false, .interaction = false, .most_sequences = kSpectralSequences}));
}

}  // namespace

Batch first_test_sequences(const Session& session, int64_t most) {
  const Dataset& test = session.data().test;
  const int64_t count = std::min({most, test.size(), session.config().train.batch});
  Batch batch;
  for (int64_t i = 0; i < count; ++i) test.append_to(batch, i);
  batch.finish();
  return batch;
}

SpectralFacts spectral_facts(const std::vector<HeadMeasures>& heads) {
  SpectralFacts facts;
  for (const HeadMeasures& head : heads) {
    facts.contraction += head.contraction;
    facts.product_norm += head.spectral_norm / head.bias_expansion;
    facts.spectral_norm += head.spectral_norm;
    facts.stable_rank += head.stable_rank;
  }
  const auto all = static_cast<double>(heads.size());
  for (double* value : {&facts.contraction, &facts.product_norm, &facts.spectral_norm, &facts.stable_rank}) {
    *value /= all;
  }
  return facts;
}

double gradient_variation_of(const std::vector<Metrics>& history, const TrainConfig& train) {
  std::vector<double> norms;
  const double warm = train.warmup * static_cast<double>(train.steps);
  for (const Metrics& metrics : history) {
    if (static_cast<double>(metrics.step) > warm) norms.push_back(metrics.gradient_norm);
  }
  if (norms.size() < 2) return 0.0;
  return statistics::standard_deviation(norms) / statistics::mean(norms);
}

double loss_area_of(const std::vector<Metrics>& history) {
  double sum = 0.0;
  for (const Metrics& metrics : history) sum += metrics.test_loss;
  return sum / (static_cast<double>(history.size()) * history.front().test_loss);
}

RunFacts read_facts(Backend& backend, const std::filesystem::path& folder) {
  const RunFolder run(folder);
  const FinishedRun finished = read_finished_run(run);
  const RunConfig& config = finished.config;
  RunFacts facts{.folder = folder,
                 .encoding = config.model.encoding,
                 .logit_scale = config.model.logit_scale,
                 .seed = config.seed,
                 .gradient_variation = gradient_variation_of(finished.history, config.train),
                 .loss_area = loss_area_of(finished.history)};
  facts.test_accuracy = finished.result.test_accuracy;
  facts.converged = finished.result.converged;
  facts.loss_spikes = static_cast<double>(finished.result.loss_spikes.value_or(0));
  Session session(backend, config, {.training = false});
  facts.start = measure(session);
  run.check_model(config, "model.safetensors");
  session.model().load_parameters(run.load_model(session.model().layout(), "model.safetensors"));
  facts.end = measure(session);
  return facts;
}

SpectralFacts initial_facts(Backend& backend, const RunConfig& config) {
  Session session(backend, config, {.training = false});
  return measure(session);
}

double matching_logit_scale(Backend& backend, const RunConfig& config, const std::string& reference) {
  RunConfig own = config, other = config;
  own.model.logit_scale = other.model.logit_scale = 1.0;
  other.model.encoding = print(parse_encoding(reference));
  const double wanted = initial_facts(backend, complete(other)).product_norm;
  const double has = initial_facts(backend, complete(own)).product_norm;
  if (!(has > 0.0)) fail("the logits of {} are zero before training: no scale matches them", config.model.encoding);
  return wanted / has;
}

}  // namespace phasor
