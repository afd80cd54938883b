#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

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

Json spread_json(const SeedSpread& spread) {
  return {{"mean", spread.mean}, {"least", spread.least}, {"most", spread.most}, {"seeds", spread.seeds}};
}

}  // namespace

std::string separation_text(const SeparationTable& table) {
  const SeparationTableOptions& used = table.options;
  std::string text = fmt::format(
      "Can a head single out one of {} distances? Wanted: {}; {} seeds; head width {}.\n"
      "Products and biases may both spend {:g} logits. Mean and range of the seeds' means.\n",
      used.distances, fmt::join(used.wanted, ", "), used.seeds, used.width, table.budget);
  for (const bool varied : {false, true}) {
    text += varied ? fmt::format("\ncontent varied ({:g} of each key is its own; {} contents at once)\n",
                                 used.variation, used.draws)
                   : std::string("\ncontent fixed (all keys alike)\n");
    text += fmt::format("  {:<9} {:<19} {:>7}   {:<24} {}\n", "encoding", "best margin", "bound",
                        "random: wanted one wins", fmt::format("... by more than {:g}", used.level));
    for (const SeparationRow& row : table.rows) {
      if (row.varied != varied) continue;
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

Json separation_json(const SeparationTable& table) {
  const SeparationTableOptions& used = table.options;
  Json rows = Json::array();
  for (const SeparationRow& row : table.rows) {
    rows.push_back({{"encoding", name(row.encoding)},
                    {"content", row.varied ? "varied" : "fixed"},
                    {"margin", spread_json(row.margin)},
                    {"bound", spread_json(row.bound)},
                    {"share_positive", spread_json(row.positive)},
                    {"share_clear", spread_json(row.clear)},
                    {"share_near_best", spread_json(row.near_best)},
                    {"converged", row.converged}});
  }
  Json claims = Json::array();
  for (const SeparationClaim& claim : table.claims) {
    claims.push_back({{"claim", claim.claim},
                      {"verdict", claim.verdict()},
                      {"left", claim.left},
                      {"right", claim.right},
                      {"favourable_seeds", claim.favourable},
                      {"contrary_seeds", claim.contrary},
                      {"seeds", claim.seeds}});
  }
  return {{"distances", used.distances}, {"wanted", used.wanted}, {"seeds", used.seeds},     {"width", used.width},
          {"variation", used.variation}, {"draws", used.draws},   {"samples", used.samples}, {"level", used.level},
          {"budget", table.budget},      {"rows", rows},          {"claims", claims}};
}

}  // namespace phasor
