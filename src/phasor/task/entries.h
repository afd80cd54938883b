#pragma once
// The entries of the catalogue, each defined in the file of its name.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry distance_task();
TaskEntry counting_task();
TaskEntry joint_task();
TaskEntry index_task();
TaskEntry retrieval_task();
TaskEntry indirect_task();
TaskEntry grid_task();   // two axes
TaskEntry grid3_task();  // in grid.cpp: three
TaskEntry copy_task();
TaskEntry reverse_task();  // in copy.cpp
TaskEntry flipflop_task();
TaskEntry parity_task();
TaskEntry modular_task();
TaskEntry addition_task();
TaskEntry mqar_task();
TaskEntry passkey_task();
TaskEntry missing_task();
TaskEntry odds_first_task();
TaskEntry stack_task();
TaskEntry dyck_task();
TaskEntry variables_task();
TaskEntry listops_task();

}  // namespace phasor
