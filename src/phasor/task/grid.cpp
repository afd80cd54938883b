// Displacement on a grid: how far along each of its axes the second marker lies from the first.
#include <fmt/ranges.h>

#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/task/entries.h"

namespace phasor {
namespace {

constexpr int32_t kFirstMarker = 0;
constexpr int32_t kSecondMarker = 1;
constexpr int32_t kMarkers = 2;  // fillers are the words from here on, so that no sample is ambiguous

// Cells of fillers along any number of axes, the last of which runs fastest, with one cell of each marker. The class is
// the displacement from the first marker to the second: its parts along the axes are the digits, first axis first.
class GridTask final : public Task {
 public:
  GridTask(const char* name, const TaskValues& values)
      : name_(name), vocabulary_(static_cast<int32_t>(values[0])), extents_(values.begin() + 1, values.end()) {}

  TaskShape shape() const override {
    int64_t classes = 1;
    for (const int64_t extent : extents_) classes *= 2 * extent - 1;
    return {.vocabulary = vocabulary_,
            .classes = classes,
            .max_length = cells(),
            .readout = Readout::mean,
            .grid = extents_,
            .words = {{"markers", 0, kMarkers - 1}, {"fillers", kMarkers, vocabulary_ - 1}}};
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
    const std::vector<int64_t> from = coordinates(first), to = coordinates(second);
    std::vector<int64_t> steps(extents_.size());
    for (size_t a = 0; a < steps.size(); ++a) steps[a] = to[a] - from[a];
    sample.targets = {class_of(steps)};
    return sample;
  }

  // Walks from cell to cell and counts along, so that no cell's coordinates are computed from its number.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    std::vector<int64_t> steps(extents_.size()), here(extents_.size());
    int found = 0;
    for (int64_t cell = 0; cell < cells(); ++cell) {
      const int32_t token = tokens.at(static_cast<size_t>(cell));
      if (token < kMarkers) {
        ++found;
        for (size_t a = 0; a < steps.size(); ++a) steps[a] += token == kSecondMarker ? here[a] : -here[a];
      }
      for (size_t a = here.size(); a-- > 0;) {
        if (++here[a] < extents_[a]) break;
        here[a] = 0;
      }
    }
    if (found != kMarkers) fail("{}: the {} tokens hold {} markers, not {}", name_, tokens.size(), found, kMarkers);
    return {class_of(steps)};
  }

  std::unique_ptr<Task> longer(int64_t) const override {
    fail_usage(
        "{}: a larger grid than {} has displacements without a class, so that there are no longer samples with the "
        "same answers",
        name_, fmt::join(extents_, " x "));
  }

 private:
  int64_t cells() const {
    int64_t count = 1;
    for (const int64_t extent : extents_) count *= extent;
    return count;
  }

  std::vector<int64_t> coordinates(int64_t cell) const {
    std::vector<int64_t> result(extents_.size());
    for (size_t a = extents_.size(); a-- > 0;) {
      result[a] = cell % extents_[a];
      cell /= extents_[a];
    }
    return result;
  }

  int32_t class_of(const std::vector<int64_t>& steps) const {
    int64_t number = 0;
    for (size_t a = 0; a < steps.size(); ++a) number = number * (2 * extents_[a] - 1) + steps[a] + extents_[a] - 1;
    return static_cast<int32_t>(number);
  }

  const char* name_;
  int32_t vocabulary_;
  std::vector<int64_t> extents_;
};

TaskOption words_option() {
  return {.name = "vocabulary",
          .help = "words, the two markers included",
          .quick = 64,
          .paper = 574,
          .least = 3,
          .most = 65536};
}

}  // namespace

TaskEntry grid_task() {
  return {
      .name = "grid",
      .summary = "how far down and to the right of one marker another stands, in a grid of fillers",
      .options = {words_option(),
                  {.name = "rows", .help = "of the grid", .quick = 6, .paper = 11, .least = 2, .most = 256},
                  {.name = "columns", .help = "of the grid", .quick = 6, .paper = 11, .least = 2, .most = 256}},
      .notes =
          "What and where in two dimensions. Along the tokens' index the displacement is down * columns + right, which "
          "is the same for one to the right and for one down and columns - 1 to the left. So an encoding of the index "
          "has to tell where the tokens stand and not only how far apart; with two axes, as `rope(axes=2)`, each part "
          "of "
          "the answer is a distance along one of them. All sequences have one length; a "
          "bag of tokens is left with the commonest displacement.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> {
        return std::make_unique<GridTask>("grid", values);
      },
  };
}

TaskEntry grid3_task() {
  return {
      .name = "grid3",
      .summary = "the same in a grid of three axes: how many planes, rows and columns lie between two markers",
      .options = {words_option(),
                  {.name = "planes", .help = "of the grid", .quick = 3, .paper = 5, .least = 2, .most = 32},
                  {.name = "rows", .help = "of a plane", .quick = 3, .paper = 5, .least = 2, .most = 32},
                  {.name = "columns", .help = "of a plane", .quick = 3, .paper = 5, .least = 2, .most = 32}},
      .notes =
          "What and where in three dimensions, plane by plane and row by row. The answer has three parts, each a "
          "distance along one axis; along the tokens' index they are one number, (planes * rows + down) * columns + "
          "right. `rope(axes=3)` has an axis for each, for which a head needs channel pairs that three axes can share "
          "evenly. All sequences have one length; a bag of tokens is left with the commonest displacement.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> {
        return std::make_unique<GridTask>("grid3", values);
      },
  };
}

}  // namespace phasor
