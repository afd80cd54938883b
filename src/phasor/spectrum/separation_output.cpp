#include <fmt/format.h>
#include <fmt/ranges.h>

#include "phasor/base/json_fields.h"
#include "phasor/spectrum/separation_table.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

std::string with_range(const SeedSpread& spread, int digits) {
  return fmt::format("{:.{}f} ({:.{}f}-{:.{}f})", spread.mean, digits, spread.least, digits, spread.most, digits);
}

std::string share(const SeedSpread& spread) {
  return fmt::format("{:.4f} ({:.4f}-{:.4f})", spread.mean, spread.least, spread.most);
}

}  // namespace

std::string separation_text(const SeparationTable& table) {
  const SeparationTableOptions& used = table.options;
  std::string text = fmt::format(
      "Can a head single out one of {} distances? Wanted: {}; {} seeds; head width {}.\n"
      "Products and biases may both spend {:g} logits. Mean and range of the seeds' means.\n",
      used.distances, fmt::join(used.wanted, ", "), used.seeds, used.width, table.budget);
  for (const SeparationContent content :
       {SeparationContent::fixed, SeparationContent::varied, SeparationContent::decides}) {
    text += fmt::format("\ncontent {}", name(content));
    if (content == SeparationContent::fixed) text += " (all keys alike)\n";
    if (content == SeparationContent::varied) {
      text += fmt::format(" ({:g} of each key is its own; {} contents at once)\n", used.variation, used.draws);
    }
    if (content == SeparationContent::decides) text += " (two contents, each wants another distance)\n";
    text += fmt::format("  {:<9} {:<19} {:>7}   {:<24} {}\n", "encoding", "best margin", "bound",
                        "random: wanted one wins", fmt::format("... by more than {:g}", used.level));
    for (const SeparationRow& row : table.rows) {
      if (row.content != content) continue;
      text += fmt::format("  {:<9} {:<19} {:>7.3f}   {:<24} {}{}\n", name(row.encoding), with_range(row.margin, 3),
                          row.bound.mean, share(row.positive), share(row.clear), row.converged ? "" : " not converged");
    }
  }
  text +=
      "\nclaims (Proposition B.2: the solution space of RoPE is larger); means, and how many seeds agree.\n"
      "A claim is decided where all of at least 5 seeds agree.\n";
  for (const SeparationClaim& claim : table.claims) {
    text += fmt::format("  {:<12} {:<60} {:.4f} : {:.4f}, {}/{}\n", claim.verdict(), claim.claim, claim.left,
                        claim.right, claim.favourable, claim.seeds);
  }
  return text;
}

static const Fields<SeedSpread>& json_fields(const SeedSpread*) {
  using S = SeedSpread;
  static const Fields<S> fields = {
      field("mean", &S::mean, "over wanted distances and seeds"), field("least", &S::least, "of the seeds' means"),
      field("most", &S::most, "of the seeds' means"), field("seeds", &S::seeds, "the seeds' means")};
  return fields;
}

static const Fields<SeparationRow>& json_fields(const SeparationRow*) {
  using R = SeparationRow;
  static const Fields<R> fields = {
      derived_field<R>(
          "encoding", [](const R& row) { return name(row.encoding); }, "its name"),
      derived_field<R>(
          "content", [](const R& row) { return name(row.content); },
          "`fixed`: all keys alike; `varied`; `decides`: two contents, each of which wants another distance"),
      field("margin", &R::margin, "the best that was found, in logits"),
      field("bound", &R::bound, "that no parameters exceed"),
      field("share_positive", &R::positive, "share of random parameters where the wanted distance wins"),
      field("share_clear", &R::clear, "... by more than `level`"),
      field("share_near_best", &R::near_best, "... by more than half of the best margin"),
      field("converged", &R::converged, "whether the search for the best did")};
  return fields;
}

static const Fields<SeparationClaim>& json_fields(const SeparationClaim*) {
  using C = SeparationClaim;
  static const Fields<C> fields = {field("claim", &C::claim, "that one number exceeds another, in words"),
                                   derived_field<C>("verdict", &C::verdict, "`holds`, `violated` or `undetermined`"),
                                   field("left", &C::left, "mean of the one"),
                                   field("right", &C::right, "mean of the other"),
                                   field("favourable_seeds", &C::favourable, "seeds where it does"),
                                   field("contrary_seeds", &C::contrary, "seeds where it falls short"),
                                   field("seeds", &C::seeds, "all seeds")};
  return fields;
}

const Fields<SeparationTable>& json_fields(const SeparationTable*) {
  using O = SeparationTableOptions;
  static const Fields<O> options = {
      field("distances", &O::distances, "to tell apart"),
      field("wanted", &O::wanted, "distances that are to be singled out"),
      field("seeds", &O::seeds, "how many"),
      field("width", &O::width, "of the head"),
      field("variation", &O::variation, "share of a key's squared length that is its own, where content varies"),
      field("draws", &O::draws, "of content, where it varies"),
      field("samples", &O::samples, "of random parameters"),
      field("level", &O::level, "a margin that is called clear, in logits")};
  using T = SeparationTable;
  static const Fields<T> fields =
      joined_fields<T>({part_fields(&T::options, options),
                        {field("budget", &T::budget, "the range in logits that products and biases may use"),
                         field("rows", &T::rows, "per encoding, with content fixed and varied"),
                         field("claims", &T::claims, "that rotations have the larger space of solutions")}});
  return fields;
}

Json separation_json(const SeparationTable& table) { return write_json(table); }

}  // namespace phasor
