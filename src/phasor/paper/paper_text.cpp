#include "phasor/paper/paper_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "phasor/base/wrapped_text.h"
#include "phasor/paper/claim_difference.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor::paper {
namespace {

const JudgedClaim* find(const std::vector<JudgedClaim>& judged, const std::string& id, const char* protocol) {
  const auto found = std::find_if(judged.begin(), judged.end(), [&](const JudgedClaim& claim) {
    return claim.id == id && (claim.protocol == protocol || claim.protocol == kAnyProtocol);
  });
  return found == judged.end() ? nullptr : &*found;
}

std::string verdict_text(const JudgedClaim* judged) {
  if (judged == nullptr) return "-";
  return fmt::format("{}{}{}", name(judged->verdict), judged->post_hoc ? " (post hoc)" : "",
                     judged->extension ? " (extension)" : "");
}

// Both protocols' reasons, each behind its name; one where they are the same verdict.
std::string reasons_text(const JudgedClaim* clean, const JudgedClaim* released) {
  if (clean == released || released == nullptr) return clean->reason;
  if (clean == nullptr) return released->reason;
  return fmt::format("{}: {} {}: {}", kClean, clean->reason, kReleased, released->reason);
}

std::vector<std::string> ids_of(const std::vector<JudgedClaim>& judged) {
  std::vector<std::string> ids;
  for (const JudgedClaim& claim : judged) {
    if (std::find(ids.begin(), ids.end(), claim.id) == ids.end()) ids.push_back(claim.id);
  }
  return ids;
}

std::string capitals(std::string_view text) {
  std::string capital(text);
  for (char& c : capital) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capital;
}

std::string paragraph(const std::string& text, TableFormat format) {
  if (format == TableFormat::markdown) return shown(text, format) + "\n";
  return wrapped(text, kTerminalColumns) + "\n";
}

std::string reason_paragraph(const JudgedClaim& judged) {
  const std::string needs = judged.needs.empty() ? "" : fmt::format(" Needs: {}.", judged.needs);
  const std::string line =
      fmt::format("{} ({}): {} {}: {}{}", judged.id, judged.protocol, claim(judged.id).claim,
                  capitals(verdict_text(&judged)), shown(judged.reason, TableFormat::terminal), needs);
  return wrapped(line, kTerminalColumns, 2) + "\n";
}

// What the study did not ask is named in one go: why is the same for all of it.
std::string reasons_list(const std::vector<JudgedClaim>& judged) {
  std::string text;
  std::vector<std::string> unasked;
  for (const JudgedClaim& claim : judged) {
    if (claim.unasked) {
      unasked.push_back(fmt::format("{} ({})", claim.id, claim.protocol));
    } else {
      text += reason_paragraph(claim);
    }
  }
  if (unasked.empty()) return text;
  const std::string line =
      fmt::format("Undetermined at this size, for want of cells or of finished runs (summary.md says which): {}.",
                  fmt::join(unasked, ", "));
  return text + wrapped(line, kTerminalColumns, 2) + "\n";
}

std::string runs_text(const AuditCounts& counts) {
  std::string text = fmt::format("{}", counts.finished);
  if (counts.unconverged > 0) text += fmt::format(" {}*", counts.unconverged);
  if (counts.failed > 0) text += fmt::format(" {}!", counts.failed);
  return text;
}

std::string verdicts_text(const AuditCounts& counts) {
  return fmt::format("{} {} {} {} {}", counts.deposit, counts.partial, counts.spread, counts.not_used,
                     counts.undetermined);
}

std::string change_text(const std::optional<AuditChange>& change, int digits) {
  if (!change) return "-";
  const statistics::MeanInterval& found = change->change;
  if (found.degenerate) return fmt::format("{:+.{}f}", found.estimate, digits);
  return fmt::format("{:+.{}f} ({:+.{}f} to {:+.{}f})", found.estimate, digits, found.low, digits, found.high, digits);
}

std::string holm_text(const std::optional<AuditChange>& change) { return change ? p_text(change->holm) : "-"; }

std::string ceiling_text(const std::optional<double>& ceiling) {
  return ceiling ? fmt::format("{:.1f}", *ceiling) : "-";
}

// How many runs have the number, with the switch and without.
std::string sides_text(const std::optional<AuditChange>& change) {
  return change ? fmt::format("{}:{}", change->switched.size(), change->base.size()) : "-";
}

TextTable audit_table(const AuditBlock& block) {
  TextTable table{
      .titles = {"switch", "accuracy, points", "p", "ceiling", "max share", "p", "of", "D P S N U", "runs"}};
  table.rows.push_back(
      {fmt::format("({})", block.base), block.base_accuracy ? fmt::format("{:.1f} %", *block.base_accuracy) : "-", "",
       ceiling_text(block.base_ceiling), block.base_max_share ? fmt::format("{:.2f}", *block.base_max_share) : "-", "",
       "", verdicts_text(block.base_counts), runs_text(block.base_counts)});
  for (const AuditRow& row : block.rows) {
    table.rows.push_back({row.name, change_text(row.accuracy, 1), holm_text(row.accuracy), ceiling_text(row.ceiling),
                          change_text(row.max_share, 2), holm_text(row.max_share), sides_text(row.max_share),
                          verdicts_text(row.counts), runs_text(row.counts)});
  }
  return table;
}

bool has_runs(const AuditBlock& block) {
  return std::any_of(block.rows.begin(), block.rows.end(), [](const AuditRow& row) { return row.counts.finished > 0; });
}

}  // namespace

std::string claims_text(const std::vector<JudgedClaim>& judged, TableFormat format) {
  const bool markdown = format == TableFormat::markdown;
  TextTable table{.titles = {"claim", kClean, kReleased}};
  if (markdown) table.titles.emplace_back("why");
  for (const std::string& id : ids_of(judged)) {
    const JudgedClaim* clean = find(judged, id, kClean);
    const JudgedClaim* released = find(judged, id, kReleased);
    table.rows.push_back({markdown ? claim(id).claim : id, verdict_text(clean), verdict_text(released)});
    if (markdown) table.rows.back().push_back(reasons_text(clean, released));
  }
  const std::string text = to_text(table, format);
  return markdown ? text : text + "\n" + reasons_list(judged);
}

std::string audit_text(const std::vector<AuditBlock>& blocks, TableFormat format) {
  std::string text;
  for (const AuditBlock& block : blocks) {
    if (!has_runs(block)) continue;
    text += paragraph(fmt::format("{} on distance, {} but for one choice, which is as in {}", block.encoding,
                                  block.base, block.base == kClean ? kReleased : kClean),
                      format);
    if (format == TableFormat::markdown) text += "\n";
    text += to_text(audit_table(block), format) + "\n" + paragraph(block.finding, format) + "\n";
  }
  if (text.empty()) return text;
  const std::string note =
      "The first row is the base, the others are changes against it with 95 % intervals (Welch); p: exact permutation, "
      "adjusted by Holm within "
      "a column. Ceiling: the best accuracy that the samples allow, %: a switch that changes it changes the task. Max "
      "share: the largest share of a head in its layer's positional drops, of those runs (of) that are above their "
      "floor and use that layer. D P S N U: runs judged DEPOSIT, PARTIAL, SPREAD, NOT USED, UNDETERMINED by position. "
      "* runs that "
      "have not converged: they are counted. ! failed runs.";
  return text + paragraph(note, format);
}

}  // namespace phasor::paper
