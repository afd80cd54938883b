#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/text_table.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/run/trained_card.h"

namespace phasor {
namespace {

constexpr size_t kCardWidth = 100;
constexpr size_t kMostKernels = 4;

std::string bound_text(const LearnedTensor& tensor, double value) {
  if (value == static_cast<double>(static_cast<float>(tensor.least))) return " (its least)";
  if (value == static_cast<double>(static_cast<float>(tensor.most))) return " (its most)";
  return "";
}

// A row per number.
void add_numbers(const LearnedTensor& tensor, TextTable& table) {
  for (size_t r = 0; r < tensor.rows(); ++r) {
    for (size_t c = 0; c < tensor.columns(); ++c) {
      const size_t at = r * tensor.columns() + c;
      const double start = tensor.start[at];
      std::vector<std::string> row = {number_name(tensor, c),
                                      tensor.layer ? fmt::format("{}", *tensor.layer) : "all",
                                      tensor.heads.empty() ? "all" : fmt::format("{}", tensor.heads[r]),
                                      fmt::format("{:.5g}", start),
                                      "not kept",
                                      ""};
      if (!tensor.end.empty()) {
        const double end = tensor.end[at];
        row[4] = fmt::format("{:.5g}{}", end, bound_text(tensor, end));
        row[5] = fmt::format("{:+.3g}", end - start);
      }
      table.rows.push_back(std::move(row));
    }
  }
}

std::string range_text(std::vector<double>::const_iterator first, std::vector<double>::const_iterator last) {
  const auto [least, most] = std::minmax_element(first, last);
  return *least == *most ? fmt::format("{:.4g}", *least) : fmt::format("{:.4g}..{:.4g}", *least, *most);
}

// A row per head, or one.
void add_ranges(const LearnedTensor& tensor, TextTable& table) {
  const auto columns = static_cast<std::ptrdiff_t>(tensor.columns());
  for (size_t r = 0; r < tensor.rows(); ++r) {
    const auto begin = static_cast<std::ptrdiff_t>(r) * columns;
    std::vector<std::string> row = {fmt::format("{} ({} numbers)", tensor.label, columns),
                                    tensor.layer ? fmt::format("{}", *tensor.layer) : "all",
                                    tensor.heads.empty() ? "all" : fmt::format("{}", tensor.heads[r]),
                                    range_text(tensor.start.begin() + begin, tensor.start.begin() + begin + columns),
                                    "not kept",
                                    ""};
    if (!tensor.end.empty()) {
      row[4] = range_text(tensor.end.begin() + begin, tensor.end.begin() + begin + columns);
      double square = 0.0;
      for (std::ptrdiff_t c = begin; c < begin + columns; ++c) {
        const double change = tensor.end[static_cast<size_t>(c)] - tensor.start[static_cast<size_t>(c)];
        square += change * change;
      }
      row[5] = fmt::format("rms {:.3g}", std::sqrt(square / static_cast<double>(columns)));
    }
    table.rows.push_back(std::move(row));
  }
}

std::string numbers_text(const TrainedCard& card, bool all) {
  TextTable table{.titles = {"number", "layer", "head", "start", "end", "change"}};
  bool ranges = false;
  for (const LearnedTensor& tensor : card.learned) {
    const bool named = all || has_named_numbers(tensor);
    ranges = ranges || !named;
    named ? add_numbers(tensor, table) : add_ranges(tensor, table);
  }
  std::string text = to_text(table, TableFormat::terminal);
  if (ranges) text += "Tables are shown by their range, and the root mean square of the changes: --all, --json.\n";
  return text;
}

std::string layers_text(const TrainedKernel& kernel) {
  if (kernel.layers.size() < 2) return "";
  return fmt::format(" (the same in layers {})", fmt::join(kernel.layers, ", "));
}

std::string kernel_texts(const TrainedKernel& kernel, bool ascii) {
  const std::string layers = layers_text(kernel);
  if (kernel.start.curves.size() == 1 && kernel.end.curves.size() == 1) {
    return kernel_text(kernel.end, {.when = layers + ", trained", .ascii = ascii, .before = &kernel.start});
  }
  return kernel_text(kernel.start, {.when = layers + ", as training started", .ascii = ascii}) +
         kernel_text(kernel.end, {.when = layers + ", trained", .ascii = ascii});
}

}  // namespace

std::string trained_card_text(const TrainedCard& card, const TrainedCardText& form) {
  std::string text = fmt::format("{}\n", card.expression);
  text += fmt::format("{}\n\n", wrapped(fmt::format("trained on {}, seed {}, at step {} ({})", card.task, card.seed,
                                                    card.step, card.folder),
                                        kCardWidth));
  text += terms_text(parse_encoding(card.expression));
  if (card.learned.empty()) {
    return text + "\nIt learns no numbers of its own: its card is that of the expression.\n";
  }
  size_t count = 0;
  for (const LearnedTensor& tensor : card.learned) count += tensor.start.size();
  text += fmt::format("\nLearned: {} number{} in {} tensor{}\n", count, count == 1 ? "" : "s", card.learned.size(),
                      card.learned.size() == 1 ? "" : "s");
  text += numbers_text(card, form.all);
  if (!card.rotary_pairs.empty()) {
    text += rotary_pairs_text(card.rotary_pairs.front(), card.encoding, ", trained");
    const size_t more = card.rotary_pairs.size() - 1;
    if (more > 0)
      text += fmt::format("  {} other table{}, of other layers and heads: --json\n", more, more == 1 ? "" : "s");
  }
  const size_t shown = form.all ? card.kernels.size() : std::min(kMostKernels, card.kernels.size());
  for (size_t k = 0; k < shown; ++k) text += kernel_texts(card.kernels[k], form.ascii);
  if (shown < card.kernels.size()) {
    text += fmt::format("\nKernels of other layers: {}. --all and --json have them.\n", card.kernels.size() - shown);
  }
  if (!card.left_out.empty()) text += fmt::format("\n{}\n", wrapped(card.left_out, kCardWidth));
  return text;
}

}  // namespace phasor
