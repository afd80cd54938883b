#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/wrapped_text.h"
#include "phasor/spectrum/check_groups.h"
#include "phasor/spectrum/head_output.h"

namespace phasor {
namespace {

constexpr size_t kTextColumns = 100;

// As many digits as help, in six characters.
std::string number(double value) {
  const double size = std::abs(value);
  if (size != 0.0 && (size >= 99999.5 || size < 0.0005)) return fmt::format("{:.0e}", value);
  return fmt::format("{:.{}f}", value, size >= 1000.0 ? 0 : size >= 100.0 ? 1 : size >= 10.0 ? 2 : 3);
}

std::string share(const Spread& spread) {
  if (spread.count == 0) return "-";
  const std::string text = fmt::format("{:.3f}", spread.mean);
  return text == "-0.000" ? "0.000" : text;
}

std::string mean(const Spread& spread) { return spread.count == 0 ? "-" : number(spread.mean); }

std::string with_range(const Spread& spread) {
  if (spread.count == 0) return "-";
  if (spread.count == 1) return number(spread.mean);
  return fmt::format("{} ({}-{})", number(spread.mean), number(spread.least), number(spread.most));
}

bool is_causal(const std::vector<HeadSummary>& heads) { return !heads.empty() && heads.front().first.causal; }

}  // namespace

std::string head_table(const std::vector<HeadSummary>& heads) {
  const bool several = std::any_of(heads.begin(), heads.end(),
                                   [&](const HeadSummary& head) { return head.layer != heads.front().layer; });
  std::string text = fmt::format("{:>5}  {:>7}  {:>6}  {:>6}  {:>4}  {:<19}  {:>6}  {:>6}  {:>8}  {:>6}  {:>7}\n",
                                 several ? "layer" : "head", "sigma_1", "stable", "eff.", "rank", "contraction (range)",
                                 "bias x", "R2_rel", "Toeplitz", "key", "content");
  for (const HeadSummary& head : heads) {
    const std::string label = several ? fmt::format("{}.{}", head.layer, head.head) : fmt::format("{}", head.head);
    text += fmt::format("{:>5}  {:>7}  {:>6}  {:>6}  {:>4}  {:<19}  {:>6}  {:>6}  {:>8}  {:>6}  {:>7}\n", label,
                        mean(head.spectral_norm), mean(head.stable_rank), mean(head.effective_rank),
                        fmt::format("{:.0f}", head.numerical_rank.most), with_range(head.contraction),
                        mean(head.bias_expansion), share(head.relative_r2), share(head.toeplitz),
                        share(head.absolute_key), share(head.residual));
  }
  return text;
}

const char* head_legend() {
  return "\nsigma_1: spectral norm; stable, eff.: stable and effective rank; contraction: sigma_1 over that of\n"
         "the same queries and keys with all angles at zero; bias x: sigma_1 with over without the bias;\n"
         "R2_rel: what distance explains beside a constant per query, adjusted for chance; Toeplitz: share of\n"
         "diagonal means, less chance; key, content: shares of what each key has on its own, and of the rest.\n";
}

const char* mask_legend(const std::vector<HeadSummary>& heads) {
  return is_causal(heads) ? "all columns masked: of the lower triangle, which attention reads, and 0 above it\n"
                          : "all columns unmasked: there is no causal mask\n";
}

std::string check_table(const std::vector<HeadSummary>& heads) {
  const bool causal = is_causal(heads);
  std::string text;
  for (const CheckGroup& group : check_groups(heads)) {
    const BoundCheck& check = group.first.first;
    const std::string of = group.heads == static_cast<int64_t>(heads.size())
                               ? std::string()
                               : fmt::format(" ({} of {} heads)", group.heads, heads.size());
    const bool shown = check.measured != 0.0 || check.bound != 0.0;
    const std::string numbers =
        shown ? fmt::format("{} {} {}", number(check.measured), check.holds ? "<=" : ">", number(check.bound))
              : std::string(1, '-');
    const char* mask = !causal || !shown ? "" : check.masked ? " masked" : " unmasked";
    std::string line = fmt::format("  {:<27} {:<15} {}{}", check.name, group.verdict, numbers, mask);
    if (group.sequences > 1 && shown) {
      const std::string held = fmt::format("<= in {} of {}", group.held, group.sequences);
      constexpr size_t kHeldColumn = 63;
      const bool fits = std::max(line.size() + 2, kHeldColumn) + held.size() + of.size() <= kTextColumns;
      line += fits ? fmt::format("{:<{}}{}", "", line.size() < kHeldColumn ? kHeldColumn - line.size() : 2, held)
                   : fmt::format("\n      {}", held);
    }
    text += fmt::format("{}{}\n      {}\n", line, of, wrapped(check.why, kTextColumns, 6));
  }
  return text;
}

}  // namespace phasor
