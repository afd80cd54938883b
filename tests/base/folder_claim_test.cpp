#include "phasor/base/folder_claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include "support/temporary_folder.h"

namespace phasor {
namespace folder_claim_test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

bool can_claim(const fs::path& folder, const ClaimRules& rules = {}) {
  try {
    const FolderClaim claim(folder, rules);
    return true;
  } catch (const FolderBusy&) {
    return false;
  }
}

ClaimOwner of_another_machine() {
  ClaimOwner owner = ClaimOwner::self();
  owner.host = "elsewhere";
  owner.boot = "another-boot";
  return owner;
}

TEST(FolderClaim, IsForOne) {
  const TemporaryFolder folder;
  {
    const FolderClaim claim(folder / "run");
    EXPECT_TRUE(claim.made_folder());
    EXPECT_NO_THROW(claim.require());
    expect_words(message_of<FolderBusy>([&] { FolderClaim other(folder / "run"); }),
                 {"another process", std::to_string(getpid()), "at work", "run"});
  }
  EXPECT_TRUE(fs::is_empty(folder / "run")) << "a claim that was given back leaves nothing";
  EXPECT_TRUE(can_claim(folder / "run"));
}

// A process that was killed cannot give its claim back.
TEST(FolderClaim, OfADeadProcessIsTakenOverAtOnce) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t process = fork();
  if (process == 0) {
    const FolderClaim claim(folder / "run");
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(can_claim(folder / "run"));
  kill(process, SIGKILL);
  ASSERT_EQ(waitpid(process, nullptr, 0), process);
  EXPECT_TRUE(fs::exists(folder / "run/.claim"));
  EXPECT_TRUE(can_claim(folder / "run"));
  close(ready[0]);
  close(ready[1]);
}

// Of another machine nothing is known but when it last touched its claim.
TEST(FolderClaim, OfAnotherMachineHoldsWhileItIsTouched) {
  const TemporaryFolder folder;
  const ClaimRules rules{.beat = milliseconds(50), .stale = milliseconds(1500), .locks = false};
  std::optional<FolderClaim> theirs;
  theirs.emplace(folder / "run", rules, of_another_machine());
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(can_claim(folder / "run", rules));
    std::this_thread::sleep_for(milliseconds(100));
  }
  theirs.reset();
  EXPECT_TRUE(can_claim(folder / "run", rules));
}

TEST(FolderClaim, ThatNobodyTouchesIsTakenOverAndTheSleeperNoticesIt) {
  const TemporaryFolder folder;
  const ClaimRules asleep{.beat = std::chrono::hours(1), .stale = milliseconds(1000), .locks = false};
  const FolderClaim theirs(folder / "run", asleep, of_another_machine());
  EXPECT_FALSE(can_claim(folder / "run", asleep));
  std::this_thread::sleep_for(milliseconds(1200));
  const FolderClaim mine(folder / "run", asleep);
  EXPECT_NO_THROW(mine.require());
  expect_words(message_of<Error>([&] { theirs.require(); }), {"taken over by another process"});
}

// Each rival tries until it has had the folder ten times, however the machine schedules them.
TEST(FolderClaim, ManyWantItAndOneGetsIt) {
  const TemporaryFolder folder;
  constexpr int kRivals = 8, kTurns = 10;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  std::atomic<int> inside = 0, most = 0, won = 0;
  {
    std::vector<std::jthread> rivals;
    for (int i = 0; i < kRivals; ++i) {
      rivals.emplace_back([&] {
        for (int turn = 0; turn < kTurns && std::chrono::steady_clock::now() < give_up;) {
          try {
            const FolderClaim claim(folder / "run");
            const int now = ++inside;
            int before = most;
            while (before < now && !most.compare_exchange_weak(before, now)) {
            }
            ++won;
            ++turn;
            --inside;
          } catch (const FolderBusy&) {
            std::this_thread::yield();
          }
        }
      });
    }
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(won, kRivals * kTurns);
  EXPECT_FALSE(fs::exists(folder / "run/.claim"));
}

TEST(FolderClaim, AFileThatIsNoClaimIsTakenForOneThatWasNotWrittenToItsEnd) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "run");
  std::ofstream(folder / "run/.claim") << "half a";
  EXPECT_TRUE(can_claim(folder / "run"));
}

TEST(FolderClaim, ErrorsAreSaid) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "run/.claim");
  expect_words(message_of<Error>([&] { FolderClaim claim(folder / "run"); }), {"cannot lock", "run", "Is a directory"});
  expect_words(message_of<Error>([] { FolderClaim claim("/proc/self/fdinfo"); }), {"cannot lock", "/proc/self/fdinfo"});
}

// As a signal handler does before it ends the process.
TEST(FolderClaim, IsDroppedAtAnEndWithoutDestructors) {
  const TemporaryFolder folder;
  const pid_t process = fork();
  if (process == 0) {
    static const char* const kTemporary[] = {"config.json", nullptr};
    FolderClaim claim(folder / "run");
    claim.set_temporary(kTemporary);
    std::ofstream(folder / "run/config.json") << "{}";
    drop_claims_at_exit();
    _exit(0);
  }
  ASSERT_EQ(waitpid(process, nullptr, 0), process);
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(FreeFolder, IgnoresWhatTheKilledLeave) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_free_folder(folder.path()));
  std::ofstream(folder / ".claim") << "x";
  std::ofstream(folder / "study.json.partial123") << "x";
  std::ofstream(folder / ".writable99") << "x";
  EXPECT_TRUE(is_free_folder(folder.path()));
  fs::create_directory(folder / "runs");
  EXPECT_FALSE(is_free_folder(folder.path()));
  EXPECT_TRUE(is_free_folder(folder.path(), "runs"));
  std::ofstream(folder / "runs/mine") << "x";
  EXPECT_FALSE(is_free_folder(folder.path(), "runs"));
}

TEST(AbandonedFiles, AreRemovedUnlessTheirWriterLives) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.json.partial123") << "x";
  std::ofstream(folder / ".writable7") << "x";
  std::ofstream(folder / "notes.partial") << "x";
  write_file_atomically(folder / "b.json", [&](OutputFile& file) {
    file.write("half");
    remove_abandoned_files(folder.path());
    EXPECT_FALSE(fs::exists(folder / "a.json.partial123"));
    EXPECT_FALSE(fs::exists(folder / ".writable7"));
    EXPECT_TRUE(fs::exists(folder / "notes.partial")) << "a name that phasor does not give";
    file.write(" whole");
  });
  EXPECT_EQ(read_file(folder / "b.json"), "half whole");
}

}  // namespace folder_claim_test
}  // namespace phasor
