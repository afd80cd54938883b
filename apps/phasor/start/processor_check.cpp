// Says in one line what the processor lacks, instead of dying of an illegal instruction. Runs before every constructor,
// those of shared libraries included, and is compiled for the least of all x86-64 processors: it calls nothing of the
// program or of the C++ library that might not be.
#include <unistd.h>

#include "start/processor_needs.h"

#if defined(__x86_64__)
namespace {

class Line {
 public:
  void add(const char* text) {
    while (*text != '\0' && size_ < sizeof(text_)) text_[size_++] = *text++;
  }
  void print() const {
    // There is nobody to tell if this fails.
    if (write(STDERR_FILENO, text_, size_) < 0) _exit(1);
  }

 private:
  char text_[1024] = {};
  unsigned long size_ = 0;
};

void check_processor() {
  __builtin_cpu_init();
  Line line;
  line.add("phasor: this processor lacks");
  bool lacks = false;
  const bool* needed = phasor::app::kProcessorNeeds;
#define PHASOR_CHECK(macro, name)                   \
  if (*needed++ && !__builtin_cpu_supports(name)) { \
    line.add(lacks ? ", " : " ");                   \
    line.add(name);                                 \
    lacks = true;                                   \
  }
  PHASOR_INSTRUCTION_SETS(PHASOR_CHECK)
  if (!lacks) return;
  line.add(", for which this phasor was built; build it on this machine, or with -DPHASOR_ARCH=x86-64\n");
  line.print();
  _exit(1);
}

}  // namespace

[[gnu::section(".preinit_array"), gnu::used]] static void (*const kCheckFirst)() = check_processor;
#endif
