#pragma once
// Which encodings can single out a distance, and how easily: separation() over wanted distances and seeds, and what
// that says to the claim that rotary encodings have the larger space of solutions. One distance is wanted with the
// content fixed and varied, a game that biases win by construction; and two contents want a distance each, one that
// they lose.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/spectrum/separation.h"

namespace phasor {

struct SeparationTableOptions {
  int64_t distances = 32;
  std::vector<int64_t> wanted;  // empty: 1 and about an eighth, a third and two thirds of the distances
  int64_t seeds = 5;
  uint64_t first_seed = 0;
  int64_t width = 16;
  double variation = 0.25;  // share of a key's squared length that is its own, where content varies
  int64_t draws = 4;        // of content, where it varies
  int64_t samples = 4000;   // of random parameters
  double level = 0.5;       // a margin, in logits, that is called clear
};

enum class SeparationContent : uint8_t {
  fixed,   // all keys alike
  varied,  // a part of each key is its own
  decides  // two contents, each of which wants another distance
};
const char* name(SeparationContent content);

// Mean over all cells, and the range of the seeds' means.
struct SeedSpread {
  double mean = 0.0, least = 0.0, most = 0.0;
  std::vector<double> seeds;  // means over wanted distances, one a seed
};

struct SeparationRow {
  SeparationEncoding encoding = SeparationEncoding::nope;
  SeparationContent content = SeparationContent::fixed;
  SeedSpread margin;     // the best
  SeedSpread bound;      // that no parameters exceed
  SeedSpread positive;   // share of random parameters where the wanted distance wins
  SeedSpread clear;      // ... by more than the level
  SeedSpread near_best;  // ... by more than half of the encoding's own best margin
  bool converged = true;
};

// A claim that one encoding's number exceeds another's, decided seed by seed.
struct SeparationClaim {
  std::string claim;
  double left = 0.0, right = 0.0;  // means
  int64_t favourable = 0;          // seeds where left > right
  int64_t contrary = 0;            // where left < right
  int64_t seeds = 0;

  // "holds" or "violated" where all seeds agree, and there are at least five of them; else "undetermined".
  const char* verdict() const;
};

struct SeparationTable {
  SeparationTableOptions options;  // as used
  double budget = 0.0;             // query_length * key_length * scale = bias_range: what either may spend, in logits
  std::vector<SeparationRow> rows;
  std::vector<SeparationClaim> claims;
};

SeparationTable separation_table(const SeparationTableOptions& options);

// For people and for programs.
const Fields<SeparationTable>& json_fields(const SeparationTable*);
std::string separation_text(const SeparationTable& table);
nlohmann::ordered_json separation_json(const SeparationTable& table);

}  // namespace phasor
