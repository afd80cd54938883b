// System calls that fail: a clear error or none, and afterwards the run goes on as if nothing had happened.
#include <fmt/format.h>

#include <cerrno>
#include <vector>

#include "faults/trials.h"
#include "support/paths.h"

namespace phasor::faults {
namespace {

namespace fs = std::filesystem;

// 0: half of what was asked for is done, which is no error at all; neither is EINTR.
const std::map<std::string, std::vector<int>>& codes() {
  static const std::map<std::string, std::vector<int>> all = {{"open", {EMFILE, EACCES, EIO, ENOSPC, EROFS, ENFILE}},
                                                              {"read", {EIO, 0, EINTR}},
                                                              {"write", {ENOSPC, EIO, EDQUOT, EINTR, 0, EFBIG}},
                                                              {"fsync", {EIO, ENOSPC, EINTR, EDQUOT}},
                                                              {"fsync_folder", {EIO, ENOSPC, EINTR, EDQUOT, EINVAL}},
                                                              {"close", {EIO, EINTR, ENOSPC}},
                                                              {"rename", {EIO, ENOSPC, EACCES, EROFS}},
                                                              {"ftruncate", {EIO, EINTR}},
                                                              {"unlink", {EIO, EACCES}},
                                                              {"mkdir", {ENOSPC, EACCES, EROFS}},
                                                              {"flock", {ENOLCK, EIO, EINTR, EWOULDBLOCK}}};
  return all;
}

// What is not on the disk must not end as if it were. EINVAL: a file system that cannot bring folders to the disk.
bool must_be_said(const std::string& call, int code) {
  return (call == "fsync" || call == "fsync_folder") && code != EINTR && code != EINVAL;
}

}  // namespace

std::string fail_a_call(Workshop& workshop, Dice& dice) {
  const fs::path folder = workshop.place() / "run";
  const auto& calls = workshop.calls();
  auto call = calls.begin();
  do {
    call = std::next(calls.begin(), dice.below(static_cast<int>(calls.size())));
  } while (call->second == 0);
  const int code = dice.one_of(codes().at(call->first));
  const std::string fault = fmt::format("{}:{}:{}", call->first, 1 + dice.below(call->second), code);
  const Conditions conditions{.environment = {{"LD_PRELOAD", fault_layer()},
                                              {"PHASOR_FAULT_UNDER", workshop.root().string()},
                                              {"PHASOR_FAULT", fault}}};
  const End faulty = run_phasor(Workshop::train(folder), workshop.root(), conditions);
  if (faulty.killed() || faulty.hung) return fault + ": " + faulty.text();
  if (faulty.code != 0 && faulty.text().find(": phasor: ") == std::string::npos) {
    return fault + ": no line that says why: " + faulty.text();
  }
  if (faulty.code == 0) {
    if (must_be_said(call->first, code)) return fault + ": exit 0";
    if (const std::string wrong = workshop.check_run(folder, 0, true); !wrong.empty())
      return fault + ", exit 0: " + wrong;
  }
  const End end = run_phasor(Workshop::train(folder), workshop.root());
  if (end.code != 0) return "after " + fault + ": " + end.text();
  if (const std::string wrong = workshop.check_run(folder); !wrong.empty()) return "after " + fault + ": " + wrong;
  fs::remove_all(folder.parent_path());
  return "";
}

}  // namespace phasor::faults
