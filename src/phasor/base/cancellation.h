#pragma once
// Long work asks now and then whether anybody still wants it, where it cannot save anything itself. Whoever can is
// asked first: the question becomes true only some time after the wish to stop.
#include "phasor/base/error.h"

namespace phasor {

class Cancelled : public Error {
 public:
  using Error::Error;
};

// The question that stop_if_cancelled() asks, from any thread; null: never cancelled.
void set_cancellation(bool (*asked)());

// Throws Cancelled. Cheap enough for every sample; not for inside a parallel region.
void stop_if_cancelled();

}  // namespace phasor
