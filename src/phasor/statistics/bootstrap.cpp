#include "phasor/statistics/bootstrap.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/statistics/resampling_stream.h"

namespace phasor::statistics {
namespace {

int64_t count_rows(std::span<const int64_t> blocks) {
  if (blocks.empty()) fail("a bootstrap needs at least one block of rows");
  int64_t rows = 0;
  for (const int64_t size : blocks) {
    if (size < 1) fail("every block of a bootstrap needs at least one row, got {}", size);
    rows += size;
  }
  if (rows > std::numeric_limits<uint32_t>::max()) fail("a bootstrap takes at most 2^32 - 1 rows, got {}", rows);
  return rows;
}

void draw_rows(std::span<const int64_t> blocks, const RandomStream& stream, std::span<uint32_t> rows) {
  Draws draws(stream);
  size_t next = 0;
  for (const int64_t size : blocks) {
    const auto first = static_cast<uint32_t>(next);
    const auto count = static_cast<uint32_t>(size);
    for (uint32_t i = 0; i < count; ++i) rows[next++] = first + draws.below(count);
  }
}

// Appends one influence per row to every statistic's resamples.
void add_influences(std::span<const int64_t> blocks, const RowStatistics& evaluate, std::span<const uint32_t> all,
                    std::vector<Resamples>& results) {
  std::vector<double> values(results.size());
  std::vector<std::vector<double>> without(results.size());
  std::vector<uint32_t> rest(all.begin() + 1, all.end());  // all rows but `row`
  size_t row = 0;
  for (const int64_t size : blocks) {
    for (auto& list : without) list.clear();
    for (int64_t i = 0; i < size; ++i, ++row) {
      if (row > 0) rest[row - 1] = static_cast<uint32_t>(row - 1);
      if (size == 1) continue;  // the block would be empty; it has no spread to influence anything with
      evaluate(rest, values);
      for (size_t s = 0; s < results.size(); ++s) without[s].push_back(values[s]);
    }
    for (size_t s = 0; s < results.size(); ++s) {
      const std::vector<double> influences = jackknife_influences(without[s]);
      results[s].influences.insert(results[s].influences.end(), influences.begin(), influences.end());
    }
  }
}

// Copies the drawn rows that belong to the sample; `first` is its first row.
void gather(Sample sample, std::span<const uint32_t> rows, size_t first, std::vector<double>& values) {
  values.clear();
  for (const uint32_t row : rows) {
    if (row >= first && row - first < sample.size()) values.push_back(sample[row - first]);
  }
}

}  // namespace

std::vector<BootstrapInterval> bootstrap_rows(std::span<const int64_t> blocks, size_t statistics,
                                              const RowStatistics& evaluate, const BootstrapOptions& options) {
  require_options(options);
  if (statistics == 0) fail("a bootstrap needs at least one statistic");
  const auto count = static_cast<size_t>(count_rows(blocks));
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0u);
  std::vector<double> values(statistics);
  evaluate(all, values);
  std::vector<Resamples> results(statistics);
  for (size_t s = 0; s < statistics; ++s) {
    results[s].estimate = values[s];
    results[s].units = static_cast<int64_t>(count);
    results[s].blocks = static_cast<int64_t>(blocks.size());
    results[s].values.reserve(static_cast<size_t>(options.resamples));
  }
  std::vector<uint32_t> rows(count);
  for (int64_t b = 0; b < options.resamples; ++b) {
    draw_rows(blocks, resampling_stream(options.seed, Drawn::rows, b), rows);
    evaluate(rows, values);
    for (size_t s = 0; s < statistics; ++s) results[s].values.push_back(values[s]);
  }
  if (options.method == BootstrapMethod::bca) add_influences(blocks, evaluate, all, results);
  std::vector<BootstrapInterval> intervals;
  intervals.reserve(statistics);
  for (Resamples& result : results) intervals.push_back(bootstrap_interval(std::move(result), options));
  return intervals;
}

BootstrapInterval bootstrap(Sample sample, const Statistic& statistic, const BootstrapOptions& options) {
  require_values(sample, "a bootstrap");
  std::vector<double> drawn;
  const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
    gather(sample, rows, 0, drawn);
    values[0] = statistic(drawn);
  };
  const std::vector<int64_t> blocks = {static_cast<int64_t>(sample.size())};
  return bootstrap_rows(blocks, 1, evaluate, options)[0];
}

BootstrapInterval bootstrap_paired(Sample x, Sample y, const PairedStatistic& statistic,
                                   const BootstrapOptions& options) {
  require_paired(x, y, "a paired bootstrap");
  std::vector<double> drawn_x;
  std::vector<double> drawn_y;
  const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
    gather(x, rows, 0, drawn_x);
    gather(y, rows, 0, drawn_y);
    values[0] = statistic(drawn_x, drawn_y);
  };
  const std::vector<int64_t> blocks = {static_cast<int64_t>(x.size())};
  return bootstrap_rows(blocks, 1, evaluate, options)[0];
}

BootstrapInterval bootstrap_two_samples(Sample x, Sample y, const PairedStatistic& statistic,
                                        const BootstrapOptions& options) {
  require_values(x, "a bootstrap of two samples");
  require_values(y, "a bootstrap of two samples");
  std::vector<double> drawn_x;
  std::vector<double> drawn_y;
  const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
    gather(x, rows, 0, drawn_x);
    gather(y, rows, x.size(), drawn_y);
    values[0] = statistic(drawn_x, drawn_y);
  };
  const std::vector<int64_t> blocks = {static_cast<int64_t>(x.size()), static_cast<int64_t>(y.size())};
  BootstrapInterval result = bootstrap_rows(blocks, 1, evaluate, options)[0];
  if (x.size() == 1 || y.size() == 1) {  // one of the two has unknown spread, and so has any comparison
    result.low = -std::numeric_limits<double>::infinity();
    result.high = std::numeric_limits<double>::infinity();
    result.degenerate = true;
  }
  return result;
}

}  // namespace phasor::statistics
