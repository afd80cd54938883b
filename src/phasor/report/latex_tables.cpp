#include "phasor/report/latex_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "phasor/report/latex_text.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor {
namespace {

constexpr size_t kMostTasks = 3;     // columns of accuracies that a page is wide enough for
constexpr size_t kLongestName = 24;  // characters; longer ones are broken into lines
constexpr size_t kMostRows = 14;     // of claims, that a page is high enough for
constexpr const char* kNarrow = "p{0.36\\linewidth}";

// "tab:demo-accuracy", with a number behind the second table of its kind.
std::string table_label(const std::string& key, const char* what, size_t number) {
  return fmt::format("tab:{}-{}{}", key, what, number == 0 ? "" : fmt::format("-{}", number + 1));
}

std::string row_name(const CellName& cell) {
  const std::string code = latex_code(encoding_label(cell));
  return cell.variant.empty() ? code : fmt::format("{}, {}", code, latex_text(cell.variant));
}

bool is_long(const CellName& cell) { return encoding_label(cell).size() + cell.variant.size() > kLongestName; }

template <class T>
void add_new(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

struct Marks {
  bool unconverged = false, failed = false, missing = false;

  std::string text() const {
    std::string sentences;
    if (unconverged) sentences += " $^{*}$: some of these runs have not converged; they count like all others.";
    if (failed) sentences += " $^{!}$: some failed.";
    if (missing) sentences += " $^{?}$: some are not finished.";
    return sentences;
  }
};

std::string accuracy_cell(const CellSummary& cell, Marks& marks) {
  const SeedInterval& accuracy = cell.numbers.test_accuracy;
  std::string text = "--";
  if (accuracy.count > 0) text = fmt::format("{:.1f}", 100.0 * accuracy.mean);
  if (accuracy.count > 0 && accuracy.degenerate) {
    text += " (all equal)";
  } else if (accuracy.low) {
    text += fmt::format(" ({:.1f}--{:.1f})", 100.0 * *accuracy.low, 100.0 * *accuracy.high);
  }
  std::string signs;
  if (!cell.unconverged.empty()) signs += '*';
  if (!cell.failed.empty()) signs += '!';
  if (std::ssize(cell.runs) + std::ssize(cell.failed) < cell.planned) signs += '?';
  marks.unconverged = marks.unconverged || signs.find('*') != std::string::npos;
  marks.failed = marks.failed || signs.find('!') != std::string::npos;
  marks.missing = marks.missing || signs.find('?') != std::string::npos;
  return signs.empty() ? text : fmt::format("{}$^{{{}}}$", text, signs);
}

std::string seeds_text(const std::vector<const CellSummary*>& cells) {
  int64_t least = 0, most = 0;
  for (const CellSummary* cell : cells) {
    const int64_t count = cell->numbers.test_accuracy.count;
    if (count == 0) continue;
    least = least == 0 ? count : std::min(least, count);
    most = std::max(most, count);
  }
  if (most == 0) return "no run has finished";
  if (most == 1) return "one seed each, so without intervals";
  const std::string count = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  return fmt::format("means over {} seeds, with 95\\,\\% intervals by Student's $t$ in parentheses", count);
}

// Of one protocol and a few of its tasks.
std::string accuracy_table(const std::vector<const CellSummary*>& cells, const std::string& protocol,
                           const std::vector<std::string>& tasks, const std::string& label) {
  LatexTable table{.caption = {}, .label = label, .columns = "l", .titles = {"encoding"}, .rows = {}};
  std::vector<std::pair<std::string, std::string>> names;  // encoding and variant
  std::vector<const CellSummary*> shown;
  for (const CellSummary* cell : cells) {
    if (std::find(tasks.begin(), tasks.end(), cell->cell.task) == tasks.end()) continue;
    add_new(names, {cell->cell.encoding, cell->cell.variant});
    shown.push_back(cell);
    if (is_long(cell->cell)) table.columns = kNarrow;
  }
  const bool narrow = table.columns != "l";
  for (const std::string& task : tasks) {
    table.titles.push_back(latex_text(task));
    table.columns += 'l';
  }
  Marks marks;
  for (const auto& [encoding, variant] : names) {
    std::vector<std::string> row(1 + tasks.size(), "");
    for (const CellSummary* cell : shown) {
      if (cell->cell.encoding != encoding || cell->cell.variant != variant) continue;
      row[0] = (narrow ? "\\raggedright " : "") + row_name(cell->cell);
      const auto task = std::find(tasks.begin(), tasks.end(), cell->cell.task);
      row[static_cast<size_t>(1 + (task - tasks.begin()))] = accuracy_cell(*cell, marks);
    }
    table.rows.push_back(std::move(row));
  }
  table.caption = fmt::format("Test accuracy in \\% under the protocol {}: {}.{}", latex_code(protocol),
                              seeds_text(shown), marks.text());
  return to_latex(table);
}

std::string accuracy_tables(const StudySummary& summary, const std::string& key) {
  std::vector<std::string> protocols;
  for (const CellSummary& cell : summary.cells) add_new(protocols, cell.cell.protocol);
  std::string text;
  size_t number = 0;
  for (const std::string& protocol : protocols) {
    std::vector<const CellSummary*> cells;
    std::vector<std::string> tasks;
    for (const CellSummary& cell : summary.cells) {
      if (cell.cell.protocol != protocol) continue;
      cells.push_back(&cell);
      add_new(tasks, cell.cell.task);
    }
    for (size_t at = 0; at < tasks.size(); at += kMostTasks) {
      const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(at);
      const std::vector<std::string> some(begin,
                                          begin + static_cast<std::ptrdiff_t>(std::min(kMostTasks, tasks.size() - at)));
      text += "\n" + accuracy_table(cells, protocol, some, table_label(key, "accuracy", number++));
    }
  }
  return text;
}

// What names stand for, once.
std::string names_table(const StudySummary& summary, const std::string& key) {
  LatexTable table{.caption = "Names and short forms, and what they stand for.",
                   .label = table_label(key, "names", 0),
                   .columns = "p{0.3\\linewidth}p{0.62\\linewidth}",
                   .titles = {"name", "expression"},
                   .rows = {}};
  for (const CellSummary& cell : summary.cells) {
    if (cell.cell.label.empty() || cell.cell.label == cell.cell.encoding) continue;
    add_new(table.rows, {"\\raggedright " + latex_code(cell.cell.label), latex_code(cell.cell.encoding)});
  }
  return table.rows.empty() ? "" : "\n" + to_latex(table);
}

// "\texttt{rope} $-$ \texttt{nope} on distance: test accuracy"
std::string compared_text(const Comparison& comparison, bool several_protocols) {
  const CellName &first = comparison.first.cell, &second = comparison.second.cell;
  const auto place = [&](const CellName& cell) {
    std::string text = latex_text(cell.task);
    if (several_protocols) text += ", " + latex_text(cell.protocol);
    return cell.variant.empty() ? text : text + ", " + latex_text(cell.variant);
  };
  const std::string number = latex_text(title(comparison.number));
  const std::string names[] = {latex_code(encoding_label(first)), latex_code(encoding_label(second))};
  if (place(first) == place(second)) {
    return fmt::format("{} $-$ {} on {}: {}", names[0], names[1], place(first), number);
  }
  return fmt::format("{} on {} $-$ {} on {}: {}", names[0], place(first), names[1], place(second), number);
}

std::string comparison_tables(const StudySummary& summary, const std::string& key) {
  constexpr size_t kMost = 10;  // rows, that a page is high enough for
  const bool several_protocols = std::any_of(summary.cells.begin(), summary.cells.end(), [&](const CellSummary& cell) {
    return cell.cell.protocol != summary.cells.front().cell.protocol;
  });
  std::vector<std::vector<std::string>> rows;
  for (const Comparison& comparison : summary.comparisons) {
    const TextTable found = comparisons_table({comparison});
    if (found.rows.empty()) continue;
    const auto cell = [&](size_t column) {
      const std::string& text = found.rows.front()[column];
      return text == "-" ? "--" : latex_numbers(text);
    };
    rows.push_back({"\\raggedright " + compared_text(comparison, several_protocols), "\\raggedright " + cell(1),
                    "\\raggedright " + cell(2), cell(3)});
  }
  std::string text;
  for (size_t at = 0; at < rows.size(); at += kMost) {
    const std::string caption =
        at > 0 ? "Comparisons (continued)."
               : "Comparisons of all finished runs. The 95\\,\\% interval decides: \\emph{of interest} if it lies "
                 "wholly beyond "
                 "the margin (1 point of accuracy), \\emph{no difference of interest} if within it, "
                 "\\emph{significant} if "
                 "it excludes 0. Holm $p$: for those who would count any one of a family of comparisons.";
    LatexTable table{.caption = caption,
                     .label = table_label(key, "comparisons", at / kMost),
                     .columns = "p{0.4\\linewidth}p{0.24\\linewidth}p{0.14\\linewidth}l",
                     .titles = {"first $-$ second", "difference (95\\,\\%)", "reading", "Holm $p$"},
                     .rows = {}};
    for (size_t r = at; r < std::min(rows.size(), at + kMost); ++r) table.rows.push_back(rows[r]);
    text += "\n" + to_latex(table);
  }
  return text;
}

std::string claim_marks(const paper::JudgedClaim& claim) {
  if (!claim.post_hoc && !claim.extension) return "";
  return fmt::format("$^{{{}{}}}$", claim.post_hoc ? "\\dagger" : "", claim.extension ? "\\ddagger" : "");
}

// A page high each. What the study did not ask is counted, not listed.
std::string claim_tables(const std::vector<paper::JudgedClaim>& judged, const std::string& key) {
  std::vector<std::string> ids, protocols;
  size_t unasked = 0;
  for (const paper::JudgedClaim& claim : judged) {
    if (claim.unasked) {
      ++unasked;
      continue;
    }
    add_new(ids, claim.id);
    add_new(protocols, claim.protocol);
  }
  bool post_hoc = false, extension = false;
  std::vector<std::vector<std::string>> rows;
  for (const std::string& id : ids) {
    std::vector<std::string> row = {"\\raggedright " + latex_text(paper::claim(id).claim)};
    for (const std::string& protocol : protocols) {
      const auto found = std::find_if(judged.begin(), judged.end(), [&](const paper::JudgedClaim& claim) {
        return claim.id == id && claim.protocol == protocol && !claim.unasked;
      });
      if (found == judged.end()) {
        row.emplace_back("--");
        continue;
      }
      row.push_back(latex_text(name(found->verdict)) + claim_marks(*found));
      post_hoc = post_hoc || found->post_hoc;
      extension = extension || found->extension;
    }
    rows.push_back(std::move(row));
  }
  std::string text;
  for (size_t at = 0; at < rows.size(); at += kMostRows) {
    LatexTable table{
        .caption = fmt::format("Claims of arXiv 2505.13027 and what this study says to them{}.{}{}{}",
                               at == 0 ? "" : " (continued)", post_hoc ? " $^{\\dagger}$: judged post hoc." : "",
                               extension ? " $^{\\ddagger}$: extension, it would read otherwise without runs that were "
                                           "added to the study later."
                                         : "",
                               unasked == 0 ? ""
                                            : fmt::format(" {} verdict{} for which it lacks runs {} left out.", unasked,
                                                          unasked == 1 ? "" : "s", unasked == 1 ? "is" : "are")),
        .label = table_label(key, "claims", at / kMostRows),
        .columns = "p{0.62\\linewidth}" + std::string(protocols.size(), 'l'),
        .titles = {"claim"},
        .rows = {}};
    for (const std::string& protocol : protocols) {
      table.titles.push_back(protocol == paper::kAnyProtocol ? "without runs" : latex_text(protocol));
    }
    for (size_t r = at; r < std::min(rows.size(), at + kMostRows); ++r) table.rows.push_back(rows[r]);
    text += "\n" + to_latex(table);
  }
  return text;
}

}  // namespace

std::string latex_tables(const StudyReport& report) {
  const std::string key = latex_key(report.summary.name);
  const std::string tables = accuracy_tables(report.summary, key) + names_table(report.summary, key) +
                             comparison_tables(report.summary, key) + claim_tables(report.claims, key);
  std::string text = fmt::format("% Tables of the study {}\n% {}\n% In the preamble: \\usepackage{{booktabs}}\n",
                                 shown(report.summary.name, TableFormat::terminal), Provenance::here().text());
  if (report.json.contains("registration")) {
    const std::string standing = report.json["registration"]["text"];
    text += fmt::format("% {}\n", shown(standing, TableFormat::terminal));
  }
  if (!is_latin(tables)) {
    text += fmt::format("% {}\n", kBeyondLatin);
  }
  return text + tables;
}

}  // namespace phasor
