#pragma once
// For headers that declare tables of members: const Fields<Habit>& json_fields(const Habit*);
#include <vector>

namespace phasor {

template <class T>
struct Field;

template <class T>
using Fields = std::vector<Field<T>>;

}  // namespace phasor
