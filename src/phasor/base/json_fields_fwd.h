#pragma once
// For headers that declare tables of members: const Fields<Habit>& json_fields(const Habit*);

namespace phasor {

template <class T>
struct Field;

template <class T>
class Fields;

}  // namespace phasor
