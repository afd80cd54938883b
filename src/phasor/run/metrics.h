#pragma once
// What a run measures as it goes (one line of metrics.jsonl each) and what it comes to.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/config.h"
#include "phasor/run/evaluation.h"
#include "phasor/run/loss_spikes.h"
#include "phasor/task/floors.h"

namespace phasor {

// One evaluation. Nothing in it depends on the clock: a resumed run writes the same bytes.
struct Metrics {
  int64_t step = 0;
  int64_t tokens = 0;          // trained on so far
  double learning_rate = 0.0;  // of the last update
  double gradient_norm = 0.0;  // of the last update, before clipping
  double batch_loss = 0.0;     // of the last update's batch, with dropout
  double train_loss = 0.0;
  double train_accuracy = 0.0;
  double test_loss = 0.0;
  double test_accuracy = 0.0;
  std::optional<double> test_whole;  // share of whole answers, where every token is read
};

const Fields<Metrics>& json_fields(const Metrics*);
std::string to_json_line(const Metrics& metrics);
// Throws FormatError that starts with `source`.
Metrics parse_metrics(std::string_view line, std::string_view source);

// A file of lines as it was when the result was made.
struct StoredLines {
  int64_t lines = 0;
  std::string hash;
};

struct RunResult {
  int64_t parameters = 0;
  Metrics last;
  Scores test;                       // on the whole test set
  double full_train_accuracy = 0.0;  // on the whole training set
  double full_train_loss = 0.0;      // likewise
  std::optional<Scores> validation;  // where there is a validation set
  TaskFloors floors;
  std::optional<int64_t> steps_to_90;  // first evaluation with test accuracy of at least 0.9
  bool converged = false;
  LossSpikes spikes;
  double seconds = 0.0;  // all sittings together
  std::string device;
  std::map<std::string, StoredLines> lines;  // of metrics.jsonl, and of telemetry.jsonl where there is one
};

std::optional<int64_t> steps_to_accuracy(const std::vector<Metrics>& history, double accuracy);

// A run has converged when, over the last tenth of its steps, test accuracy did not rise by more than half a point and
// test loss did not fall by more than 0.01. Fewer than ten evaluations cannot tell.
bool has_converged(const std::vector<Metrics>& history);

}  // namespace phasor
