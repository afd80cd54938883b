// Compiled with the program's own flags, so that its macros say what those allow. Constants only: nothing here may run.
#include "start/processor_needs.h"

namespace phasor::app {
namespace {

// A macro that is not defined stands for its own name.
constexpr bool same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

}  // namespace

#define PHASOR_TEXT(words) #words
#define PHASOR_NEEDED(macro, name) !same(PHASOR_TEXT(macro), #macro),
constinit const bool kProcessorNeeds[] = {PHASOR_INSTRUCTION_SETS(PHASOR_NEEDED)};

}  // namespace phasor::app
