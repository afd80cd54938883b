// What cannot work is refused in one line that says what would be right, and leaves nothing half-written.
#include <limits>

#include "cli/tiny_run.h"
#include "phasor/base/seal.h"
#include "phasor/checkpoint/safetensors.h"

namespace phasor {
namespace bad_input_test {

namespace fs = std::filesystem;

void expect_refused_without_trace(const Arguments& more, std::initializer_list<std::string_view> words) {
  const TemporaryFolder folder;
  expect_error(phasor_command(tiny_training(folder / "run", more)), 2, words);
  EXPECT_EQ(folder.files(), 0u);
}

TEST(BadInput, UnknownEncoding) {
  expect_refused_without_trace({"--encoding", "roep"}, {"'roep'", "column 1", "did you mean 'rope'"});
}

TEST(BadInput, EncodingThatDoesNotFitTheModel) {
  expect_refused_without_trace({"--encoding", "rope[heads=9]"}, {"column 6", "no head 9", "heads 0 to 1"});
}

TEST(BadInput, HeadsThatDoNotDivideTheWidth) {
  expect_refused_without_trace({"--set", "model.heads=3"}, {"model.heads", "3", "model.width=16", "2 or 4"});
}

TEST(BadInput, NegativeBatch) {
  expect_refused_without_trace({"--set", "train.batch=-4"}, {"train.batch", "-4", "at least 1"});
}

TEST(BadInput, UnknownKey) {
  expect_refused_without_trace({"--set", "model.widht=8"}, {"'model.widht'", "did you mean 'model.width'"});
}

// Found only after the folder has been made.
TEST(BadInput, MoreSamplesThanTheTaskHas) {
  expect_refused_without_trace({"--set", "task.vocabulary=5", "--set", "task.gap=2", "--set", "task.sides=1"},
                               {"data.train", "576 are asked for", "ask for fewer"});
}

TEST(BadInput, FolderThatHoldsARun) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  const std::string result = read_file(run / "result.json");
  expect_error(phasor_command(tiny_training(run)), 2, {"contains a run already", "--resume", "another --out"});
  EXPECT_EQ(read_file(run / "result.json"), result);
}

TEST(BadInput, FolderThatIsAFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "run", "precious");
  expect_error(phasor_command(tiny_training(folder / "run")), 2, {"is a file", "folder of its own"});
  EXPECT_EQ(read_file(folder / "run"), "precious");
}

TEST(BadInput, FolderThatHoldsSomethingElse) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "run");
  write_file_atomically(folder / "run/thesis.txt", "precious");
  expect_error(phasor_command(tiny_training(folder / "run")), 2, {"not empty", "another --out"});
  EXPECT_EQ(read_file(folder / "run/thesis.txt"), "precious");
  EXPECT_FALSE(fs::exists(folder / "run/config.json"));
}

TEST(BadInput, FolderThatCannotBeMade) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", "");
  expect_error(phasor_command(tiny_training(folder / "file/run")), 1, {"file/run", "Not a directory"});
  expect_error(phasor_command(tiny_training("/proc/phasor/run")), 1, {"/proc/phasor/run", "No such file"});
}

TEST(BadInput, NotANumberAnyMore) {
  const TemporaryFolder folder;
  const Outcome outcome = phasor_command(tiny_training(folder / "run", {"--set", "train.lr=1e6"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  expect_words(last_line(outcome.err), {"phasor: step ", "not finite", "lower train.lr", "train.clip"});
  EXPECT_FALSE(fs::exists(folder / "run/result.json"));
  EXPECT_FALSE(fs::exists(folder / "run/model.safetensors"));
  expect_no_partial_files(folder.path());
}

TEST(BadInput, CorruptModel) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  const std::string whole = read_file(run / "model.safetensors");
  for (const std::string& bytes : {std::string("garbage, and more of it"), std::string(), whole.substr(0, 9),
                                   whole.substr(0, whole.size() - 1), whole + "x"}) {
    write_file_atomically(run / "model.safetensors", bytes);
    expect_error(phasor_command({"evaluate", run.string()}), 1, {"model.safetensors", "byte", "--resume"});
    expect_error(phasor_command({"export", run.string(), "--out", (folder / "x").string()}), 1, {"model.safetensors"});
    EXPECT_FALSE(fs::exists(folder / "x"));
  }
  // As the message promises.
  fs::remove(run / "model.safetensors");
  fs::remove(run / "result.json");
  EXPECT_EQ(phasor_command({"train", "--resume", "--out", run.string()}).code, 0);
  EXPECT_EQ(read_file(run / "model.safetensors"), whole);
}

TEST(BadInput, ModelOfAnotherShape) {
  const TemporaryFolder folder;
  const fs::path small = train_tiny(folder / "small");
  const fs::path large = train_tiny(folder / "large", {"--set", "model.hidden=48"});
  fs::copy_file(small / "model.safetensors", large / "model.safetensors", fs::copy_options::overwrite_existing);
  expect_error(phasor_command({"evaluate", large.string()}), 1,
               {"trained with model.hidden=32", "config.json says 48"});
}

TEST(BadInput, WeightsThatAreNotNumbers) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  SafetensorsWriter writer;
  {
    const SafetensorsFile model = SafetensorsFile::open(run / "model.safetensors");
    for (const auto& [key, value] : model.metadata()) {
      if (key != kSealKey) writer.set_metadata(key, value);
    }
    for (const std::string& name : model.names()) {
      std::vector<float> values(model.data<float>(name).begin(), model.data<float>(name).end());
      if (name == "readout.bias") values[0] = std::numeric_limits<float>::quiet_NaN();
      writer.add(name, model.tensor(name).shape, std::move(values));
    }
  }
  writer.write(run / "model.safetensors");
  expect_error(phasor_command({"evaluate", run.string(), "--json"}), 1, {"not finite", "damaged"});
}

TEST(BadInput, CorruptState) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  const std::string model = read_file(run / "model.safetensors");
  const std::string whole = read_file(run / "state.safetensors");
  fs::remove(run / "result.json");
  for (const std::string& bytes : {std::string("garbage, and more of it"), std::string(), whole.substr(0, 9),
                                   whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1), model}) {
    write_file_atomically(run / "state.safetensors", bytes);
    expect_error(phasor_command({"train", "--resume", "--out", run.string()}), 1,
                 {"state.safetensors", "metrics.jsonl", "starts over"});
    EXPECT_EQ(read_file(run / "state.safetensors"), bytes);
    EXPECT_FALSE(fs::exists(run / "result.json"));
  }
  fs::remove(run / "state.safetensors");
  fs::remove(run / "metrics.jsonl");
  EXPECT_EQ(phasor_command({"train", "--resume", "--out", run.string()}).code, 0);
  EXPECT_EQ(read_file(run / "model.safetensors"), model);
}

TEST(BadInput, StateOfAnotherRun) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  const fs::path other = train_tiny(folder / "other", {"--set", "train.lr=0.5"});
  fs::remove(run / "result.json");
  fs::copy_file(other / "state.safetensors", run / "state.safetensors", fs::copy_options::overwrite_existing);
  expect_error(phasor_command({"train", "--resume", "--out", run.string()}), 1, {"other settings", "starts over"});
  EXPECT_FALSE(fs::exists(run / "result.json"));
}

TEST(BadInput, LostOrDamagedMetrics) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run", {"--set", "train.evaluate_every=10"});
  const std::string whole = read_file(run / "metrics.jsonl");
  fs::remove(run / "result.json");
  for (const std::string& text : {std::string(), whole.substr(whole.find('\n') + 1), "garbage\n" + whole}) {
    write_file_atomically(run / "metrics.jsonl", text);
    expect_error(phasor_command({"train", "--resume", "--out", run.string()}), 1, {"metrics.jsonl", "starts over"});
    EXPECT_FALSE(fs::exists(run / "result.json"));
  }
}

TEST(BadInput, CorruptConfiguration) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  for (const char* text : {"", "{", "[]", "{\"task\": {\"name\": \"distance\"}}", "{\"model\": {\"widht\": 4}}"}) {
    write_file_atomically(run / "config.json", text);
    expect_error(phasor_command({"evaluate", run.string()}), 1, {"config.json"});
    expect_error(phasor_command({"train", "--resume", "--out", run.string()}), 1, {"config.json"});
  }
}

TEST(BadInput, EvaluateWantsAFinishedRun) {
  const TemporaryFolder folder;
  expect_error(phasor_command({"evaluate", (folder / "nothing").string()}), 2, {"holds no run", "config.json"});
  const fs::path run = train_tiny(folder / "run");
  expect_error(phasor_command({"evaluate", run.string(), "--step", "20"}), 2,
               {"no snapshot of step 20", "train.snapshots"});
  expect_error(phasor_command({"evaluate", run.string(), "--step", "-1"}), 2, {"--step", "at least 0"});
  fs::remove(run / "model.safetensors");
  expect_error(phasor_command({"evaluate", run.string()}), 2, {"no finished model", "phasor train --resume --out"});
}

TEST(BadInput, ResumeWantsARun) {
  const TemporaryFolder folder;
  expect_error(phasor_command({"train", "--resume"}), 2, {"--resume needs --out"});
  expect_error(phasor_command({"train", "--resume", "--out", (folder / "run").string()}), 2,
               {"contains no run to resume"});
  EXPECT_EQ(folder.files(), 0u);
}

TEST(BadInput, ResumeKeepsTheConfiguration) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run", {"--seed", "3"});
  const Arguments resume = {"train", "--resume", "--out", run.string()};
  expect_error(phasor_command(resume + Arguments{"--seed", "4"}), 2, {"seed=3", "seed=4"});
  expect_error(phasor_command(resume + Arguments{"--set", "train.lr=0.5"}), 2, {"train.lr=0.001", "train.lr=0.5"});
  expect_error(phasor_command(resume + Arguments{"--preset", "paper"}), 2, {"preset=quick", "preset=paper"});
  // Naming a part of what it was started with is fine.
  const Outcome outcome = phasor_command(resume + Arguments{"--seed", "3", "--set", "model.width=16"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.err, {"complete already"});
}

TEST(BadInput, Export) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  const Arguments to = {"export", run.string(), "--out", (folder / "x").string()};
  expect_error(phasor_command(to + Arguments{"--tensors", "logit,keys"}), 2, {"'logit'", "did you mean 'logits'"});
  expect_error(phasor_command(to + Arguments{"--tensors", "zzzzzzz"}), 2, {"known: logits, weights, hidden"});
  expect_error(phasor_command(to + Arguments{"--samples", "33"}), 2, {"--samples", "1 to 32"});
  expect_error(phasor_command(to + Arguments{"--samples", "0"}), 2, {"--samples"});
  expect_error(phasor_command(to + Arguments{"--samples", "many"}), 2, {"--samples", "'many'"});
  EXPECT_FALSE(fs::exists(folder / "x"));
  const Arguments from = {"export", run.string(), "--out"};
  expect_error(phasor_command(from + Arguments{"/dev/full"}), 1, {"/dev/full", "not a regular file"});
  expect_error(phasor_command(from + Arguments{run.string()}), 1, {"not a regular file"});
  expect_error(phasor_command(from + Arguments{(folder / "no/x").string()}), 1, {"No such file or directory"});
  expect_no_partial_files(folder.path());
}

}  // namespace bad_input_test
}  // namespace phasor
