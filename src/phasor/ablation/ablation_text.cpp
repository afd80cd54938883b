#include "phasor/ablation/ablation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "phasor/base/wrapped_text.h"

namespace phasor {
namespace {

constexpr size_t kColumns = 100;

constexpr int64_t kWideHeads = 8;  // more than these are shown in narrow cells

// By the head's share of the layer's drops.
const char* shade(double share) {
  constexpr std::array<const char*, 5> kShades = {" ", "░", "▒", "▓", "█"};
  return kShades[static_cast<size_t>(std::clamp(std::ceil(4.0 * share - 0.05), 0.0, 4.0))];
}

std::string drop_text(double drop, bool narrow) {
  const int digits = narrow ? 1 : std::abs(drop) < 9.995 ? 2 : 1;
  const std::string text = fmt::format("{:.{}f}", drop, digits);
  return text.find_first_of("123456789") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

std::string percent(double share) { return fmt::format("{:.1f}", 100.0 * share); }

std::string indented(const std::string& text, size_t indent) {
  return std::string(indent, ' ') + wrapped(text, kColumns, indent) + "\n";
}

std::string head_header(int64_t heads, size_t width) {
  std::string text = fmt::format("{:>8}", "");
  for (int64_t h = 0; h < heads; ++h) text += fmt::format("{:>{}}", fmt::format("h{}", h), width);
  return text;
}

}  // namespace

std::string heat_map(const RunAblation& ablation, Question question, AnswerKind answer) {
  const RunVerdict& verdict = *ablation.verdict(question);
  const ScoreTable& scores = ablation.scores;
  const AblationMethod method = judged_method(question);
  const bool narrow = scores.heads > kWideHeads;
  std::string text = fmt::format("{}: what a head alone adds to the loss{} ({}: {})\n", name(question),
                                 answer == AnswerKind::choice ? ", in nats" : "", name(method), meaning(method));
  text += head_header(scores.heads, narrow ? 6 : 9) +
          fmt::format("{:>8}  verdict   shade: share of the layer's drops\n", "whole");
  for (int64_t l = 0; l < scores.layers; ++l) {
    const LayerVerdict& layer = verdict.layers[static_cast<size_t>(l)];
    const bool shaded = layer.effect.shares.defined && layer.verdict != Deposit::not_used;
    text += fmt::format("{:>8}", fmt::format("layer {}", l));
    for (int64_t h = 0; h < scores.heads; ++h) {
      const auto head = static_cast<size_t>(h);
      const char* mark = shade(shaded ? layer.effect.shares.shares[head] : 0.0);
      const std::string drop = drop_text(layer.effect.heads[head].value, narrow);
      text += narrow ? fmt::format("{:>5}{}", drop, mark) : fmt::format("{:>6}{}{} ", drop, mark, mark);
    }
    text += fmt::format("{:>8}  {}{}{}\n", drop_text(layer.effect.layer.value, false), name(layer.verdict),
                        layer.redundant ? " (redundant)" : "", l == verdict.layer ? "  <- matters most" : "");
  }
  return text;
}

std::string verdict_text(const RunVerdict& verdict, Question question, bool clauses) {
  std::string text = fmt::format("{}: {}\n", name(question), name(verdict.verdict));
  text += indented(verdict.reason, 2);
  if (clauses) {
    const LayerVerdict& layer = verdict.layers[static_cast<size_t>(verdict.layer)];
    for (const Clause& clause : layer.clauses) {
      const char* mark = !clause.holds ? "?" : *clause.holds ? "+" : "-";
      text += indented(fmt::format("{} {}: {}", mark, clause.name, clause.text), 4);
    }
  }
  for (size_t l = 0; l < verdict.layers.size(); ++l) {
    const LayerVerdict& layer = verdict.layers[l];
    if (static_cast<int64_t>(l) == verdict.layer || layer.verdict == Deposit::not_used) continue;
    text += indented(fmt::format("layer {}, {}: {}", l, name(layer.verdict), layer.reason), 2);
  }
  return text;
}

std::string habits_table(const std::vector<std::vector<HeadHabit>>& habits) {
  std::string text = fmt::format("{:>6}  {:>14}  {:>16}  {:>22}  {:>14}\n", "head", "mean distance", "favourite j - i",
                                 "explained by distance", "entropy, nats");
  for (size_t l = 0; l < habits.size(); ++l) {
    for (size_t h = 0; h < habits[l].size(); ++h) {
      const HeadHabit& habit = habits[l][h];
      text += fmt::format("{:>6}  {:>6.1f} of {:>4.1f}  {:>+6} x {:<7.1f}  {:>20} %  {:>6.2f} of {:.2f}\n",
                          fmt::format("{}.{}", l, h), habit.mean_distance, habit.even_distance, habit.favourite,
                          habit.favourite_gain, percent(std::max(0.0, habit.distance_share)), habit.entropy,
                          habit.even_entropy);
    }
  }
  return text;
}

std::string removal_table(const StreamRemoval& removal) {
  std::string text = fmt::format("{:>8}  {:>10}  {:>16}  {:>11}  {:>9}  {:>26}\n", "", "without p", "random, as long",
                                 "without P", "p's share", "loss beyond random's");
  for (const LayerRemoval& layer : removal.layers) {
    double mean = 0.0, square = 0.0;
    for (const RemovalScore& score : layer.random) mean += score.accuracy / static_cast<double>(layer.random.size());
    for (const RemovalScore& score : layer.random) square += (score.accuracy - mean) * (score.accuracy - mean);
    const double deviation = std::sqrt(square / std::max(1.0, static_cast<double>(layer.random.size()) - 1.0));
    text += fmt::format(
        "{:>8}  {:>10}  {:>16}  {:>11}  {:>9}  {:>26}\n", fmt::format("layer {}", layer.layer),
        percent(layer.means.accuracy), fmt::format("{} +- {}", percent(mean), percent(deviation)),
        layer.input_term ? percent(layer.input_term->accuracy) : "-", percent(layer.norm_share),
        fmt::format("{:+.3f} ({:+.3f} to {:+.3f})", layer.excess.value, layer.excess.low, layer.excess.high));
  }
  return text;
}

std::string published_table(const PublishedAblation& ablation) {
  const auto heads = static_cast<int64_t>(ablation.accuracy.front().size());
  std::string text = head_header(heads, 7) + fmt::format("{:>11}  {:>5}\n", "top share", "N2");
  for (size_t l = 0; l < ablation.accuracy.size(); ++l) {
    text += fmt::format("{:>8}", fmt::format("layer {}", l));
    for (const double accuracy : ablation.accuracy[l]) text += fmt::format("{:>7}", percent(accuracy));
    const statistics::Concentration found = ablation.concentration(static_cast<int64_t>(l));
    text += found.defined ? fmt::format("{:>11.2f}  {:>5.2f}\n", found.max_share, found.n2)
                          : fmt::format("{:>11}  {:>5}\n", "-", "-");
  }
  return text;
}

std::string ablation_text(const RunConfig& config, const RunAblation& ablation, const AblationTextOptions& options) {
  std::string text = fmt::format(
      "{} on {}, protocol {}, seed {}{}: {} held-out samples, accuracy {:.1f} % (floor {:.1f} %), loss {:.3f}\n",
      config.model.encoding, config.task, config.protocol, config.seed,
      options.step ? fmt::format(", step {}", *options.step) : "", ablation.scores.samples,
      100.0 * ablation.scores.intact_accuracy(), 100.0 * ablation.context.floor_accuracy,
      ablation.scores.intact_loss());
  for (const Question question : {Question::position, Question::importance}) {
    const std::optional<RunVerdict>& verdict = ablation.verdict(question);
    if (!verdict) {
      text += fmt::format("\n{}: not judged without the method {}\n", name(question), name(judged_method(question)));
      continue;
    }
    text += fmt::format("\n{}{}", heat_map(ablation, question, config.model.answer),
                        verdict_text(*verdict, question, options.clauses));
  }
  text += fmt::format("\nhabits of heads (beside: if attention were even)\n{}", habits_table(ablation.habits));
  text += fmt::format("\naccuracy in % with the positional part p taken out of the stream that enters a layer\n{}",
                      removal_table(ablation.removal));
  return text;
}

}  // namespace phasor
