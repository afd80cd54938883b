#pragma once
// The names of the cells that the study of arXiv 2505.13027 is made of, so that plan and claims speak of the same ones.
#include <string>
#include <utility>
#include <vector>

#include "phasor/run/config_presets.h"
#include "phasor/study/plan/cell_name.h"

namespace phasor::paper {

inline constexpr const char* kClean = "clean";
inline constexpr const char* kReleased = "released";
inline constexpr const char* kReleasedMla = "released_mla";

inline constexpr const char* kDistance = "distance";
inline constexpr const char* kCounting = "counting";
inline constexpr const char* kIndex = "index";
inline constexpr const char* kIndirect = "indirect";
inline constexpr const char* kJoint = "joint";
inline constexpr const char* kFromTheEnd = "from the end";  // variant of index: places are counted from the end

// An encoding of the paper under both protocols. What the released code at commit ffe3159 does to an encoding is
// written in its expression.
struct PaperEncoding {
  std::string name;   // as the paper says it
  std::string clean;  // canonical expressions
  std::string released;
};

// NoPE, Absolute, Random, Relative, ALiBi, RoPE, RoPE+Absolute, MLA: whose accuracies are compared. The accuracy curves
// of the released code have RoPE+Absolute under the name RoPE; its ablations have RoPE alone.
const std::vector<PaperEncoding>& paper_encodings();
const PaperEncoding& paper_encoding(const std::string& name);

// "released" means "released_mla" for MLA, whose released program is another one.
CellName cell_of(const PaperEncoding& encoding, const std::string& task, const std::string& protocol,
                 const std::string& variant = "");

// The principle of the paper, taken apart: are angles of positions multiplied (rope) or added (sinusoidal), and do they
// grow with the position, so that products of two depend on the distance alone, or belong to positions at random?
struct PrincipleEncoding {
  std::string label;     // "multiplied, relative"
  std::string encoding;  // canonical
};
struct PrincipleEncodings {
  PrincipleEncoding multiplied_relative, multiplied_random, added_relative, added_random;

  std::vector<PrincipleEncoding> all() const {
    return {multiplied_relative, multiplied_random, added_relative, added_random};
  }
};
const PrincipleEncodings& principle_encodings();

// RoPE in the first k of `heads` heads of every layer; k = 0 is nope and k = heads is rope.
CellName rotary_heads_cell(int64_t k, int64_t heads, const std::string& task, const std::string& protocol);

// rope with as many parameters as mla, on distance, clean.
CellName matched_cell();

// One choice of the released protocol that may confound a comparison, with its settings in both protocols.
struct Confound {
  std::string name;  // "keys_values"
  std::string what;  // "keys and values from the embeddings in every layer"
  ConfigBundle clean, released;
};
// Six, for distance: with more, five seeds against five could tell none of them after Holm's correction.
const std::vector<Confound>& confounds();

// What the audit starts from: steps and learning rate are those of `released` under both protocols, so that the six
// confounds are all that lies between them. For rope and sinusoidal, on distance.
CellName audit_base_cell(const std::string& encoding, const std::string& protocol);
// One confound switched alone: `released` but for it, or `clean` but for it.
CellName audit_cell(const std::string& encoding, const std::string& protocol, const Confound& confound);
const std::vector<std::string>& audited_encodings();

}  // namespace phasor::paper
