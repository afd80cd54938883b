// Says in one line that a limit on memory (ulimit -v) leaves too little, where OpenBLAS would wait for ever: its
// constructor asks for a buffer again and again until it gets one. So this runs before every constructor, as
// processor_check.cpp does.
#include <sys/mman.h>
#include <unistd.h>

namespace {

// A buffer of 128 MiB, the libraries' own tables, and something to work with.
constexpr unsigned long kLeastRoom = 300ul << 20;

void check_memory() {
  void* const room =
      mmap(nullptr, kLeastRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED) {
    munmap(room, kLeastRoom);
    return;
  }
  constexpr char kLine[] = "phasor: out of memory before it could start: at least 300 MB must be free (ulimit -v)\n";
  // There is nobody to tell if this fails.
  _exit(write(STDERR_FILENO, kLine, sizeof(kLine) - 1) < 0 ? 2 : 1);
}

}  // namespace

[[gnu::section(".preinit_array"), gnu::used]] static void (*const kCheckMemoryFirst)() = check_memory;
