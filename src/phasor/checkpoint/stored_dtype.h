#pragma once
// The element types of the safetensors format.
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "phasor/tensor/bfloat16.h"
#include "phasor/tensor/matrix.h"

namespace phasor {

enum class StoredDtype : uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

// As the format spells it: "F32", "BF16", "BOOL".
std::string_view name(StoredDtype dtype);
int64_t byte_size(StoredDtype dtype);
std::optional<StoredDtype> find_stored_dtype(std::string_view name);

constexpr StoredDtype stored_dtype(Dtype dtype) { return dtype == Dtype::f32 ? StoredDtype::f32 : StoredDtype::bf16; }

// The stored type that the C++ type T reads and writes. F16 has no such type, and BOOL none whose
// every bit pattern is a value: these two are read and written as bytes.
template <class T>
struct StoredDtypeOf;
template <>
struct StoredDtypeOf<double> : std::integral_constant<StoredDtype, StoredDtype::f64> {};
template <>
struct StoredDtypeOf<float> : std::integral_constant<StoredDtype, StoredDtype::f32> {};
template <>
struct StoredDtypeOf<bfloat16> : std::integral_constant<StoredDtype, StoredDtype::bf16> {};
template <>
struct StoredDtypeOf<int64_t> : std::integral_constant<StoredDtype, StoredDtype::i64> {};
template <>
struct StoredDtypeOf<int32_t> : std::integral_constant<StoredDtype, StoredDtype::i32> {};
template <>
struct StoredDtypeOf<int16_t> : std::integral_constant<StoredDtype, StoredDtype::i16> {};
template <>
struct StoredDtypeOf<int8_t> : std::integral_constant<StoredDtype, StoredDtype::i8> {};
template <>
struct StoredDtypeOf<uint64_t> : std::integral_constant<StoredDtype, StoredDtype::u64> {};
template <>
struct StoredDtypeOf<uint32_t> : std::integral_constant<StoredDtype, StoredDtype::u32> {};
template <>
struct StoredDtypeOf<uint16_t> : std::integral_constant<StoredDtype, StoredDtype::u16> {};
template <>
struct StoredDtypeOf<uint8_t> : std::integral_constant<StoredDtype, StoredDtype::u8> {};

}  // namespace phasor
