#include "phasor/run/run_cost.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/base/threads.h"
#include "phasor/model/transformer.h"
#include "phasor/task/task.h"

namespace phasor {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kFlopsPerCore = 2e11;  // more than any core does
constexpr double kYear = 365.0 * 86400.0;

// Beyond this, sizes are too large to be counted exactly, and any answer is the same.
constexpr double kAbsurd = 1e14;

double parameters_of(const ModelConfig& model) {
  const auto width = static_cast<double>(model.width), layers = static_cast<double>(model.layers);
  return width * static_cast<double>(model.vocabulary + model.classes) +
         layers * width * (4.0 * width + 2.0 * static_cast<double>(model.hidden));
}

double roughly(const RunConfig& config, double tokens) {
  const ModelConfig& model = config.model;
  const double per_token = static_cast<double>(model.layers) *
                           (8.0 * static_cast<double>(model.width) + 2.0 * static_cast<double>(model.hidden));
  return 4.0 * (4.0 * parameters_of(model) + tokens * per_token);
}

double model_bytes(const RunConfig& config, double tokens) {
  const double rough = roughly(config, tokens);
  if (!(rough < kAbsurd)) return rough;
  const ResolvedEncoding encoding = resolve_encoding(config.model);
  const TransformerOptions options{
      .capacity = {.tokens = config.train.batch * config.model.max_length, .sequences = config.train.batch},
      .precision = config.train.precision};
  const auto arena = static_cast<double>(Transformer::bytes_needed(config.model, encoding, options));
  // Two moments on the device; on the host a copy of all three while a state is written.
  const auto parameters = static_cast<double>(ParameterLayout(config.model, encoding).count());
  return arena + 5.0 * sizeof(float) * parameters;
}

// A line of /proc or /sys that holds a number.
double number_in(const char* path, const char* key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    if (*key != '\0' && word != key) continue;
    double value = 0.0;
    if (*key == '\0') {
      return word == "max" ? std::numeric_limits<double>::infinity() : std::stod(word);
    }
    if (file >> value) return value;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

RunCost run_cost(const RunConfig& config) {
  const double tokens = static_cast<double>(config.train.batch) * static_cast<double>(config.model.max_length);
  const double samples = static_cast<double>(config.data.train_samples) +
                         static_cast<double>(config.data.test_samples) +
                         static_cast<double>(config.data.validation_samples);
  // Tokens and targets, in vectors that grow by doubling; offsets, places, and the index that keeps samples distinct.
  constexpr double kPerSample = 64.0, kPerToken = 1.5 * sizeof(int32_t);
  return {.model_bytes = model_bytes(config, tokens),
          .data_bytes = samples * (kPerSample + kPerToken * static_cast<double>(config.model.max_length)),
          .flops = 6.0 * parameters_of(config.model) * tokens * static_cast<double>(config.train.steps)};
}

double available_bytes() {
  double bytes = 1024.0 * number_in("/proc/meminfo", "MemTotal:");
  bytes = std::min(bytes, number_in("/sys/fs/cgroup/memory.max", ""));
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    // Libraries, and a buffer of OpenBLAS for every thread, for which it waits for ever.
    constexpr double kLibraries = 128e6, kBuffer = 140e6;
    const double rest =
        static_cast<double>(limit.rlim_cur) - kLibraries - kBuffer * static_cast<double>(thread_count());
    bytes = std::min(bytes, std::max(0.0, rest));
  }
  return bytes;
}

void require_affordable(const RunCost& cost, int64_t runs, int64_t threads, const std::string& advice) {
  const double needed = static_cast<double>(runs) * cost.bytes(), available = available_bytes();
  if (needed > available) {
    fail("{} about {:.3g} GB of memory ({:.3g} for the model, {:.3g} for the data{}); there are {:.3g}; {}",
         runs == 1 ? "this needs" : "these settings need", needed / kGigabyte,
         static_cast<double>(runs) * cost.model_bytes / kGigabyte,
         static_cast<double>(runs) * cost.data_bytes / kGigabyte,
         runs == 1 ? "" : fmt::format(", {} runs at once", runs), available / kGigabyte, advice);
  }
  const double years = cost.flops / (kFlopsPerCore * static_cast<double>(std::max<int64_t>(1, threads))) / kYear;
  if (years > 1.0) fail("this takes at least {:.3g} years on {} threads; {}", years, threads, advice);
}

}  // namespace phasor
