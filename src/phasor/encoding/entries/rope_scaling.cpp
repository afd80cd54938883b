#include "phasor/encoding/entries/rope_scaling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "phasor/encoding/entries/frequencies.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// In the order of Rule.
const std::vector<std::string>& rules() {
  static const std::vector<std::string> names = {"none", "linear", "ntk", "dynamic", "yarn", "llama3", "longrope"};
  return names;
}

// Which rules read an argument.
struct ArgumentUse {
  const char* argument;
  std::vector<std::string> rules;
};

const std::vector<ArgumentUse>& argument_uses() {
  static const std::vector<ArgumentUse> uses = {
      {"factor", {"linear", "ntk", "dynamic", "yarn", "llama3", "longrope"}},
      {"original", {"dynamic", "yarn", "llama3", "longrope"}},
      {"beta_fast", {"yarn"}},
      {"beta_slow", {"yarn"}},
      {"truncate", {"yarn"}},
      {"low", {"llama3"}},
      {"high", {"llama3"}},
      {"attention", {"yarn", "longrope"}},
      {"attention_on", {"yarn", "longrope"}},
      {"mscale", {"yarn"}},
      {"mscale_all_dim", {"yarn"}},
      {"short", {"longrope"}},
      {"long", {"longrope"}},
  };
  return uses;
}

template <class... Args>
[[noreturn]] void fail_at(std::string_view entry, const EncodingArguments& arguments, std::string_view name,
                          fmt::format_string<Args...> reason, Args&&... args) {
  throw EncodingError(arguments.text(), arguments.column(name),
                      fmt::format("{}: {}", entry, fmt::format(reason, std::forward<Args>(args)...)));
}

// YaRN's recommended factor for a stretch.
double recommended_attention(double factor, double mscale) {
  return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

// The base whose slowest frequency is `factor` times slower, and whose fastest is the same.
double stretched_base(double base, int64_t channels, double factor) {
  if (channels == 2) return base;  // the one frequency is 1 with any base
  const double width = static_cast<double>(channels);
  return base * std::pow(factor, width / (width - 2.0));
}

}  // namespace

std::vector<EncodingParameter> RopeScaling::parameters() {
  constexpr double kMostFactor = 1e6;
  return {
      word_parameter("scaling", rules(), "how frequencies are stretched for sequences longer than training's"),
      number_parameter("factor", 1, 1, kMostFactor, "how many times longer the sequences are to be"),
      integer_parameter("original", 0, 0, int64_t{1} << 30,
                        "length that the frequencies were meant for: of dynamic, yarn, llama3, longrope"),
      number_parameter("beta_fast", 32, 1e-6, 1e6,
                       "yarn: pairs that turn more often than this within `original` stay as they are"),
      number_parameter("beta_slow", 1, 1e-6, 1e6, "yarn: pairs that turn less often are stretched in full"),
      word_parameter("truncate", {"yes", "no"}, "yarn: the ramp between the two starts and ends at whole pairs"),
      number_parameter("low", 1, 1e-6, 1e6, "llama3: pairs that turn less often than this are stretched in full"),
      number_parameter("high", 4, 1e-6, 1e6, "llama3: pairs that turn more often stay as they are"),
      number_parameter("attention", 0, 0, 100, "yarn, longrope: factor on turned queries and keys; 0: the rule's own"),
      word_parameter("attention_on", {"rotated", "logits"},
                     "yarn, longrope: the factor is on turned channels of queries and keys, or its square on whole "
                     "logits, channels at rest included"),
      number_parameter("mscale", 0, 0, 100, "yarn: numerator of that factor, as in DeepSeek-V2; 0: none"),
      number_parameter("mscale_all_dim", 0, 0, 100, "yarn: its denominator; 0: none"),
      numbers_parameter("short", 1e-6, 1e9, "longrope: one divisor per pair, up to the length `original`"),
      numbers_parameter("long", 1e-6, 1e9, "longrope: one divisor per pair, beyond it")};
}

RopeScaling::RopeScaling(const EncodingArguments& arguments, std::string_view entry, double base)
    : entry_(entry),
      factor_(arguments.number("factor")),
      original_(arguments.number("original")),
      beta_fast_(arguments.number("beta_fast")),
      beta_slow_(arguments.number("beta_slow")),
      truncate_(arguments.word("truncate") == "yes"),
      low_(arguments.number("low")),
      high_(arguments.number("high")),
      attention_(arguments.number("attention")),
      on_logits_(arguments.word("attention_on") == "logits"),
      mscale_(arguments.number("mscale")),
      mscale_all_dim_(arguments.number("mscale_all_dim")),
      short_(arguments.numbers("short")),
      long_(arguments.numbers("long")) {
  const std::string& name = arguments.word("scaling");
  const auto found = std::find(rules().begin(), rules().end(), name);
  rule_ = static_cast<Rule>(found - rules().begin());
  check_arguments(arguments, base);
}

void RopeScaling::check_arguments(const EncodingArguments& arguments, double base) const {
  const std::string& rule = arguments.word("scaling");
  for (const ArgumentUse& use : argument_uses()) {
    const bool used = std::find(use.rules.begin(), use.rules.end(), rule) != use.rules.end();
    if (used || !arguments.given(use.argument)) continue;
    fail_at(entry_, arguments, use.argument, "{} belongs to scaling={}, not to scaling={}", use.argument,
            fmt::join(use.rules, "|"), rule);
  }
  const auto require = [&](const char* argument, const char* what) {
    if (!arguments.given(argument))
      fail_at(entry_, arguments, "scaling", "scaling={} needs {}: {}", rule, argument, what);
  };
  if (depends_on_length() || rule_ == Rule::yarn || rule_ == Rule::llama3) {
    require("original", "the length that the frequencies were meant for");
  }
  if (rule_ == Rule::yarn) {
    if (beta_fast_ < beta_slow_) fail_at(entry_, arguments, "beta_fast", "beta_fast must be at least beta_slow");
    if (base <= 1.0) fail_at(entry_, arguments, "base", "scaling=yarn needs a base above 1");
    if ((mscale_ > 0.0) != (mscale_all_dim_ > 0.0)) {
      fail_at(entry_, arguments, mscale_ > 0.0 ? "mscale" : "mscale_all_dim",
              "mscale and mscale_all_dim need each other");
    }
    if (attention_ > 0.0 && mscale_ > 0.0) {
      fail_at(entry_, arguments, "attention",
              "attention takes the place of mscale and mscale_all_dim; leave out either");
    }
  }
  if (rule_ == Rule::llama3 && low_ >= high_) {
    fail_at(entry_, arguments, arguments.given("high") ? "high" : "low", "high must be above low");
  }
  if (rule_ == Rule::longrope) {
    require("short", "one divisor per turning pair, for sequences up to the original length");
    require("long", "one divisor per turning pair, for longer sequences");
    if (original_ < 2.0)
      fail_at(entry_, arguments, "original", "scaling=longrope needs an original length of 2 or more");
  }
}

void RopeScaling::check(const EncodingPlaces& places, int64_t pairs) const {
  if (rule_ != Rule::longrope) return;
  for (const auto& [name, list] :
       {std::pair<const char*, const std::vector<double>*>{"short", &short_}, {"long", &long_}}) {
    if (static_cast<int64_t>(list->size()) == pairs) continue;
    places.fail_term(fmt::format("{} must have one number per turning pair, {}, not {}", name, pairs, list->size()));
  }
}

double RopeScaling::attention_factor() const {
  if (attention_ > 0.0) return attention_;
  if (rule_ == Rule::longrope && factor_ > 1.0) return std::sqrt(1.0 + std::log(factor_) / std::log(original_));
  if (rule_ != Rule::yarn) return 1.0;
  if (mscale_ > 0.0) return recommended_attention(factor_, mscale_) / recommended_attention(factor_, mscale_all_dim_);
  return recommended_attention(factor_, 1.0);
}

// DeepSeek's code has both: the ratio of two factors on turned channels, and the square of the lower one on whole
// logits.
double RopeScaling::turned_factor() const { return on_logits_ && mscale_ == 0.0 ? 1.0 : attention_factor(); }

double RopeScaling::logit_factor() const {
  if (!on_logits_) return 1.0;
  const double factor = mscale_ > 0.0 ? recommended_attention(factor_, mscale_all_dim_) : attention_factor();
  return factor * factor;
}

// Class k > 0 of dynamic scaling is the one length original + k; of longrope, all lengths beyond the original.
std::vector<int32_t> RopeScaling::class_of_length(int64_t longest) const {
  const int64_t original = static_cast<int64_t>(original_);
  if (!depends_on_length() || longest <= original) return {};
  const int64_t most = rule_ == Rule::longrope ? 1 : longest;
  std::vector<int32_t> classes;
  for (int64_t n = 0; n <= longest; ++n) {
    classes.push_back(static_cast<int32_t>(std::clamp<int64_t>(n - original, 0, most)));
  }
  return classes;
}

std::vector<double> RopeScaling::frequencies(double base, int64_t channels, int64_t length_class) const {
  if (rule_ == Rule::yarn) return yarn(base, channels);
  if (rule_ == Rule::llama3) return llama3(base, channels);
  if (rule_ == Rule::ntk) return geometric_frequencies(stretched_base(base, channels, factor_), channels);
  if (rule_ == Rule::dynamic && length_class > 0) {
    return geometric_frequencies(stretched_base(base, channels, stretch(length_class)), channels);
  }
  std::vector<double> result = geometric_frequencies(base, channels);
  const std::vector<double>& divisors = length_class == 0 ? short_ : long_;
  for (size_t c = 0; c < result.size(); ++c) {
    if (rule_ == Rule::linear) result[c] /= factor_;
    if (rule_ == Rule::longrope) result[c] /= divisors[c];
  }
  return result;
}

double RopeScaling::stretch(int64_t length_class) const {
  if (rule_ == Rule::none) return 1.0;
  if (rule_ == Rule::longrope) return 0.0;
  if (rule_ != Rule::dynamic) return factor_;
  const double length = original_ + static_cast<double>(length_class);
  return length_class == 0 ? 1.0 : factor_ * length / original_ - (factor_ - 1.0);
}

std::string RopeScaling::formula(const std::string& frequency) const {
  switch (rule_) {
    case Rule::none:
      return frequency;
    case Rule::linear:
      return fmt::format("{} / factor", frequency);
    case Rule::ntk:
      return "(base factor^(C/(C-2)))^(-2c/C)";
    case Rule::dynamic:
      return fmt::format(
          "{}, and (base f^(C/(C-2)))^(-2c/C) with f = factor n/original - (factor - 1) in a sequence of "
          "n > original tokens",
          frequency);
    case Rule::yarn:
      return fmt::format(
          "{} (1 - r + r/factor), r from 0 for the pair that turns beta_fast times within original to 1 "
          "for the one that turns beta_slow times, linear in c between them{}",
          frequency, truncate_ ? ", both rounded to whole pairs" : "");
    case Rule::llama3:
      return fmt::format(
          "{} (s + (1 - s)/factor), s = (original w0/(2 pi) - low)/(high - low) kept within 0 and 1, w0 = "
          "{}",
          frequency, frequency);
    case Rule::longrope:
      return fmt::format("{} / short[c], or / long[c] in a sequence of more than original tokens", frequency);
  }
  return frequency;
}

std::string RopeScaling::attention_formula() const {
  if (rule_ != Rule::yarn && rule_ != Rule::longrope) return {};
  const std::string factor = attention_ > 0.0          ? "attention"
                             : rule_ == Rule::longrope ? "sqrt(1 + log(factor)/log(original))"
                             : mscale_ > 0.0 ? "(0.1 mscale log(factor) + 1)/(0.1 mscale_all_dim log(factor) + 1)"
                                             : "0.1 log(factor) + 1";
  // What it comes to, in numbers; squared where it is on both sides of a product.
  const double turned = turned_factor() * turned_factor();
  if (!on_logits_) {
    return fmt::format(
        "turned channels of queries and keys times {}, which is {:.4g} on their products and 1 on those of channels at "
        "rest",
        factor, turned);
  }
  if (mscale_ > 0.0) {
    return fmt::format(
        "turned channels of queries and keys times {}, {:.4g} on their products; whole logits times (0.1 "
        "mscale_all_dim "
        "log(factor) + 1)^2 = {:.4g}",
        factor, turned, logit_factor());
  }
  return fmt::format("whole logits times ({})^2 = {:.4g}, turned channels or not", factor, logit_factor());
}

bool RopeScaling::reads(std::string_view parameter) const {
  if (parameter == "scaling") return rule_ != Rule::none;
  // 0 means that the rule goes another way.
  if (parameter == "attention" && attention_ == 0.0) return false;
  if (parameter == "attention_on") return on_logits_;
  if ((parameter == "mscale" || parameter == "mscale_all_dim") && mscale_ == 0.0) return false;
  const std::string& rule = rules()[static_cast<size_t>(rule_)];
  for (const ArgumentUse& use : argument_uses()) {
    if (use.argument == parameter) return std::find(use.rules.begin(), use.rules.end(), rule) != use.rules.end();
  }
  return false;
}

std::vector<double> RopeScaling::yarn(double base, int64_t channels) const {
  // The (fractional) pair that turns so often within the original length.
  const double width = static_cast<double>(channels);
  const auto pair_of_turns = [&](double turns) {
    return width * std::log(original_ / (turns * kTurn)) / (2.0 * std::log(base));
  };
  double first = pair_of_turns(beta_fast_);
  double last = pair_of_turns(beta_slow_);
  if (truncate_) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  // Where every pair is faster than beta_fast the ramp starts behind the last one. Hugging Face's then runs
  // backwards and stretches them all; this one stretches none.
  last = std::max(std::min(last, width - 1.0), first);
  if (first == last) last += 0.001;  // a step
  std::vector<double> result = geometric_frequencies(base, channels);
  for (size_t c = 0; c < result.size(); ++c) {
    const double ramp = std::clamp((static_cast<double>(c) - first) / (last - first), 0.0, 1.0);
    result[c] *= (1.0 - ramp) + ramp / factor_;
  }
  return result;
}

std::vector<double> RopeScaling::llama3(double base, int64_t channels) const {
  std::vector<double> result = geometric_frequencies(base, channels);
  for (double& frequency : result) {
    const double turns = original_ * frequency / kTurn;
    const double kept = std::clamp((turns - low_) / (high_ - low_), 0.0, 1.0);
    frequency *= kept + (1.0 - kept) / factor_;
  }
  return result;
}

}  // namespace phasor
