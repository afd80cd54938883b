#pragma once
// Rules that stretch a rotation's frequencies, so that a model trained on short sequences can read longer ones. The
// numbers are those of Hugging Face's modeling_rope_utils.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/encoding/resolve/places.h"
#include "phasor/encoding/syntax/arguments.h"
#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

class RopeScaling {
 public:
  static std::vector<EncodingParameter> parameters();

  // Of an entry with this base. Throws EncodingError for arguments that the rule does not use, or lacks.
  RopeScaling(const EncodingArguments& arguments, std::string_view entry, double base);

  bool none() const { return rule_ == Rule::none; }
  // The rule looks at the length of the sequence at hand, not at the longest there may be.
  bool depends_on_length() const { return rule_ == Rule::dynamic || rule_ == Rule::longrope; }

  // On the turned channels of queries and keys alike, so that its square is on their products.
  double turned_factor() const;
  // On whole logits, those of channels at rest included.
  double logit_factor() const;

  // An error at the term where a list of factors does not fit so many pairs.
  void check(const EncodingPlaces& places, int64_t pairs) const;

  // Sequences of one class share their frequencies. Empty where all do, up to the longest.
  std::vector<int32_t> class_of_length(int64_t longest) const;
  // In radians per position, from a grid that spans `channels`.
  std::vector<double> frequencies(double base, int64_t channels, int64_t length_class) const;
  // What they are divided by where the rule divides in full; 0: each pair has a divisor of its own.
  double stretch(int64_t length_class) const;

  // What the rule makes of `frequency`, a formula; and of queries and keys, empty where that is nothing.
  std::string formula(const std::string& frequency) const;
  std::string attention_formula() const;
  // Whether the rule looks at one of parameters().
  bool reads(std::string_view parameter) const;

 private:
  enum class Rule : uint8_t { none, linear, ntk, dynamic, yarn, llama3, longrope };

  double attention_factor() const;
  void check_arguments(const EncodingArguments& arguments, double base) const;
  std::vector<double> yarn(double base, int64_t channels) const;
  std::vector<double> llama3(double base, int64_t channels) const;

  std::string entry_;
  Rule rule_ = Rule::none;
  double factor_;
  double original_;  // length
  double beta_fast_, beta_slow_;
  bool truncate_;
  double low_, high_;
  double attention_;
  bool on_logits_;
  double mscale_, mscale_all_dim_;
  std::vector<double> short_, long_;
};

}  // namespace phasor
