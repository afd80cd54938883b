#include "phasor/report/story.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "phasor/base/display_width.h"
#include "phasor/report/answered_cells.h"
#include "phasor/report/head_picture.h"
#include "phasor/report/words.h"
#include "phasor/statistics/mean_difference.h"
#include "phasor/study/summary/learned.h"

namespace phasor {
namespace {

constexpr size_t kMostTasks = 2;
constexpr size_t kMostRows = 6, kMostInsideRows = 5, kMostClaims = 3;
constexpr size_t kMostName = 18;       // columns of an encoding's name
constexpr double kTwice = 2.0;         // times the length of training
constexpr size_t kMostInSentence = 3;  // encodings

std::string short_name(const std::string& name) { return cut_to(name, kMostName); }

std::string capitals(std::string_view text) {
  std::string capital(text);
  for (char& c : capital) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capital;
}

// In per cent. What rounds to 0 has no sign.
std::string rounded(double share, int width, int digits) {
  const double half = 0.5 * std::pow(10.0, -digits);
  return fmt::format("{:{}.{}f}", std::abs(100.0 * share) < half ? 0.0 : 100.0 * share, width, digits);
}

// "99.2 (98.1..99.9)", in per cent; `digits` behind the point. Nothing without a value.
std::string share_text(const SeedInterval& share, int width, int digits) {
  if (share.count == 0) return "";
  std::string mean = rounded(share.mean, width, digits);
  if (!share.low) return mean;
  if (share.degenerate) return mean + " (all equal)";
  return mean + fmt::format(" ({}..{})", rounded(*share.low, 0, digits), rounded(*share.high, 0, digits));
}

std::string accuracy_text(const SeedInterval& accuracy) { return share_text(accuracy, 5, 1); }

const SeedInterval& accuracy_of(const CellSummary& cell) { return cell.numbers.test_accuracy; }

// The tasks of the story, with the cells of an encoding at the same place of each list; null where a task lacks it.
struct Scene {
  std::vector<AnsweredPlace> places;
  std::vector<std::string> names;
  std::vector<std::vector<const CellSummary*>> cells;  // [places][names]
  bool chosen = false;                                 // there are more names than room
};

bool has_finished(const AnsweredPlace& place) {
  return std::any_of(place.cells.begin(), place.cells.end(),
                     [](const AnsweredCell& it) { return !it.cell->runs.empty(); });
}

Learned learned_by(const CellSummary& cell) {
  const SeedInterval& accuracy = accuracy_of(cell);
  return accuracy.count == 0 ? Learned::no : learned(accuracy.mean, cell.floors.value_or(TaskFloors{}));
}

// The study's first task, and the next one that some encoding learns, of the first protocol.
std::vector<AnsweredPlace> told_places(const StudySummary& summary) {
  std::vector<AnsweredPlace> places;
  for (AnsweredPlace& place : answered_places(summary.cells, true)) {
    const bool fits = places.empty() || places.front().protocol == place.protocol;
    if (fits && has_finished(place)) places.push_back(std::move(place));
  }
  if (places.size() <= kMostTasks) return places;
  const auto is_learned = [](const AnsweredPlace& place) {
    return std::any_of(place.cells.begin(), place.cells.end(),
                       [](const AnsweredCell& it) { return learned_by(*it.cell) == Learned::yes; });
  };
  const auto second = std::find_if(places.begin() + 1, places.end(), is_learned);
  if (second != places.end()) std::iter_swap(places.begin() + 1, second);
  places.resize(kMostTasks);
  return places;
}

const CellSummary* cell_in(const AnsweredPlace& place, const std::string& name) {
  const auto found =
      std::find_if(place.cells.begin(), place.cells.end(), [&](const AnsweredCell& it) { return it.name == name; });
  return found == place.cells.end() ? nullptr : found->cell;
}

// Where not all have room: the best of the first task, and last the one without positions, as a baseline.
std::vector<std::string> told_names(const std::vector<AnsweredPlace>& places, bool& chosen) {
  std::vector<std::string> names;
  for (const AnsweredPlace& place : places) {
    for (const AnsweredCell& cell : place.cells) {
      if (std::find(names.begin(), names.end(), cell.name) == names.end()) names.push_back(cell.name);
    }
  }
  chosen = names.size() > kMostRows;
  if (!chosen) return names;
  const auto accuracy = [&](const std::string& name) {
    const CellSummary* cell = cell_in(places.front(), name);
    return cell == nullptr || accuracy_of(*cell).count == 0 ? -1.0 : accuracy_of(*cell).mean;
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return accuracy(a) > accuracy(b); });
  const auto baseline = std::find(names.begin(), names.end(), "nope");
  if (baseline != names.end() && static_cast<size_t>(baseline - names.begin()) >= kMostRows) {
    std::iter_swap(names.begin() + (kMostRows - 1), baseline);
  }
  names.resize(kMostRows);
  return names;
}

Scene scene_of(const StudySummary& summary) {
  Scene scene{.places = told_places(summary), .names = {}, .cells = {}};
  scene.names = told_names(scene.places, scene.chosen);
  for (const AnsweredPlace& place : scene.places) {
    std::vector<const CellSummary*> row;
    for (const std::string& name : scene.names) row.push_back(cell_in(place, name));
    scene.cells.push_back(std::move(row));
  }
  return scene;
}

const LengthSummary* twice(const CellSummary& cell) {
  const auto found = std::find_if(cell.lengths.begin(), cell.lengths.end(),
                                  [](const LengthSummary& length) { return length.factor == kTwice; });
  return found == cell.lengths.end() || found->accuracy.count == 0 ? nullptr : &*found;
}

bool is_learned_at_all(const std::vector<const CellSummary*>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const CellSummary* cell) { return cell != nullptr && learned_by(*cell) != Learned::no; });
}

// --- Which encodings can do it? --------------------------------------------------------------------------------------

TextTable accuracy_table(const Scene& scene) {
  TextTable table{.titles = {"encoding"}, .rows = {}};
  for (const std::string& name : scene.names) table.rows.push_back({short_name(name)});
  for (size_t p = 0; p < scene.places.size(); ++p) {
    const std::vector<const CellSummary*>& cells = scene.cells[p];
    const bool longer = std::any_of(cells.begin(), cells.end(),
                                    [](const CellSummary* cell) { return cell != nullptr && twice(*cell) != nullptr; });
    table.titles.push_back(scene.places[p].task);
    if (longer) table.titles.emplace_back("twice as long");
    for (size_t n = 0; n < cells.size(); ++n) {
      const CellSummary* cell = cells[n];
      const bool all_failed = cell != nullptr && cell->runs.empty() && !cell->failed.empty();
      table.rows[n].push_back(cell == nullptr ? "" : all_failed ? "failed" : accuracy_text(accuracy_of(*cell)));
      if (!longer) continue;
      const LengthSummary* length = cell == nullptr ? nullptr : twice(*cell);
      table.rows[n].push_back(length == nullptr ? "" : accuracy_text(length->accuracy));
    }
  }
  return table;
}

// The first cell of a planned comparison against the second.
struct Contest {
  std::string rival;
  statistics::MeanDifference lead;
  bool wins = false, loses = false;
};

std::string name_in(const AnsweredPlace& place, const CellName& cell) {
  const auto found = std::find_if(place.cells.begin(), place.cells.end(),
                                  [&](const AnsweredCell& it) { return it.cell->cell == cell; });
  return found == place.cells.end() ? "" : short_name(found->name);
}

std::string points_text(const statistics::MeanDifference& lead) {
  return fmt::format("{:.1f} points ({:.1f}..{:.1f})", 100.0 * std::abs(lead.difference),
                     100.0 * std::min(std::abs(lead.low), std::abs(lead.high)),
                     100.0 * std::max(std::abs(lead.low), std::abs(lead.high)));
}

// Planned comparisons of accuracies of the task that have runs enough to be read. All have one subject.
std::vector<Contest> contests_of(const StudySummary& summary, const AnsweredPlace& place, std::string& subject,
                                 bool& extension) {
  std::vector<Contest> contests;
  for (const Comparison& comparison : summary.comparisons) {
    if (comparison.number.quantity != ComparedQuantity::test_accuracy) continue;
    const std::string first = name_in(place, comparison.first.cell), rival = name_in(place, comparison.second.cell);
    if (first.empty() || rival.empty() || !comparison.difference || !comparison.difference->decides()) continue;
    const statistics::MeanDifference& lead = *comparison.difference;
    subject = first;
    const bool clear = comparison.reading == statistics::DifferenceReading::of_interest;
    extension = extension || comparison.extension();
    contests.push_back({rival, lead, clear && lead.difference > 0.0, clear && lead.difference < 0.0});
  }
  std::stable_sort(contests.begin(), contests.end(),
                   [](const Contest& a, const Contest& b) { return a.lead.difference < b.lead.difference; });
  return contests;
}

template <class Keep>
std::vector<std::string> rivals(const std::vector<Contest>& contests, const Keep& keep) {
  std::vector<std::string> names;
  for (const Contest& contest : contests) {
    if (keep(contest)) names.push_back(contest.rival);
  }
  return names;
}

// What the planned comparisons of a task say, in one sentence; nothing without any that can be read.
std::optional<std::string> contest_sentence(const StudySummary& summary, const AnsweredPlace& place) {
  std::string subject;
  bool extension = false;
  const std::vector<Contest> contests = contests_of(summary, place, subject, extension);
  if (contests.empty()) return std::nullopt;
  std::vector<std::string> parts;
  const auto nearest = std::find_if(contests.begin(), contests.end(), [](const Contest& it) { return it.wins; });
  if (nearest != contests.end()) {
    const std::vector<std::string> beaten = rivals(contests, [](const Contest& it) { return it.wins; });
    const std::string lead = points_text(nearest->lead);
    if (beaten.size() == contests.size() && beaten.size() > 1) {
      parts.push_back(fmt::format("{} leads all others, the next one ({}) by {}", subject, nearest->rival, lead));
    } else if (beaten.size() > 1) {
      parts.push_back(fmt::format("{} leads {} of {}, the next by {}", subject, beaten.size(), contests.size(), lead));
    } else {
      parts.push_back(fmt::format("{} leads {} by {}", subject, nearest->rival, lead));
    }
  }
  if (contests.front().loses) {
    parts.push_back(
        fmt::format("{} leads {} by {}", contests.front().rival, subject, points_text(contests.front().lead)));
  }
  const std::vector<std::string> level = rivals(contests, [](const Contest& it) { return !it.wins && !it.loses; });
  if (!level.empty()) {
    parts.push_back(fmt::format("open: {}", listing(level, kMostInSentence)));
  }
  return fmt::format("{}: {}{}.", place.task, fmt::join(parts, "; "), extension ? " (extension)" : "");
}

// "distance: rope still does it, sinusoidal fails", of those that learned the task; nothing without any. The table
// has the numbers.
std::optional<std::string> length_words(const Scene& scene, size_t place) {
  std::vector<std::string> kept, lost;
  for (size_t n = 0; n < scene.names.size(); ++n) {
    const CellSummary* cell = scene.cells[place][n];
    const LengthSummary* longer = cell == nullptr || learned_by(*cell) != Learned::yes ? nullptr : twice(*cell);
    if (longer == nullptr) continue;
    const std::string name = short_name(scene.names[n]);
    if (longer->accuracy.mean >= kSuccessAccuracy) {
      kept.push_back(name);
    } else {
      lost.push_back(name);
    }
  }
  if (kept.empty() && lost.empty()) return std::nullopt;
  std::vector<std::string> parts;
  if (!kept.empty()) {
    parts.push_back(fmt::format("{} still {} it", listing(kept, kMostInSentence), kept.size() == 1 ? "does" : "do"));
  }
  if (!lost.empty()) {
    parts.push_back(fmt::format("{} {}", listing(lost, kMostInSentence), lost.size() == 1 ? "fails" : "fail"));
  }
  return fmt::format("{}: {}", scene.places[place].task, fmt::join(parts, ", "));
}

std::optional<std::string> length_sentence(const Scene& scene) {
  std::vector<std::string> parts;
  for (size_t p = 0; p < scene.places.size(); ++p) {
    if (std::optional<std::string> words = length_words(scene, p)) parts.push_back(std::move(*words));
  }
  if (parts.empty()) return std::nullopt;
  return fmt::format("Twice as long, {}.", fmt::join(parts, "; "));
}

int64_t most_runs(const Scene& scene) {
  int64_t most = 0;
  for (const std::vector<const CellSummary*>& cells : scene.cells) {
    for (const CellSummary* cell : cells) {
      if (cell != nullptr) most = std::max(most, std::ssize(cell->runs));
    }
  }
  return most;
}

StoryPart accuracy_part(const StudySummary& summary, const Scene& scene) {
  StoryPart part{.id = "accuracy",
                 .question = "Which encodings can do it?",
                 .key = std::string("test accuracy in %, mean over seeds (95 % interval)") +
                        (scene.chosen ? "; not all encodings" : ""),
                 .table = accuracy_table(scene),
                 .sentences = {}};
  const int64_t runs = most_runs(scene);
  if (runs < statistics::kLeastRunsToCompare) {
    part.sentences.push_back(
        fmt::format("{} each cannot tell a difference between encodings: it takes {} (--seeds {}).",
                    plural(runs, "seed"), statistics::kLeastRunsToCompare, statistics::kLeastRunsToCompare));
  }
  for (size_t p = 0; p < scene.places.size(); ++p) {
    if (!is_learned_at_all(scene.cells[p])) {
      part.sentences.push_back(fmt::format("{}: no encoding has learned it in so few steps.", scene.places[p].task));
      continue;
    }
    if (std::optional<std::string> sentence = contest_sentence(summary, scene.places[p])) {
      part.sentences.push_back(std::move(*sentence));
    }
  }
  if (std::optional<std::string> sentence = length_sentence(scene)) part.sentences.push_back(std::move(*sentence));
  return part;
}

// --- What are the logits made of, and which heads do it? -------------------------------------------------------------

bool was_looked_into(const CellSummary& cell) {
  return accuracy_of(cell).count > 0 && ((cell.position && !cell.position->seeds.empty()) ||
                                         (cell.spectrum && cell.spectrum->content_share.count > 0));
}

// "SPREAD 3/3": the verdict that most runs have.
std::string verdict_text(const QuestionSummary& question) {
  std::vector<std::pair<Deposit, int64_t>> counts;
  for (const SeedHeads& seed : question.seeds) {
    const Deposit verdict = seed.verdict.verdict;
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& it) { return it.first == verdict; });
    if (found == counts.end()) {
      counts.emplace_back(verdict, 1);
    } else {
      ++found->second;
    }
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string_view word = most->first == Deposit::undetermined ? "no verdict" : name(most->first);
  return fmt::format("{} {}/{}", word, most->second, question.seeds.size());
}

std::vector<std::string> inside_row(const std::string& name, const CellSummary& cell) {
  std::vector<std::string> row = {short_name(name)};
  const auto share = [&](const SeedInterval& of) { row.push_back(share_text(of, 2, 0)); };
  const SpectrumSummary spectrum = cell.spectrum.value_or(SpectrumSummary{});
  share(spectrum.content_share);
  share(spectrum.product_share);
  share(spectrum.positional_share);
  share(spectrum.logit_interaction);
  const bool asked = cell.position && !cell.position->seeds.empty();
  const bool useful = learned_by(cell) != Learned::no;
  row.push_back(!asked ? "" : useful ? head_picture(pictured_seed(cell.position->seeds)) : "not learned");
  row.push_back(asked && useful ? verdict_text(*cell.position) : "");
  return row;
}

// The encoding whose logits need content and distance together more than those of all others, by intervals.
std::optional<std::string> interaction_sentence(const Scene& scene, size_t place) {
  const SeedInterval* most = nullptr;
  size_t leader = 0;
  for (size_t n = 0; n < scene.names.size(); ++n) {
    const CellSummary* cell = scene.cells[place][n];
    if (cell == nullptr || !cell->spectrum || !cell->spectrum->logit_interaction.low) continue;
    const SeedInterval& here = cell->spectrum->logit_interaction;
    if (most == nullptr || here.mean > most->mean) {
      most = &here;
      leader = n;
    }
  }
  if (most == nullptr) return std::nullopt;
  double rest = 0.0;
  int64_t others = 0;
  for (size_t n = 0; n < scene.names.size(); ++n) {
    const CellSummary* cell = scene.cells[place][n];
    if (n == leader || cell == nullptr || !cell->spectrum || !cell->spectrum->logit_interaction.high) continue;
    rest = std::max(rest, *cell->spectrum->logit_interaction.high);
    ++others;
  }
  if (others == 0 || !(*most->low > rest)) return std::nullopt;
  return fmt::format("Content and distance act only together in {} % of {}'s logits, others at most {} %.",
                     share_text(*most, 0, 0), short_name(scene.names[leader]), rounded(rest, 0, 0));
}

std::optional<StoryPart> inside_part(const Scene& scene) {
  for (size_t p = 0; p < scene.places.size(); ++p) {
    if (!is_learned_at_all(scene.cells[p])) continue;  // what is in models that learned nothing says nothing
    StoryPart part{
        .id = "inside",
        .question = "What are the logits made of, and which heads do it?",
        .key = "",
        .table = {.titles = {"encoding", "content", "products", "position", "interaction", "layers x heads", "verdict"},
                  .rows = {}},
        .sentences = {}};
    bool heads = false;
    for (size_t n = 0; n < scene.names.size() && part.table.rows.size() < kMostInsideRows; ++n) {
      const CellSummary* cell = scene.cells[p][n];
      if (cell == nullptr || !was_looked_into(*cell)) continue;
      part.table.rows.push_back(inside_row(scene.names[n], *cell));
      heads = heads || (cell->position && !cell->position->seeds.empty());
    }
    if (part.table.rows.empty()) continue;
    part.key = fmt::format("{}, % of variance{}", scene.places[p].task, heads ? "; dark heads matter" : "");
    if (std::optional<std::string> sentence = interaction_sentence(scene, p)) {
      part.sentences.push_back(std::move(*sentence));
    }
    return part;
  }
  return std::nullopt;
}

// --- What does that say to the paper? --------------------------------------------------------------------------------

std::set<std::string> ids_of(const std::vector<paper::JudgedClaim>& claims, bool decided_only) {
  std::set<std::string> ids;
  for (const paper::JudgedClaim& judged : claims) {
    if (!decided_only || judged.verdict != paper::ClaimVerdict::undetermined) ids.insert(judged.id);
  }
  return ids;
}

// Decided ones: first those that rest on training, then those of mathematics alone, each in the order of the claims.
std::vector<const paper::JudgedClaim*> decided_claims(const std::vector<paper::JudgedClaim>& claims) {
  std::vector<const paper::JudgedClaim*> decided;
  for (const bool trained : {true, false}) {
    for (const paper::JudgedClaim& judged : claims) {
      const bool is_trained = judged.protocol != paper::kAnyProtocol;
      if (is_trained == trained && judged.verdict != paper::ClaimVerdict::undetermined) decided.push_back(&judged);
    }
  }
  return decided;
}

// The first few, but never of one verdict alone where there are others: three failures would not be a fair picture.
std::vector<const paper::JudgedClaim*> shown_claims(const std::vector<const paper::JudgedClaim*>& decided) {
  std::vector<const paper::JudgedClaim*> shown(decided.begin(),
                                               decided.begin() + std::min<ptrdiff_t>(kMostClaims, std::ssize(decided)));
  const auto differs = [&](const paper::JudgedClaim* it) { return it->verdict != decided.front()->verdict; };
  const auto other = std::find_if(decided.begin(), decided.end(), differs);
  if (!shown.empty() && other - decided.begin() >= std::ssize(shown) && other != decided.end()) shown.back() = *other;
  return shown;
}

// Of the protocol that the story is about: one claim may hold under one protocol and fail under another.
std::vector<paper::JudgedClaim> told_claims(const std::vector<paper::JudgedClaim>& claims,
                                            const std::string& protocol) {
  std::vector<paper::JudgedClaim> told;
  std::copy_if(claims.begin(), claims.end(), std::back_inserter(told), [&](const paper::JudgedClaim& judged) {
    return judged.protocol == protocol || judged.protocol == paper::kAnyProtocol;
  });
  return told;
}

StoryPart claims_part(const std::vector<paper::JudgedClaim>& claims) {
  const size_t decided = ids_of(claims, true).size(), all = ids_of(claims, false).size();
  const bool post_hoc =
      std::any_of(claims.begin(), claims.end(), [](const paper::JudgedClaim& it) { return it.post_hoc; });
  StoryPart part{.id = "claims",
                 .question = "What does that say to the paper?",
                 .key = decided == 0 ? ""
                                     : fmt::format("{} of {} claims {} decided here{}", decided, all,
                                                   decided == 1 ? "is" : "are", post_hoc ? ", post hoc" : ""),
                 .table = {.titles = {"verdict", "claim"}, .rows = {}},
                 .sentences = {}};
  for (const paper::JudgedClaim* judged : shown_claims(decided_claims(claims))) {
    part.table.rows.push_back({capitals(paper::name(judged->verdict)),
                               paper::claim(judged->id).claim + (judged->extension ? " (extension)" : "")});
  }
  if (decided == 0) {
    part.sentences.push_back(
        fmt::format("So few runs decide none of {} claims: phasor reproduce --size quick asks for all.", all));
  }
  return part;
}

std::string title_of(const StudySummary& summary, const Scene& scene) {
  int64_t finished = 0, added = 0, failed = 0, planned = 0;
  for (const CellSummary& cell : summary.cells) {
    finished += std::ssize(cell.runs);
    added += std::ssize(cell.added_seeds);
    failed += std::ssize(cell.failed);
    planned += cell.planned;
  }
  std::string text = fmt::format("{}: {}", summary.name, plural(finished, "run"));
  if (!scene.places.empty()) text += fmt::format(", protocol {}", scene.places.front().protocol);
  if (added > 0) text += fmt::format(", {} of them added later (extension)", added);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  const int64_t missing = planned - finished - failed;
  if (missing > 0) text += fmt::format(", {} yet to come", missing);
  return text;
}

}  // namespace

Story study_story(const StudySummary& summary, const std::vector<paper::JudgedClaim>& claims) {
  const Scene scene = scene_of(summary);
  Story story{.title = title_of(summary, scene), .parts = {}};
  if (scene.places.empty()) return story;
  story.parts.push_back(accuracy_part(summary, scene));
  if (std::optional<StoryPart> inside = inside_part(scene)) story.parts.push_back(std::move(*inside));
  const std::vector<paper::JudgedClaim> told = told_claims(claims, scene.places.front().protocol);
  if (!told.empty()) story.parts.push_back(claims_part(told));
  return story;
}

}  // namespace phasor
