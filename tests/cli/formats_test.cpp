// docs/formats.md: its Python reads what the binary writes, and its tables name every tensor and member.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/tiny_run.h"
#include "phasor/checkpoint/safetensors.h"
#include "support/paths.h"

namespace phasor {
namespace formats_test {

namespace fs = std::filesystem;

std::string document() { return read_file(fs::path(fixtures_folder()) / "../../docs/formats.md"); }

// All Python of the document, as one program, but for that of figures, which tests of figures run.
std::string python_of(const std::string& text) {
  std::istringstream lines(text);
  std::string program;
  bool inside = false;
  bool of_figures = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("## ", 0) == 0 || line.rfind("### ", 0) == 0) of_figures = line == "### Figures";
    if (of_figures) continue;
    if (line == "```python" || line == "```") {
      inside = line == "```python";
    } else if (inside) {
      program += line + "\n";
    }
  }
  return program;
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Formats, ThePythonOfTheDocumentWorks) {
  if (shell("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "runs/rope", {"--encoding", "rope"});
  ASSERT_EQ(phasor_command({"export", run.string(), "--out", (folder / "inside.safetensors").string()}).code, 0);
  const std::string program = python_of(document());
  ASSERT_NE(program.find("def class_logits"), std::string::npos);
  write_file_atomically(folder / "program.py", program);
  EXPECT_EQ(shell("cd '" + folder.path().string() + "' && /usr/bin/python3 program.py > out 2>&1"), 0)
      << read_file(folder / "out");
  expect_words(read_file(folder / "out"), {"(16, 16)", "of target"});
}

// The member stands in the document as `name` or, in a list of members of one group, as `.name`.
void expect_documented(const std::string& text, const std::string& group, const std::string& name) {
  const bool found = text.find("`" + group + name + "`") != std::string::npos ||
                     (!group.empty() && text.find("`." + name + "`") != std::string::npos);
  EXPECT_TRUE(found) << group << name;
}

// The members of an object, those of the objects in it as "group.name".
std::vector<std::pair<std::string, std::string>> members(const std::string& text, bool nested) {
  std::vector<std::pair<std::string, std::string>> names;
  const nlohmann::json object = nlohmann::json::parse(text);
  for (const auto& [key, value] : object.items()) {
    if (!nested || !value.is_object()) names.emplace_back("", key);
    if (!nested || !value.is_object()) continue;
    for (const auto& inner : value.items()) names.emplace_back(key + ".", inner.key());
  }
  return names;
}

TEST(Formats, EveryMemberIsInTheDocument) {
  const TemporaryFolder folder;
  const std::string text = document();
  const fs::path run = train_tiny(folder / "run", {"--set", "telemetry.spectrum=60"});
  const std::string telemetry = read_file(run / "telemetry.jsonl");
  for (const auto& [group, name] : members(telemetry.substr(0, telemetry.find('\n')), true)) {
    expect_documented(text, group, name);
  }
  const std::string metrics = read_file(run / "metrics.jsonl");
  const Outcome bench = phasor_command(
      Arguments{"bench", "step", "--json", "--profile", "--steps", "1", "--warmup", "0"} + tiny_settings());
  for (const std::string& json : {read_file(run / "result.json"), metrics.substr(0, metrics.find('\n')), bench.out}) {
    for (const auto& [group, name] : members(json, false)) expect_documented(text, group, name);
  }
  for (const auto& [group, name] : members(read_file(run / "config.json"), true)) expect_documented(text, group, name);
}

// `layers.1.ffn.up.bias` stands there as `layers.l.ffn.up.weight`, `.bias`.
std::string documented_name(std::string name) {
  const size_t suffix = name.rfind(".bias");
  if (suffix != std::string::npos) name = name.substr(0, suffix) + ".weight";
  for (const char* layer : {"layers.0.", "layers.1."}) {
    if (name.rfind(layer, 0) == 0) name = "layers.l." + name.substr(9);
  }
  const size_t last = name.find_last_of('.');
  if (name.find_first_not_of("0123456789", last + 1) != std::string::npos) return name;
  return name.substr(0, last + 1) + (name.rfind("hidden", 0) == 0 ? "i" : "s");
}

TEST(Formats, EveryTensorIsInTheDocument) {
  const TemporaryFolder folder;
  const std::string text = document();
  const fs::path run = train_tiny(folder / "run", {"--encoding", "learned"});
  const fs::path inside = folder / "inside.safetensors";
  ASSERT_EQ(phasor_command({"export", run.string(), "--tensors", "logits,weights,hidden,queries,keys,values", "--out",
                            inside.string()})
                .code,
            0);
  for (const fs::path& file : {run / "model.safetensors", inside}) {
    const SafetensorsFile tensors = SafetensorsFile::open(file);
    for (const std::string& name : tensors.names()) expect_documented(text, "", documented_name(name));
    expect_words(text, {"`" + tensors.metadata().at("format") + "`"});
  }
  const SafetensorsFile state = SafetensorsFile::open(run / "state.safetensors");
  const SafetensorsFile model = SafetensorsFile::open(run / "model.safetensors");
  expect_words(text, {"`" + state.metadata().at("format") + "`"});
  std::set<std::string> expected = {"progress", "loss_spikes"};
  for (const std::string& name : model.names()) {
    for (const char* part : {"parameter/", "first_moment/", "second_moment/"}) expected.insert(part + name);
  }
  const std::vector<std::string> names = state.names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
}

}  // namespace formats_test
}  // namespace phasor
