#pragma once
// The backend under test: PHASOR_TEST_BACKEND, or "cpu".
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "phasor/engine/backend.h"
#include "phasor/engine/cpu/gemm.h"
#include "phasor/engine/devices.h"

namespace phasor::testing_support {

inline std::string_view tested_device() {
  const char* chosen = std::getenv("PHASOR_TEST_BACKEND");
  return chosen == nullptr ? kDefaultDevice : chosen;
}

inline std::unique_ptr<Backend> make_test_backend() { return make_backend(tested_device()); }

inline Backend& test_backend() {
  static const std::unique_ptr<Backend> backend = make_test_backend();
  return *backend;
}

}  // namespace phasor::testing_support

#define PHASOR_SKIP_WITHOUT(dtype)                                                                           \
  if (!phasor::testing_support::test_backend().supports(dtype))                                              \
  GTEST_SKIP() << phasor::testing_support::test_backend().description() << " has no " << phasor::name(dtype) \
               << " products in this build or on this machine"

// For tests of bits that must not depend on where in a batch a sequence stands. Only the CPU has its products by a
// library that may not keep to this.
#define PHASOR_SKIP_UNLESS_ROWS_ARE_ALIKE()                                   \
  if (phasor::testing_support::tested_device() == phasor::kDefaultDevice &&   \
      !phasor::available_gemms().front()->rows_are_alike())                   \
  GTEST_SKIP() << "products by " << phasor::available_gemms().front()->name() \
               << " depend in the last bits on a row's place, on this machine"
