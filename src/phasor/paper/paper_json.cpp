#include "phasor/paper/paper_json.h"

#include "phasor/base/csv.h"
#include "phasor/base/json_fields.h"

namespace phasor::paper {

using Json = nlohmann::ordered_json;

static const Fields<Evidence>& json_fields(const Evidence*) {
  using E = Evidence;
  static const Fields<E> fields = {field("what", &E::what, "it is"),
                                   field("value", &E::value, "null: it has none"),
                                   field("low", &E::low, "95 % interval unless the text says otherwise"),
                                   field("high", &E::high, "its upper end"),
                                   field("unit", &E::unit, "of the value; often empty"),
                                   field("text", &E::text, "what else is to be known")};
  return fields;
}

const Fields<JudgedClaim>& json_fields(const JudgedClaim*) {
  using J = JudgedClaim;
  const auto about = [](std::string Claim::*member) {
    return [member](const J& judged) { return claim(judged.id).*member; };
  };
  static const Fields<J> fields = {
      field("id", &J::id, "as in [claims.md](claims.md)"),
      field("protocol", &J::protocol, "that it was judged under; `any` where no training decides"),
      derived_field<J>(
          "verdict", [](const J& judged) { return name(judged.verdict); }, "`holds`, `fails` or `undetermined`"),
      field("post_hoc", &J::post_hoc, "the study's plan, rules or claims are not as registered before its first run"),
      field("extension", &J::extension,
            "the numbers behind it would differ without runs that were added to the study later")
          .since_later(),
      field("reason", &J::reason, "one or two sentences with numbers"),
      field("needs", &J::needs, "what is missing, or what would decide; often empty"),
      derived_field<J>("claim", about(&Claim::claim), "in words"),
      derived_field<J>("made", about(&Claim::made), "where: version, section, figure"),
      derived_field<J>("holds", about(&Claim::holds), "the criterion for it"),
      derived_field<J>("fails", about(&Claim::fails), "the criterion against it"),
      field("evidence", &J::evidence, "the numbers that the verdict rests on")};
  return fields;
}

const Fields<JudgedClaim>& claim_columns() {
  static const Fields<JudgedClaim> columns = [] {
    constexpr std::string_view kColumns[] = {"id",        "protocol", "verdict", "post_hoc",
                                             "extension", "reason",   "needs",   "claim"};
    AnyFields chosen;
    for (const std::string_view column : kColumns) {
      for (const AnyField& member : fields_of<JudgedClaim>().any()) {
        if (member.name == column) chosen.push_back(member);
      }
    }
    return Fields<JudgedClaim>(chosen);
  }();
  return columns;
}

std::string claims_csv(const std::vector<JudgedClaim>& judged) { return csv_text(judged, claim_columns()); }

static const Fields<AuditCounts>& json_fields(const AuditCounts*) {
  using C = AuditCounts;
  static const Fields<C> fields = {
      field("planned", &C::planned, "runs"),
      field("finished", &C::finished, "runs"),
      field("unconverged", &C::unconverged, "finished runs that had not stopped improving"),
      field("failed", &C::failed, "runs"),
      field("deposit", &C::deposit, "finished runs with this verdict by position"),
      field("partial", &C::partial, "likewise"),
      field("spread", &C::spread, "likewise"),
      field("not_used", &C::not_used, "likewise"),
      field("undetermined", &C::undetermined, "likewise")};
  return fields;
}

static const Fields<AuditChange>& json_fields(const AuditChange*) {
  using C = AuditChange;
  static const Fields<C> fields = {
      field("base", &C::base, "without the switch, by seed"),
      field("switched", &C::switched, "with it, by seed"),
      field("base_mean", &C::base_mean, "without it"),
      field("mean", &C::mean, "with it"),
      derived_field<C>(
          "change", [](const C& change) { return change.change.estimate; }, "`mean` - `base_mean`"),
      derived_field<C>(
          "low", [](const C& change) { return change.change.low; }, "its 95 % interval by Welch"),
      derived_field<C>(
          "high", [](const C& change) { return change.change.high; }, "its upper end"),
      derived_field<C>(
          "p", [](const C& change) { return change.test.p; }, "of an exact permutation test, two-sided"),
      derived_field<C>(
          "smallest_p", [](const C& change) { return change.test.smallest_p; }, "that it can give with so many runs"),
      field("holm", &C::holm, "p adjusted over the switches of this encoding, base and number"),
      derived_field<C>("significant", &C::is_significant, "at 5 %, by test and by interval")};
  return fields;
}

static const Fields<AuditRow>& json_fields(const AuditRow*) {
  using R = AuditRow;
  static const Fields<R> fields = {
      field("switch", &R::name, "its name"),
      field("what", &R::what, "in words"),
      field("counts", &R::counts, "of its runs"),
      field("ceiling", &R::ceiling, "the best that its samples allow, %"),
      field("accuracy", &R::accuracy, "change of test accuracy, %; null: too few runs"),
      field("max_share", &R::max_share, "change of the largest head's share; null likewise")};
  return fields;
}

const Fields<AuditBlock>& json_fields(const AuditBlock*) {
  using B = AuditBlock;
  static const Fields<B> fields = {field("encoding", &B::encoding, "its name"),
                                   field("base", &B::base, "the protocol that one choice is switched of"),
                                   field("finding", &B::finding, "in a sentence or two"),
                                   field("base_accuracy", &B::base_accuracy, "mean, %"),
                                   field("base_ceiling", &B::base_ceiling, "the best that the samples allow, %"),
                                   field("base_max_share", &B::base_max_share, "mean of the largest head's share"),
                                   field("base_counts", &B::base_counts, "of the runs without a switch"),
                                   field("switches", &B::rows, "one choice each, set to the other protocol's")};
  return fields;
}

static const Fields<PublishedPoint>& json_fields(const PublishedPoint*) {
  using P = PublishedPoint;
  static const Fields<P> fields = {field("at", &P::at, "on the axis"),
                                   field("low", &P::low, "the number, or the lower end of its range"),
                                   field("high", &P::high, "the number, or the upper end of its range"),
                                   field("approximate", &P::approximate, "the paper says so")};
  return fields;
}

const Fields<PublishedEntry>& json_fields(const PublishedEntry*) {
  using E = PublishedEntry;
  static const Fields<E> fields = {
      field("id", &E::id, "its name here"),
      field("figure", &E::figure, "where the paper shows it"),
      field("task", &E::task, "its name"),
      field("encoding", &E::encoding, "the name in the figure"),
      field("subject", &E::subject, "which of the study's encodings it is; often empty"),
      field("quantity", &E::quantity, "what is shown"),
      field("axis", &E::axis, "what the points count; empty for a single number"),
      field("baseline", &E::baseline, "of the quantity, where the figure has one"),
      field("points", &E::points, "by rising `at`"),
      derived_field<E>(
          "provenance", [](const E& entry) { return name(entry.provenance); }, "`printed` or `digitised`"),
      field("error", &E::error, "of digitised numbers, at most"),
      field("note", &E::note, "often empty")};
  return fields;
}

Json claims_json(const std::vector<JudgedClaim>& judged) { return write_json(judged); }

Json audit_json(const std::vector<AuditBlock>& blocks) { return write_json(blocks); }

Json published_json(const std::vector<PublishedEntry>& entries) { return write_json(entries); }

}  // namespace phasor::paper
