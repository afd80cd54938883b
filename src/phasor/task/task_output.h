#pragma once
// Tasks for people and for programs: the catalogue, and a card for one with its options, floors and ceiling.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/task/floors.h"
#include "phasor/task/task.h"

namespace phasor {

// "chance 8.3 %, length alone 41.0 %, ceiling 100.0 %": what differs from what stands before it.
std::string floors_text(const TaskFloors& floors);
const Fields<TaskFloors>& json_fields(const TaskFloors*);

const Fields<TaskEntry>& json_fields(const TaskEntry*);

// A line per task; an array of objects with `name`.
std::string task_list();
nlohmann::ordered_json task_list_json();

struct TaskCard {  // what task_card_json() writes
  TaskEntry entry;
  std::vector<int64_t> values;  // of its options, in their order
  TaskFloors floors;
};
const Fields<TaskCard>& json_fields(const TaskCard*);

std::string task_card(const TaskEntry& entry, const std::vector<int64_t>& values, const TaskFloors& floors);
nlohmann::ordered_json task_card_json(const TaskEntry& entry, const std::vector<int64_t>& values,
                                      const TaskFloors& floors);

}  // namespace phasor
