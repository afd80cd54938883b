// Files that are not what was written: a command refuses them, or says exactly what it said before.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "faults/trials.h"
#include "phasor/base/file.h"
#include "support/paths.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void put(const fs::path& path, const std::string& content) {
  fs::remove_all(path);
  write_file_atomically(path, content);
}

// Says what it did. `other` is a folder with files of the same names of another run.
std::string damage(const fs::path& folder, const fs::path& file, const fs::path& other, Dice& dice) {
  const fs::path path = folder / file;
  std::string content = read_file(path);
  const auto size = static_cast<int>(content.size());
  switch (size == 0 ? 3 : dice.below(8)) {
    case 0:
    case 1: {
      const int at = dice.below(size), bit = dice.below(8);
      content[static_cast<size_t>(at)] ^= static_cast<char>(1 << bit);
      put(path, content);
      return fmt::format("bit {} of byte {} of {} flipped", bit, at, file.string());
    }
    case 2: {
      const int kept = dice.below(size);
      put(path, content.substr(0, static_cast<size_t>(kept)));
      return fmt::format("{} cut to {} bytes", file.string(), kept);
    }
    case 3:
      put(path, content + "x");
      return fmt::format("a byte put behind {}", file.string());
    case 4: {
      const int at = dice.below(size), length = 1 + dice.below(std::min(size - at, 64));
      std::fill_n(content.begin() + at, length, '\0');
      put(path, content);
      return fmt::format("{} bytes of {} from {} on zeroed", length, file.string(), at);
    }
    case 5:
      // A run need not have been ablated, nor its spectrum measured.
      if (file.string().starts_with("ablation") || file.string().starts_with("spectrum")) {
        put(path, "");
        return fmt::format("{} emptied", file.string());
      }
      fs::remove(path);
      return fmt::format("{} removed", file.string());
    case 6:
      if (fs::exists(other / file)) {
        put(path, read_file(other / file));
        return fmt::format("{} taken from another run", file.string());
      }
      [[fallthrough]];
    default: {
      // A whole line less, a number changed: what somebody's hand would do.
      const size_t digit = content.find_first_of("0123456789", static_cast<size_t>(dice.below(size)));
      if (digit == std::string::npos) {
        put(path, "");
        return fmt::format("{} emptied", file.string());
      }
      content[digit] = content[digit] == '9' ? '1' : static_cast<char>(content[digit] + 1);
      put(path, content);
      return fmt::format("a digit of {} at {} changed", file.string(), digit);
    }
  }
}

// A command about the folder, and what counts of what it did.
struct Question {
  const char* name;
  Words (*words)(const fs::path& folder);
  const char* written;  // a file that counts beside what is printed, or null
};

const std::vector<Question>& run_questions() {
  static const std::vector<Question> all = {
      {"evaluate",
       [](const fs::path& f) {
         return Words{"evaluate", f.string(), "--json"};
       },
       nullptr},
      {"evaluate --step 10",
       [](const fs::path& f) {
         return Words{"evaluate", f.string(), "--step", "10", "--json"};
       },
       nullptr},
      {"stability",
       [](const fs::path& f) {
         return Words{"stability", f.string(), "--json"};
       },
       nullptr},
      {"report --text",
       [](const fs::path& f) {
         return Words{"report", f.string(), "--text"};
       },
       nullptr},
      {"export",
       [](const fs::path& f) {
         return Words{"export", f.string(), "--samples", "8", "--out", (f / "../exported").string()};
       },
       "../exported"},
      {"train --resume",
       [](const fs::path& f) {
         return Words{"train", "--resume", "--json", "--out", f.string()};
       },
       nullptr},
      {"ablate",
       [](const fs::path& f) {
         return Words{"ablate", f.string(), "--samples", "20", "--json"};
       },
       nullptr},
      {"spectrum",
       [](const fs::path& f) {
         return Words{"spectrum", f.string(), "--json"};
       },
       nullptr},
  };
  return all;
}

struct Answer {
  std::string text;
  End end;
};

Answer ask(const Question& question, const fs::path& folder, const Workshop& workshop) {
  End end = run_phasor(question.words(folder), workshop.root());
  std::string text = end.out;
  if (question.written != nullptr && end.code == 0) text += read_file(folder / question.written);
  // A result that was removed is made again, at another time.
  if (question.name == std::string_view("train --resume") && end.code == 0) {
    auto json = nlohmann::ordered_json::parse(text);
    for (const char* member : {"seconds", "tokens_per_second", "xxh64"}) json.erase(member);
    text = json.dump();
  }
  // The folder's own name is the only thing that may differ.
  const std::string name = folder.parent_path().string();
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) text.replace(at, name.size(), "");
  return {text, end};
}

// A run whose state is not the last one: what --resume goes on with.
const fs::path& stopped_run(Workshop& workshop) {
  static fs::path folder;
  if (!folder.empty()) return folder;
  folder = workshop.root() / "stopped";
  while (true) {
    fs::remove_all(folder);
    run_phasor(Workshop::train(folder), workshop.root(),
               {.environment = {{"LD_PRELOAD", fault_layer()},
                                {"PHASOR_FAULT_UNDER", workshop.root().string()},
                                {"PHASOR_FAULT", fmt::format("rename:{}:kill", workshop.calls().at("rename") - 2)}}});
    if (fs::exists(folder / "state.safetensors") && !fs::exists(folder / "result.json")) return folder;
  }
}

std::string damage_a_stopped_run(Workshop& workshop, Dice& dice) {
  const fs::path whole = stopped_run(workshop), folder = workshop.place() / "run";
  fs::copy(whole, folder, fs::copy_options::recursive);
  const std::string what = damage(folder, dice.one_of(files_in(whole)), workshop.whole_run(1), dice);
  const End end = run_phasor(Workshop::train(folder), workshop.root());
  if (end.killed() || end.hung) return what + ", train --resume: " + end.text();
  if (end.code == 0) {
    if (const std::string wrong = workshop.check_run(folder); !wrong.empty()) {
      return what + ", train --resume, exit 0: " + wrong;
    }
  } else if (end.text().find(": phasor: ") == std::string::npos) {
    return what + ", train --resume says nothing: " + end.text();
  }
  fs::remove_all(folder.parent_path());
  return "";
}

std::string damage_a_run(Workshop& workshop, Dice& dice) {
  const fs::path whole = workshop.whole_run(0), folder = workshop.place() / "run";
  const Question& question = dice.one_of(run_questions());
  static std::map<std::string, std::string> known;
  if (known.count(question.name) == 0) {
    fs::copy(whole, folder, fs::copy_options::recursive);
    const Answer answer = ask(question, folder, workshop);
    if (answer.end.code != 0) return fmt::format("{} without damage: {}", question.name, answer.end.text());
    known[question.name] = answer.text;
    fs::remove_all(folder);
  }
  fs::copy(whole, folder, fs::copy_options::recursive);
  const std::string what = damage(folder, dice.one_of(files_in(whole)), workshop.whole_run(1), dice);
  const Answer answer = ask(question, folder, workshop);
  if (answer.end.killed() || answer.end.hung) return fmt::format("{}, {}: {}", what, question.name, answer.end.text());
  if (answer.end.code == 0 && answer.text != known[question.name]) {
    return fmt::format("{}, {}: exit 0 with another answer", what, question.name);
  }
  if (answer.end.code != 0 && answer.end.text().find(": phasor: ") == std::string::npos) {
    return fmt::format("{}, {} says nothing: {}", what, question.name, answer.end.text());
  }
  fs::remove_all(folder.parent_path());
  return "";
}

// A report must not make the summary poorer; the study's own command makes what is lost again, or says that it cannot.
std::string damage_a_study(Workshop& workshop, Dice& dice) {
  const fs::path whole = workshop.whole_study(), folder = workshop.place() / "study";
  fs::copy(whole, folder, fs::copy_options::recursive);
  std::vector<fs::path> files = files_in(whole);
  // What reports write, nothing reads; a summary that was removed cannot be missed.
  std::erase_if(files, [](const fs::path& file) {
    return file == "report.html" || file == "summary.md" || file == "summary.csv" || file == "claims.csv" ||
           file == "summary.json" || file == "command.txt";
  });
  const fs::path file = dice.one_of(files);
  const fs::path run = file.has_parent_path() ? folder / *file.begin() / *std::next(file.begin()) : folder;
  fs::path other = whole;
  for (const fs::directory_entry& entry : fs::directory_iterator(whole / "runs")) {
    if (entry.path().filename() != run.filename()) other = entry.path();
  }
  const fs::path inner = run == folder ? file : fs::relative(folder / file, run);
  const std::string what = file.string() + ": " + damage(run, inner, other, dice);
  const bool again = dice.below(2) == 0;
  const End end = again ? run_phasor(Workshop::study(folder), workshop.root())
                        : run_phasor({"report", folder.string()}, workshop.root());
  const std::string name = again ? "study" : "report";
  if (end.killed() || end.hung) return fmt::format("{}, {}: {}", what, name, end.text());
  if (timeless_summary(folder) != timeless_summary(whole)) {
    return fmt::format("{}, {} (exit {}): another summary", what, name, end.code);
  }
  if (end.code != 0 && end.text().find(": phasor: ") == std::string::npos) {
    return fmt::format("{}, {} says nothing: {}", what, name, end.text());
  }
  fs::remove_all(folder.parent_path());
  return "";
}

}  // namespace

std::string damage_a_file(Workshop& workshop, Dice& dice) {
  const int which = dice.below(10);
  if (which < 2) return damage_a_study(workshop, dice);
  return which < 5 ? damage_a_stopped_run(workshop, dice) : damage_a_run(workshop, dice);
}

}  // namespace phasor::faults
