#include "phasor/base/json_fields.h"
#include "phasor/spectrum/check_groups.h"
#include "phasor/spectrum/head_output.h"

namespace phasor {

std::string_view json_name(const Spread*) { return "range"; }

const Fields<Spread>& json_fields(const Spread*) {
  static const Fields<Spread> fields = {field("mean", &Spread::mean, "over the sequences in which it is defined"),
                                        field("least", &Spread::least, "of these"),
                                        field("most", &Spread::most, "of these"),
                                        field("count", &Spread::count, "how many these are")};
  return fields;
}

static const Fields<RelativeFit>& json_fields(const RelativeFit*) {
  using R = RelativeFit;
  static const Fields<R> fields = {
      field("r2", &R::r2, "what distance explains of the logits beside a constant per query"),
      field("null", &R::null, "what noise alone would have"),
      field("adjusted", &R::adjusted, "(r2 - null) / (1 - null)"),
      field("defined", &R::defined, "false: there is nothing to explain"),
      derived_field<R>(
          "gauge", [](const R&) { return "kernel of mean 0"; }, "how the kernel is told from the constants")};
  return fields;
}

static const Fields<ToeplitzShare>& json_fields(const ToeplitzShare*) {
  using S = ToeplitzShare;
  static const Fields<S> fields = {field("share", &S::share, "of the squared logits that is in diagonal means"),
                                   field("null", &S::null, "what noise alone would have"),
                                   field("defined", &S::defined, "false: all logits are 0")};
  return fields;
}

static const Fields<Symbol>& json_fields(const Symbol*) {
  static const Fields<Symbol> fields = {
      field("width", &Symbol::width, "largest - smallest real part"),
      field("dominant_frequency", &Symbol::dominant_frequency, "where it is largest, 0 to pi"),
      field("dominant_magnitude", &Symbol::dominant_magnitude, "its size there"),
      field("decay_length", &Symbol::decay_length,
            "least distance at which the kernel is below 1 / e of that at 0; -1: none")};
  return fields;
}

static const Fields<HeadReport>& json_fields(const HeadReport*) {
  using R = HeadReport;
  static const Fields<LogitSplit> null_shares = {
      field("gauge", &LogitSplit::gauge_null, "as noise alone would have it"),
      field("relative", &LogitSplit::relative_null, "likewise"),
      field("absolute_key", &LogitSplit::absolute_key_null, "likewise"),
      field("residual", &LogitSplit::residual_null, "likewise")};
  const auto of_range = [](double NumericalRange::*member) {
    return [member](const R& report) { return report.range ? std::optional((*report.range).*member) : std::nullopt; };
  };
  static const Fields<R> fields = {
      field("n", &R::size, "tokens"),
      field("causal", &R::causal, "whether the logits are masked"),
      field("window", &R::window, "of tokens that attention sees; the numbers are of all. Absent: none")
          .left_out_if([](const R& report) { return report.window == 0; }),
      field("chunk", &R::chunk, "likewise").left_out_if([](const R& report) { return report.chunk == 0; }),
      field("biased", &R::biased, "whether they have a bias"),
      field("gated", &R::gated, "whether some of it is made of tokens (gates), not of distances"),
      derived_field<R>(
          "rank_tolerance", [](const R& report) { return report.logits.singular.rank_tolerance; },
          "times the largest: smaller singular values do not count in the numerical rank"),
      derived_field<R>("numerical_radius", of_range(&NumericalRange::radius),
                       "largest modulus in the numerical range; null: not measured"),
      derived_field<R>("numerical_radius_bound", of_range(&NumericalRange::radius_bound), "no point lies beyond it"),
      field("relative", &R::relative, "the fit by distance"),
      field("toeplitz", &R::toeplitz, "the logits as they are, by diagonals"),
      field("symbol", &R::symbol, "of the fitted kernel"),
      group_field("split_null", part_fields(&R::split, null_shares), "the shares of `split`, of noise")};
  return fields;
}

static const Fields<BoundCheck>& bound_fields() {
  static const Fields<BoundCheck> fields = {field("bound", &BoundCheck::bound, "the right side, of the first"),
                                            field("measured", &BoundCheck::measured, "the left side, of the first"),
                                            field("why", &BoundCheck::why, "which hypothesis fails, or what is shown"),
                                            field("masked", &BoundCheck::masked,
                                                  "both sides are of a causal head's lower triangle; else of whole "
                                                  "matrices, also of a causal head")
                                                .since_later()};
  return fields;
}

static const Fields<CheckTally>& json_fields(const CheckTally*) {
  using C = CheckTally;
  static const Fields<C> fields =
      joined_fields<C>({{derived_field<C>(
                             "name", [](const C& tally) { return tally.first.name; }, "of the theorem"),
                         derived_field<C>("verdict", &C::verdict, "`holds`, `violated` or `does not apply`"),
                         field("sequences", &C::sequences, "in which it was checked"),
                         field("applied", &C::applied, "in how many of these its hypotheses are met"),
                         field("held", &C::held, "in how many the inequality is true, whether or not it applied")},
                        part_fields(&C::first, bound_fields())});
  return fields;
}

static const Fields<CheckGroup>& json_fields(const CheckGroup*) {
  using C = CheckGroup;
  static const Fields<C> fields =
      joined_fields<C>({{derived_field<C>(
                             "name", [](const C& group) { return group.first.first.name; }, "of the theorem"),
                         field("verdict", &C::verdict, "`holds`, `violated` or `does not apply`"),
                         field("heads", &C::heads, "that came to this verdict"),
                         field("sequences", &C::sequences, "in which it was checked, over these heads"),
                         field("applied", &C::applied, "in how many of these its hypotheses are met"),
                         field("held", &C::held, "in how many the inequality is true, whether or not it applied")},
                        part_fields(&C::first, part_fields(&CheckTally::first, bound_fields()))});
  return fields;
}

static const Fields<HeadSummary>& json_fields(const HeadSummary*) {
  using H = HeadSummary;
  // null where no sequence defines it.
  const auto spread = [](const char* name, Spread H::*member, const char* help) {
    return derived_field<H>(
        name, [member](const H& head) { return (head.*member).count > 0 ? std::optional(head.*member) : std::nullopt; },
        help);
  };
  static const Fields<H> fields = {
      field("layer", &H::layer, "from 0"),
      field("head", &H::head, "from 0"),
      field("sequences", &H::sequences, "that were measured"),
      spread("spectral_norm", &H::spectral_norm, "largest singular value, sigma_1"),
      spread("stable_rank", &H::stable_rank, "sum of squared singular values / largest one squared"),
      spread("effective_rank", &H::effective_rank, "exp of the entropy of sigma / sum of sigma"),
      spread("participation_ratio", &H::participation_ratio, "(sum of sigma^2)^2 / sum of sigma^4"),
      spread("numerical_rank", &H::numerical_rank, "singular values above the rank tolerance"),
      spread("condition", &H::condition, "largest / smallest singular value on the numerical rank"),
      spread("abscissa", &H::abscissa, "largest eigenvalue of the symmetric part (S + S^T) / 2"),
      spread("symmetric_width", &H::symmetric_width, "largest - smallest eigenvalue of the symmetric part"),
      spread("antisymmetry", &H::antisymmetry, "share of the squared norm that is in (S - S^T) / 2"),
      spread("spectral_radius", &H::spectral_radius, "largest modulus of an eigenvalue"),
      spread("henrici", &H::henrici, "departure from normality"),
      spread("contraction", &H::contraction, "sigma_1 divided by sigma_1 with all angles at zero"),
      spread("stable_rank_ratio", &H::stable_rank_ratio, "the same of stable ranks"),
      spread("majorisation_gap", &H::majorisation_gap, "of the singular values, relative to angles at zero"),
      spread("bias_expansion", &H::bias_expansion, "sigma_1 with the bias divided by sigma_1 without"),
      spread("relative_r2", &H::relative_r2, "what distance explains of the logits, adjusted"),
      spread("toeplitz", &H::toeplitz, "share of diagonal means, less chance"),
      group_field<H>(
          "split",
          {spread("gauge", &H::gauge, "by a constant per query, which attention does not see"),
           spread("relative", &H::relative, "by distance"), spread("absolute_key", &H::absolute_key, "by the key"),
           spread("residual", &H::residual, "what is left: content")},
          "shares of the logits' variance, fitted in this order"),
      field("first", &H::first, "about the first sequence"),
      field("checks", &H::checks, "theorems, of this head")};
  return fields;
}

nlohmann::ordered_json head_json(const HeadSummary& head) { return write_json(head); }

nlohmann::ordered_json checks_json(const std::vector<HeadSummary>& heads) { return write_json(check_groups(heads)); }

const Fields<std::vector<HeadSummary>>& head_list_fields() {
  using Heads = std::vector<HeadSummary>;
  static const Fields<Heads> fields = {
      derived_field<Heads>("checks", check_groups, "theorems over all heads, by verdict"),
      derived_field<Heads>(
          "heads", [](const Heads& heads) -> const Heads& { return heads; }, "every head, layer by layer")};
  return fields;
}

}  // namespace phasor
