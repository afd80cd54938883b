#pragma once
// The kinds of trouble. A trial makes one, and says what is wrong afterwards; an empty text: nothing.
#include <string>

#include "faults/workshop.h"

namespace phasor::faults {

struct Kind {
  const char* name;
  const char* what;
  std::string (*trial)(Workshop& workshop, Dice& dice);
};

std::string kill_training(Workshop& workshop, Dice& dice);
std::string kill_study(Workshop& workshop, Dice& dice);
std::string fail_a_call(Workshop& workshop, Dice& dice);
std::string race_for_a_folder(Workshop& workshop, Dice& dice);
std::string damage_a_file(Workshop& workshop, Dice& dice);
std::string ask_for_nonsense(Workshop& workshop, Dice& dice);

}  // namespace phasor::faults
