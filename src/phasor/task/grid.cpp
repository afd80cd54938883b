// Displacement on a grid: how far down and to the right the second marker lies from the first.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/task/entries.h"

namespace phasor {
namespace {

constexpr int32_t kFirstMarker = 0;
constexpr int32_t kSecondMarker = 1;
constexpr int32_t kMarkers = 2;  // fillers are the words from here on, so that no sample is ambiguous

// A grid of fillers, row by row, with one cell of each marker; class = (down, right) from the first to the second.
class GridTask final : public Task {
 public:
  explicit GridTask(const TaskValues& values)
      : vocabulary_(static_cast<int32_t>(values[0])),
        rows_(static_cast<int32_t>(values[1])),
        columns_(static_cast<int32_t>(values[2])) {}

  TaskShape shape() const override {
    return {.vocabulary = vocabulary_,
            .classes = (int64_t{2} * rows_ - 1) * (int64_t{2} * columns_ - 1),
            .max_length = cells(),
            .readout = Readout::mean,
            .grid = {rows_, columns_}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const auto count = static_cast<uint32_t>(cells());
    const auto first = static_cast<int32_t>(draws.below(count));
    // Any other cell: the numbers from the first marker's on move up by one.
    const auto other = static_cast<int32_t>(draws.below(count - 1));
    const int32_t second = other < first ? other : other + 1;
    Sample sample;
    for (int32_t cell = 0; cell < static_cast<int32_t>(count); ++cell) {
      sample.tokens.push_back(kMarkers +
                              static_cast<int32_t>(draws.below(static_cast<uint32_t>(vocabulary_ - kMarkers))));
    }
    sample.tokens[static_cast<size_t>(first)] = kFirstMarker;
    sample.tokens[static_cast<size_t>(second)] = kSecondMarker;
    sample.targets = {displacement(second / columns_ - first / columns_, second % columns_ - first % columns_)};
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    int32_t down = 0, right = 0;
    int found = 0;
    for (int32_t row = 0; row < rows_; ++row) {
      for (int32_t column = 0; column < columns_; ++column) {
        const int32_t token =
            tokens.at(static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column));
        if (token >= kMarkers) continue;
        ++found;
        down += token == kSecondMarker ? row : -row;
        right += token == kSecondMarker ? column : -column;
      }
    }
    if (found != kMarkers) fail("grid: the {} tokens hold {} markers, not {}", tokens.size(), found, kMarkers);
    return {displacement(down, right)};
  }

  std::unique_ptr<Task> longer(int64_t) const override {
    fail_usage(
        "grid: a larger grid than {} x {} has displacements without a class, so that there are no longer samples with "
        "the same answers",
        rows_, columns_);
  }

 private:
  int64_t cells() const { return int64_t{rows_} * columns_; }
  int32_t displacement(int32_t down, int32_t right) const {
    return (down + rows_ - 1) * (2 * columns_ - 1) + right + columns_ - 1;
  }

  int32_t vocabulary_;
  int32_t rows_;
  int32_t columns_;
};

}  // namespace

TaskEntry grid_task() {
  return {
      .name = "grid",
      .summary = "how far down and to the right of one marker another stands, in a grid of fillers",
      .options = {{.name = "vocabulary",
                   .help = "words, the two markers included",
                   .quick = 64,
                   .paper = 574,
                   .least = 3,
                   .most = 65536},
                  {.name = "rows", .help = "of the grid", .quick = 6, .paper = 11, .least = 2, .most = 256},
                  {.name = "columns", .help = "of the grid", .quick = 6, .paper = 11, .least = 2, .most = 256}},
      .notes =
          "What and where in two dimensions. Along the tokens' index the displacement is down * columns + right, which "
          "is the same for one to the right and for one down and columns - 1 to the left. So an encoding of the index "
          "has to tell where the tokens stand and not only how far apart; with two axes, as `rope(axes=2)`, each part "
          "of "
          "the answer is a distance along one of them. All sequences have one length; a "
          "bag of tokens is left with the commonest displacement.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<GridTask>(values); },
  };
}

}  // namespace phasor
