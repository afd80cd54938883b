// Settings and expressions that nobody should give: an answer or one line, never a signal, never a hang, and nothing
// that steers a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "faults/trials.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& keys() {
  static const std::vector<std::string> all = {"task.gap",
                                               "task.sides",
                                               "task.vocabulary",
                                               "task.length",
                                               "model.width",
                                               "model.hidden",
                                               "model.heads",
                                               "model.layers",
                                               "model.kv_heads",
                                               "model.dropout",
                                               "model.head_width",
                                               "model.encoding",
                                               "train.steps",
                                               "train.batch",
                                               "train.lr",
                                               "train.warmup",
                                               "train.clip",
                                               "train.snapshots",
                                               "train.beta1",
                                               "train.epsilon",
                                               "data.train",
                                               "data.test",
                                               "data.validation",
                                               "data.seed",
                                               "seed",
                                               "task",
                                               "protocol",
                                               "preset",
                                               "train.weight_decay",
                                               "telemetry.spectrum",
                                               "model.window",
                                               "nothing.here",
                                               "",
                                               "model",
                                               "train.evaluate_every"};
  return all;
}

const std::vector<std::string>& values() {
  static const std::vector<std::string> all = {"0",
                                               "-1",
                                               "1",
                                               "2",
                                               "7",
                                               "64",
                                               "1e9",
                                               "1e308",
                                               "-1e308",
                                               "1e-320",
                                               "nan",
                                               "inf",
                                               "-inf",
                                               "0x10",
                                               "1e",
                                               "99999999999999999999",
                                               "9223372036854775807",
                                               "-9223372036854775808",
                                               "4294967296",
                                               "2147483648",
                                               "1,2,3",
                                               ",",
                                               "",
                                               " ",
                                               "true",
                                               "../../etc/passwd",
                                               "%s%n%x",
                                               "\x1b[31mred\x1b[0m",
                                               "\xff\xfe",
                                               "\xc2\x9b"
                                               "31m",
                                               "null",
                                               "{}",
                                               "[]",
                                               "\"",
                                               "'",
                                               "`id`",
                                               "$(id)",
                                               "rope",
                                               "distance",
                                               "clean",
                                               "quick",
                                               "\t",
                                               "\n",
                                               "a\rb",
                                               "1 2",
                                               "0.1.2",
                                               "1e400"};
  return all;
}

std::string long_text(Dice& dice) {
  return std::string(static_cast<size_t>(1 + dice.below(20000)), "a(+9,"[dice.below(5)]);
}

std::string expression(Dice& dice) {
  static const std::vector<std::string> seeds = {"rope",
                                                 "rope(base=500)",
                                                 "sinusoidal+rope[heads=0-1]",
                                                 "bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))",
                                                 "randomized(rope,max=512)",
                                                 "concat(sinusoidal,width=16)",
                                                 "mla(kv=32,q=32,rope=8)",
                                                 "alibi(slopes=released)",
                                                 "rope(frequencies=\"base^(-2*c/C)\",base=100)",
                                                 "t5(buckets=32,max_distance=128)",
                                                 "rope[layers=0]+alibi[layers=1-2]",
                                                 "rope(scaling=yarn,factor=4,original=64)",
                                                 "learned(init=1)",
                                                 "rope(axes=2)"};
  std::string text = dice.one_of(seeds);
  const int changes = dice.below(6);
  for (int i = 0; i < changes; ++i) {
    const auto at = static_cast<size_t>(dice.below(static_cast<int>(text.size()) + 1));
    switch (dice.below(6)) {
      case 0:
        text.insert(at, 1, static_cast<char>(dice.below(256) == 0 ? 1 : 1 + dice.below(255)));
        break;
      case 1:
        if (at < text.size()) text.erase(at, static_cast<size_t>(1 + dice.below(4)));
        break;
      case 2:
        text.insert(at, dice.one_of(values()));
        break;
      case 3:
        text.insert(at, std::string(static_cast<size_t>(dice.below(300)), '('));
        break;
      case 4:
        text += "+" + dice.one_of(seeds);
        break;
      default:
        text.insert(at, text.substr(0, at));
        break;
    }
    if (text.size() > 50000) text.resize(50000);
  }
  std::erase(text, '\0');
  return text;
}

bool steers(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  });
}

std::string shown(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    text += ' ';
    for (const char c : word.substr(0, 120)) text += c < 0x20 || c == 0x7f ? '?' : c;
  }
  return text.substr(0, 400);
}

}  // namespace

std::string ask_for_nonsense(Workshop& workshop, Dice& dice) {
  Words words;
  Conditions conditions;
  const fs::path folder = workshop.place() / "run";
  switch (dice.below(5)) {
    case 0:
      words = {"encodings", expression(dice)};
      break;
    case 1:
      words = {"train", "--dry-run", "--out", folder.string(), "--encoding", expression(dice)};
      break;
    case 2: {
      words = {"train", "--dry-run", "--out", folder.string()};
      const int settings = 1 + dice.below(4);
      for (int i = 0; i < settings; ++i) {
        const std::string value = dice.below(20) == 0 ? long_text(dice) : dice.one_of(values());
        words = words + Words{"--set", dice.one_of(keys()) + (dice.below(30) == 0 ? "" : "=") + value};
      }
      break;
    }
    case 3: {
      static const std::vector<std::string> paths = {
          "/dev/zero", "/dev/full",   "/proc/self/mem",     "/proc/self/fd",
          "",          "/dev/null/x", "/proc/self/environ", "\x1b]0;title\x07"};
      static const std::vector<Words> commands = {{"train", "--dry-run", "--config"},
                                                  {"evaluate"},
                                                  {"report"},
                                                  {"study"},
                                                  {"ablate"},
                                                  {"spectrum"},
                                                  {"spectrum", "queries"},
                                                  {"export"},
                                                  {"stability"}};
      words = dice.one_of(commands) + Words{dice.one_of(paths)};
      break;
    }
    default:
      // A small room: an error, or enough.
      words = Workshop::train(folder);
      conditions.memory = (size_t{20} + static_cast<size_t>(dice.below(600))) << 20;
      break;
  }
  const End end = run_phasor(words, workshop.root(), conditions);
  const std::string name =
      shown(words) + (conditions.memory > 0 ? fmt::format(" with {} MiB", conditions.memory >> 20) : "");
  // Below some size not even the loader finds room.
  const bool is_loader = conditions.memory > 0 && end.code == 127;
  if (end.killed() || end.hung) return name + ": " + end.text();
  if (steers(end.out) || steers(end.err)) return name + ": control characters in its output";
  if (end.code != 0 && !is_loader && end.text().find(": phasor: ") == std::string::npos) {
    return name + ": no line that says why: " + end.text();
  }
  if (end.code != 0 && conditions.memory == 0 && std::count(end.err.begin(), end.err.end(), '\n') != 1) {
    return name + ": more than one line: " + end.text();
  }
  fs::remove_all(folder.parent_path());
  return "";
}

}  // namespace phasor::faults
