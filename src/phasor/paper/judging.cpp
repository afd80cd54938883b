#include "phasor/paper/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace phasor::paper {
namespace {

std::vector<std::string> distinct(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    if (!text.empty() && seen.insert(text).second) result.push_back(text);
  }
  return result;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::vector<const Difference*> leads_of(const std::vector<Contest>& contests) {
  std::vector<const Difference*> leads;
  for (const Contest& contest : contests) {
    if (contest.lead) leads.push_back(&*contest.lead);
  }
  return leads;
}

// In margins, which make leads in different units comparable.
double size_of(const Difference& lead) { return lead.interval.difference / lead.margin; }

// What is said of several rivals: the one with the smallest lead in numbers, the others by name.
struct Shown {
  const Difference* closest = nullptr;
  std::string others;  // "; likewise ALiBi, NoPE", or empty

  std::string margin() const { return figure(closest->margin, closest->unit); }
  std::string text() const { return closest->text() + others; }
};

Shown show(const std::vector<const Difference*>& leads, const std::string& subject) {
  Shown result{.closest = *std::min_element(leads.begin(), leads.end(), [](const Difference* a, const Difference* b) {
                 return size_of(*a) < size_of(*b);
               })};
  std::vector<std::string> names;
  for (const Difference* lead : leads) {
    if (lead != result.closest) names.push_back(lead->first == subject ? lead->second : lead->first);
  }
  if (!names.empty()) result.others = "; likewise " + joined(names);
  return result;
}

// Where no rival is as good.
void decide_lead(JudgedClaim& judged, const std::vector<const Difference*>& leads, const std::string& subject) {
  std::vector<const Difference*> open;
  for (const Difference* lead : leads) {
    if (!lead->is_more()) open.push_back(lead);
  }
  if (!open.empty()) {
    const Shown found = show(open, subject);
    const bool by_number = found.closest->is_open_by_number();
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("the interval of a lead of {} holds both 0 and {}{}: {}", subject, found.margin(),
                       by_number ? " at the level for one of several" : "", found.text()),
           found.closest->runs_to_decide_text());
  } else {
    const Shown found = show(leads, subject);
    decide(judged, ClaimVerdict::holds,
           leads.size() == 1 ? fmt::format("{} leads: {}", subject, found.text())
                             : fmt::format("{} leads all {} others, the closest one too: {}", subject, leads.size(),
                                           found.closest->text()));
  }
}

}  // namespace

JudgedClaim undetermined(const Claim& claim, const std::string& protocol) {
  return {.id = claim.id, .protocol = protocol};
}

void decide(JudgedClaim& judged, ClaimVerdict verdict, const std::string& reason, const std::string& needs) {
  judged.verdict = verdict;
  judged.reason = capital(reason) + ".";
  judged.needs = needs;
  judged.unasked = false;
}

bool lacks(JudgedClaim& judged, const std::vector<Lack>& lacking) {
  const std::string what = text(lacking);
  if (what.empty()) return false;
  decide(judged, ClaimVerdict::undetermined, what,
         fmt::format("at least {} finished runs of every cell that the claim is about", kLeastRuns));
  judged.unasked = true;
  return true;
}

void add_notes(JudgedClaim& judged, const std::vector<std::string>& texts) {
  std::vector<std::string> said = distinct(texts);
  std::erase_if(said, [&](const std::string& text) { return judged.reason.find(text) != std::string::npos; });
  if (said.empty()) return;
  judged.reason += fmt::format("{}{}.", judged.reason.empty() ? "" : " ", capital(joined(said, "; ")));
}

void add_mean(JudgedClaim& judged, const ClaimSample& sample, const std::string& what, const std::string& unit) {
  if (sample.values.empty()) return;
  const statistics::MeanDifference mean = statistics::mean_of_runs(sample.runs());
  judged.evidence.push_back({.what = fmt::format("{}, {}", what, sample.label),
                             .value = mean.difference,
                             .low = mean.low,
                             .high = mean.high,
                             .unit = unit,
                             .text = fmt::format("{} runs", sample.values.size())});
}

std::string mean_text(const ClaimSample& sample, const std::string& unit) {
  const statistics::MeanDifference mean = statistics::mean_of_runs(sample.runs());
  if (mean.degenerate) return figure(mean.difference, unit);
  return fmt::format("{} (95 % {} to {})", figure(mean.difference, unit), bare_figure(mean.low, unit),
                     bare_figure(mean.high, unit));
}

void add_heads(JudgedClaim& judged, const HeadReading& heads, Question question) {
  if (!heads.verdict) return;
  const EncodingVerdict& verdict = *heads.verdict;
  judged.evidence.push_back({.what = fmt::format("share of runs judged DEPOSIT by {}, {}", name(question), heads.label),
                             .value = static_cast<double>(heads.deposits()) / static_cast<double>(heads.runs()),
                             .low = verdict.deposit.interval.low,
                             .high = verdict.deposit.interval.high,
                             .unit = "",
                             .text = heads.counts_text()});
  if (heads.runs() == verdict.without_shares) return;
  judged.evidence.push_back({.what = fmt::format("largest share of a head by {}, {}", name(question), heads.label),
                             .value = verdict.max_share.value,
                             .low = verdict.max_share.low,
                             .high = verdict.max_share.high,
                             .unit = "",
                             .text = fmt::format("{} runs", heads.runs() - verdict.without_shares)});
}

void judge_lead(JudgedClaim& judged, const std::vector<Contest>& contests, const std::string& subject,
                const std::string& what) {
  const std::vector<const Difference*> leads = leads_of(contests);
  std::vector<const Difference*> lost;
  std::vector<Lack> lack;
  lack.reserve(contests.size());
  for (const Contest& contest : contests) lack.push_back(contest.lack);
  for (const Difference* lead : leads) {
    judged.evidence.push_back(lead->evidence(what));
    if (lead->is_no_more()) lost.push_back(lead);
  }
  if (!lost.empty()) {
    const Shown found = show(lost, subject);
    decide(judged, ClaimVerdict::fails, fmt::format("{} has no lead of {}: {}", subject, found.margin(), found.text()));
  } else if (!lacks(judged, lack)) {
    decide_lead(judged, leads, subject);
  }
}

std::vector<std::string> notes_of(const std::vector<Contest>& contests) {
  std::vector<std::string> texts;
  texts.reserve(contests.size());
  for (const Contest& contest : contests) texts.push_back(contest.notes);
  return texts;
}

const Difference* judge_no_more(JudgedClaim& judged, const std::vector<Difference>& differences,
                                const std::vector<Lack>& lack, const NoMoreWords& words, const std::string& what) {
  const Difference* least = nullptr;
  const Difference* open = nullptr;  // the first that is not more
  for (const Difference& found : differences) {
    judged.evidence.push_back(found.evidence(what));
    if (least == nullptr || found.any.high < least->any.high) least = &found;
    if (open == nullptr && !found.is_more()) open = &found;
  }
  if (least != nullptr && least->is_no_more()) {
    decide(judged, ClaimVerdict::holds, fmt::format("{}: {}", words.holds, least->text()));
  } else if (!lacks(judged, lack)) {
    if (open == nullptr) {
      decide(judged, ClaimVerdict::fails, fmt::format("{}: {}", words.fails, least->text()));
    } else {
      decide(judged, ClaimVerdict::undetermined,
             fmt::format("the interval of {} holds both 0 and {}: {}", words.more, figure(open->margin, open->unit),
                         open->text()),
             open->runs_to_decide_text());
    }
  }
  return least;
}

std::string joined(const std::vector<std::string>& texts, const char* with) {
  return fmt::format("{}", fmt::join(texts, with));
}

std::string accuracy_rope(const std::string& protocol) { return protocol == kClean ? "RoPE" : "RoPE+Absolute"; }

std::optional<double> task_ceiling(const ClaimStudy& study, const CellName& cell) {
  const auto runs = finished_runs(study.results(), cell);
  if (runs.empty() || !(runs.front()->floors.ceiling > 0.0)) return std::nullopt;
  return 100.0 * runs.front()->floors.ceiling;
}

}  // namespace phasor::paper
