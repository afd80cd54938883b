#include "phasor/study/summary/learned_numbers.h"

#include <algorithm>

#include "phasor/base/json_fields.h"
#include "phasor/base/special_numbers.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

// Every number of the tensor over the runs; `r` is the run that the tensor is of.
struct NumberValues {
  std::string name;
  std::optional<int64_t> layer, head;
  std::vector<double> start, end;
};

NumberValues& values_of(std::vector<NumberValues>& all, const NumberValues& place, size_t runs) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const NumberValues& other) {
    return other.name == place.name && other.layer == place.layer && other.head == place.head;
  });
  if (found != all.end()) return *found;
  NumberValues& added = all.emplace_back(place);
  added.start.assign(runs, kNaN);
  added.end.assign(runs, kNaN);
  return added;
}

void add_numbers(const LearnedTensor& tensor, size_t run, size_t runs, std::vector<NumberValues>& all) {
  for (size_t row = 0; row < tensor.rows(); ++row) {
    for (size_t column = 0; column < tensor.columns(); ++column) {
      NumberValues place{
          .name = number_name(tensor, column), .layer = tensor.layer, .head = {}, .start = {}, .end = {}};
      if (!tensor.heads.empty()) place.head = tensor.heads[row];
      NumberValues& values = values_of(all, place, runs);
      const size_t at = row * tensor.columns() + column;
      values.start[run] = tensor.start[at];
      if (!tensor.end.empty()) values.end[run] = tensor.end[at];
    }
  }
}

void add_table(const LearnedTensor& tensor, std::vector<LeftOutTable>& tables) {
  for (LeftOutTable& table : tables) {
    if (table.name != tensor.label || table.shape != tensor.shape) continue;
    ++table.tensors;
    return;
  }
  tables.push_back({.name = tensor.label, .shape = tensor.shape, .tensors = 1});
}

}  // namespace

LearnedSummary learned_summary(const std::vector<RunRecord>& runs) {
  std::vector<NumberValues> all;
  LearnedSummary summary;
  bool first = true;  // run that has any: tables are counted once
  for (size_t r = 0; r < runs.size(); ++r) {
    for (const LearnedTensor& tensor : runs[r].learned) {
      if (has_named_numbers(tensor)) {
        add_numbers(tensor, r, runs.size(), all);
      } else if (first) {
        add_table(tensor, summary.tables);
      }
    }
    first = first && runs[r].learned.empty();
  }
  for (NumberValues& values : all) {
    summary.numbers.push_back({.name = values.name,
                               .layer = values.layer,
                               .head = values.head,
                               .start = seed_interval(std::move(values.start)),
                               .end = seed_interval(std::move(values.end))});
  }
  return summary;
}

static const Fields<LearnedNumber>& json_fields(const LearnedNumber*) {
  using N = LearnedNumber;
  static const Fields<N> fields = {field("name", &N::name, "of the tensor, and which of its numbers"),
                                   field("layer", &N::layer, "null: all layers share it"),
                                   field("head", &N::head, "null: all heads share it"),
                                   field("start", &N::start, "as training started"), field("end", &N::end, "trained")};
  return fields;
}

static const Fields<LeftOutTable>& json_fields(const LeftOutTable*) {
  using T = LeftOutTable;
  static const Fields<T> fields = {field("name", &T::name, "of the tensor"), field("shape", &T::shape, "of the tensor"),
                                   field("tensors", &T::tensors, "of that name, one per layer")};
  return fields;
}

const Fields<LearnedSummary>& json_fields(const LearnedSummary*) {
  using L = LearnedSummary;
  static const Fields<L> fields = {
      field("numbers", &L::numbers, "of tensors with up to 16 numbers per head, or for all heads"),
      field("tables", &L::tables, "larger ones, whose numbers are left out: `phasor encodings RUN` has them")};
  return fields;
}

}  // namespace phasor
