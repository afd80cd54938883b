#include "phasor/spectrum/separation_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "phasor/base/error.h"
#include "phasor/base/parallel.h"

namespace phasor {
namespace {

constexpr std::array kEncodings = {SeparationEncoding::nope, SeparationEncoding::alibi, SeparationEncoding::relative,
                                   SeparationEncoding::rope, SeparationEncoding::mla};

constexpr std::array kContents = {SeparationContent::fixed, SeparationContent::varied, SeparationContent::decides};

constexpr int64_t kSeedsToDecide = 5;

std::vector<int64_t> usual_wanted(int64_t distances) {
  std::vector<int64_t> wanted = {1, distances / 8, distances / 3, 2 * distances / 3};
  for (int64_t& distance : wanted) distance = std::clamp<int64_t>(distance, 0, distances - 1);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

// The other content's distance: the next of those that are wanted.
int64_t other_wanted(const SeparationTableOptions& options, size_t wanted) {
  const int64_t next = options.wanted[(wanted + 1) % options.wanted.size()];
  return next != options.wanted[wanted] ? next : (next + 1) % options.distances;
}

SeparationSetting setting_of(const SeparationTableOptions& options, SeparationContent content, size_t wanted) {
  SeparationSetting setting;
  setting.distances = options.distances;
  setting.wanted = options.wanted[wanted];
  setting.width = options.width;
  // Vectors with entries of size 1, as a norm leaves them; a bias may spend as much as a product can.
  setting.query_length = setting.key_length = std::sqrt(static_cast<double>(options.width));
  setting.scale = 1.0 / std::sqrt(static_cast<double>(options.width));
  setting.bias_range = setting.query_length * setting.key_length * setting.scale;
  setting.frequencies = rotary_frequencies(options.width);
  setting.mla_frequencies = rotary_frequencies(options.width / 2);
  if (content == SeparationContent::varied) {
    setting.variation = options.variation;
    setting.draws = options.draws;
  } else if (content == SeparationContent::decides) {
    setting.wanted_of_draw = {options.wanted[wanted], other_wanted(options, wanted)};
    setting.draws = std::ssize(setting.wanted_of_draw);
  }
  return setting;
}

// Of separation results in the order seed by seed, wanted distance by wanted distance.
SeedSpread spread(const std::vector<Separation>& cells, int64_t seeds,
                  const std::function<double(const Separation&)>& number) {
  SeedSpread result;
  const size_t wanted = cells.size() / static_cast<size_t>(seeds);
  for (size_t seed = 0; seed < static_cast<size_t>(seeds); ++seed) {
    double total = 0.0;
    for (size_t w = 0; w < wanted; ++w) total += number(cells[seed * wanted + w]);
    result.seeds.push_back(total / static_cast<double>(wanted));
    result.mean += result.seeds.back() / static_cast<double>(seeds);
  }
  result.least = *std::min_element(result.seeds.begin(), result.seeds.end());
  result.most = *std::max_element(result.seeds.begin(), result.seeds.end());
  return result;
}

SeparationClaim claim(std::string text, const SeedSpread& left, const SeedSpread& right) {
  SeparationClaim result{.claim = std::move(text), .left = left.mean, .right = right.mean};
  result.seeds = static_cast<int64_t>(left.seeds.size());
  for (size_t s = 0; s < left.seeds.size(); ++s) {
    if (left.seeds[s] > right.seeds[s]) ++result.favourable;
    if (left.seeds[s] < right.seeds[s]) ++result.contrary;
  }
  return result;
}

std::vector<SeparationClaim> claims_of(const SeparationTable& table) {
  const auto row = [&](SeparationEncoding encoding, SeparationContent content) -> const SeparationRow& {
    return *std::find_if(table.rows.begin(), table.rows.end(), [&](const SeparationRow& candidate) {
      return candidate.encoding == encoding && candidate.content == content;
    });
  };
  std::vector<SeparationClaim> claims;
  for (const SeparationContent kind : kContents) {
    const std::string content = fmt::format("content {}", name(kind));
    const SeparationRow& rope = row(SeparationEncoding::rope, kind);
    const SeparationRow& relative = row(SeparationEncoding::relative, kind);
    const SeparationRow& alibi = row(SeparationEncoding::alibi, kind);
    const SeparationRow& mla = row(SeparationEncoding::mla, kind);
    claims.push_back(
        claim(fmt::format("parameters that separate: rope > relative, {}", content), rope.positive, relative.positive));
    claims.push_back(
        claim(fmt::format("random ones that do by {:g}: rope > relative, {}", table.options.level, content), rope.clear,
              relative.clear));
    claims.push_back(claim(fmt::format("best margin: rope > relative, {}", content), rope.margin, relative.margin));
    claims.push_back(claim(fmt::format("best margin: rope > alibi, {}", content), rope.margin, alibi.margin));
    claims.push_back(claim(fmt::format("best margin: rope > mla, {}", content), rope.margin, mla.margin));
  }
  return claims;
}

}  // namespace

const char* name(SeparationContent content) {
  switch (content) {
    case SeparationContent::fixed:
      return "fixed";
    case SeparationContent::varied:
      return "varied";
    case SeparationContent::decides:
      return "decides";
  }
  return "";
}

const char* SeparationClaim::verdict() const {
  if (seeds < kSeedsToDecide) return "undetermined";
  if (favourable == seeds) return "holds";
  return contrary == seeds ? "violated" : "undetermined";
}

SeparationTable separation_table(const SeparationTableOptions& options) {
  SeparationTable table{.options = options};
  SeparationTableOptions& used = table.options;
  if (used.seeds < 1) fail("separation over {} seeds", used.seeds);
  if (used.distances < 2) fail("separation needs at least two distances, not {}", used.distances);
  if (used.wanted.empty()) used.wanted = usual_wanted(used.distances);
  const auto wanted = static_cast<int64_t>(used.wanted.size());
  const int64_t cells = used.seeds * wanted;
  const auto encodings = static_cast<int64_t>(kEncodings.size());
  const auto rows = static_cast<int64_t>(kContents.size()) * encodings;
  table.budget = setting_of(used, SeparationContent::fixed, 0).bias_range;
  SeparationSearch search;
  search.samples = used.samples;
  search.fractions = {0.5};
  search.levels = {used.level};
  std::vector<std::vector<Separation>> results(static_cast<size_t>(rows),
                                               std::vector<Separation>(static_cast<size_t>(cells)));
  parallel_for(rows * cells, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / cells;
      const int64_t cell = i % cells;
      const SeparationContent content = kContents[static_cast<size_t>(row / encodings)];
      const SeparationEncoding encoding = kEncodings[static_cast<size_t>(row % encodings)];
      const SeparationSetting setting = setting_of(used, content, static_cast<size_t>(cell % wanted));
      // Encodings meet the same keys and the same random queries.
      const RandomStream stream{.seed = used.first_seed + static_cast<uint64_t>(cell / wanted),
                                .purpose = Purpose::data,
                                .site = static_cast<uint32_t>(cell % wanted)};
      results[static_cast<size_t>(row)][static_cast<size_t>(cell)] =
          separation(encoding, setting, sampled_keys(setting, stream), stream, search);
    }
  });
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<Separation>& own = results[static_cast<size_t>(row)];
    SeparationRow summary;
    summary.encoding = kEncodings[static_cast<size_t>(row % encodings)];
    summary.content = kContents[static_cast<size_t>(row / encodings)];
    summary.margin = spread(own, used.seeds, [](const Separation& s) { return s.margin; });
    summary.bound = spread(own, used.seeds, [](const Separation& s) { return s.bound; });
    summary.positive = spread(own, used.seeds, [](const Separation& s) { return s.positive_share; });
    summary.clear = spread(own, used.seeds, [](const Separation& s) { return s.level_shares.front(); });
    summary.near_best = spread(own, used.seeds, [](const Separation& s) { return s.fraction_shares.front(); });
    summary.converged = std::all_of(own.begin(), own.end(), [](const Separation& s) { return s.converged; });
    table.rows.push_back(std::move(summary));
  }
  table.claims = claims_of(table);
  return table;
}

}  // namespace phasor
