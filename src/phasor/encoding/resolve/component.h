#pragma once
// What a catalogue entry implements: an encoding's term with its arguments. docs/adding_an_encoding.md
// says how to add one.
#include <cstdint>
#include <string>
#include <string_view>

#include "phasor/encoding/resolve/places.h"

namespace phasor {

// Where positions meet content in the logits.
enum class Coupling : uint8_t {
  none,               // nowhere
  row_scale,          // a factor by the query's position on products of content: no key's position enters
  input,              // in the embeddings: every product with them mixes both
  toeplitz_bias,      // a number added by distance, whatever the content
  hadamard_toeplitz,  // factors by distance, multiplied with products of content channel by channel
  hadamard,           // factors by both positions, multiplied likewise, that distance alone does not decide
  content_bias,       // a number added by what stands between query and key
  content_rotation,   // factors or matrices by what the tokens say, multiplied with products of content
  distance_rows,      // products of a token's content with a vector per distance
};

std::string_view coupling_name(Coupling coupling);

// What becomes of positions and distances beyond the longest sequence of training. Of a sum the last that applies.
enum class Beyond : uint8_t {
  formula,  // tables go on by the formula that made them
  clamped,  // from a bound on, all count as the one at the bound
  drawn,    // positions come from the range that training drew them from
  refused,  // there are trained numbers for each position or distance of training, and none beyond
};

std::string_view beyond_name(Beyond beyond);

struct EncodingTraits {
  Coupling coupling = Coupling::none;
  bool neutral = false;            // fills no place at all
  bool exactly_relative = false;   // logits stay as they are when all positions move together
  bool learnable = false;          // some of it is trained
  bool extrapolates = false;       // made to be used at positions that training never saw
  bool bidirectional = false;      // tells positions apart without a causal mask
  bool depends_on_length = false;  // on the length of the sequence, beside positions
  bool n_dimensional = false;      // of coordinates instead of an index
  bool masked = false;             // some heads see a window or a chunk only
  Beyond beyond = Beyond::formula;
};

class EncodingComponent {
 public:
  virtual ~EncodingComponent() = default;
  virtual EncodingTraits traits() const = 0;
  // The formula in force; empty: the entry's own says all.
  virtual std::string formula() const { return {}; }
  // What becomes of positions beyond those of training, in a few words; empty: what traits() say is all (beyond.h).
  virtual std::string beyond() const { return {}; }
  // Whether a parameter of the entry has a say, as the others are.
  virtual bool reads(std::string_view /*parameter*/) const { return true; }
  // What its tables must tell apart beyond positions and distances.
  virtual TableForm form() const { return {}; }
  // The same for models of one shape, where it matters whether they have a mask.
  virtual TableForm form_for(const EncodingShape& /*shape*/) const { return form(); }
  // Makes the tables for places.shape() and puts them where they belong. The assignment to heads and
  // layers is the business of `places`.
  virtual void fill(EncodingPlaces& places) const = 0;
};

}  // namespace phasor
