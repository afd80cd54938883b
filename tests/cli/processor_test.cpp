// What phasor says of itself, and on a processor that lacks what it was built for.
#include <cstdio>
#include <memory>

#include "cli/tiny_run.h"
#include "phasor/engine/engine_build.h"
#include "support/paths.h"

namespace phasor {
namespace processor_test {

TEST(Version, NamesLevelLibraryAndCommit) {
  const Outcome outcome = phasor_command({"--version"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const EngineBuild build = engine_build();
  expect_words(outcome.out, {"phasor ", "(commit ", "for " + build.level, "products by " + build.gemm});
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
}

// qemu runs the binary as on a processor of 2008, without AVX.
TEST(Processor, WhatItLacksIsNamedInOneLine) {
  if (std::system("command -v qemu-x86_64 >/dev/null 2>&1") != 0) GTEST_SKIP() << "qemu-x86_64 is not installed";
#if !defined(__AVX2__)
  GTEST_SKIP() << "this build runs on any processor";
#endif
  const std::string command =
      std::string("qemu-x86_64 -cpu Nehalem ") + phasor_binary() + " --version 2>&1; echo exit $?";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  std::string said;
  std::array<char, 512> part;
  while (std::fgets(part.data(), part.size(), pipe.get()) != nullptr) said += part.data();
  expect_words(said, {"phasor: this processor lacks avx", "avx2", "for which this phasor was built", "exit 1"});
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;  // the message and the exit code
}

}  // namespace processor_test
}  // namespace phasor
