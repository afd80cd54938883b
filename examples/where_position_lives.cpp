// Trains a small Transformer, takes its attention logits apart, and finds the heads that carry position.
//
//   where_position_lives [ENCODING] [FOLDER]        (default: rope, in runs/example; again: resumed)
#include <cstdio>
#include <exception>

#include "phasor/ablation/ablation_text.h"
#include "phasor/engine/devices.h"
#include "phasor/run/config_builder.h"
#include "phasor/run/evaluation_report.h"
#include "phasor/run/trained_model.h"
#include "phasor/spectrum/model_report.h"
#include "phasor/train/train_in_folder.h"

using namespace phasor;

int main(int argc, char** argv) try {
  // Any setting that 'phasor train --set' takes.
  ConfigBuilder settings;
  settings.add_set("task=distance");
  settings.add_set(std::string("model.encoding=") + (argc > 1 ? argv[1] : "rope"));
  for (const char* value : {"task.gap=8", "task.sides=4", "train.steps=400", "data.test=1024"}) settings.add_set(value);
  const RunConfig config = settings.build();
  const RunFolder folder(argc > 2 ? argv[2] : "runs/example");
  const std::unique_ptr<Backend> backend = make_backend();

  train_in_folder(*backend, config, folder, {.evaluation = [](const Metrics& at) {
                    std::fprintf(stderr, "step %d: test accuracy %.3f\n", int(at.step), at.test_accuracy);
                  }});

  Session session = open_trained_model(*backend, folder);
  std::puts(to_text(evaluate_sets(session)).c_str());

  Batch batch;
  for (int64_t i = 0; i < 32; ++i) session.data().test.append_to(batch, i);
  batch.finish();
  std::puts(model_report_text(report_model(session.model(), batch), "What the logits are made of").c_str());

  const auto ablation = ablate_run(session, folder.path(), "ablation", {.sweep = {.samples = 512}});
  std::puts(ablation_text(config, *ablation, {}).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
