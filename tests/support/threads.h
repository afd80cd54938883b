#pragma once
// Runs a computation with 1, 2 and 4 threads and asks for the same bits.
#include <omp.h>

#include "support/backend.h"
#include "support/device.h"

namespace phasor::testing_support {

// `run` is given a fresh backend and returns the images of all outputs.
template <class Run>
void expect_same_bits_on_any_threads(const Run& run) {
  const int before = omp_get_max_threads();
  std::vector<Bytes> expected;
  for (int threads : {1, 2, 4}) {
    omp_set_num_threads(threads);
    const std::unique_ptr<Backend> backend = make_test_backend();
    const std::vector<Bytes> images = run(*backend);
    if (threads == 1) {
      expected = images;
      continue;
    }
    EXPECT_EQ(images.size(), expected.size());
    for (size_t i = 0; i < images.size(); ++i) {
      EXPECT_TRUE(images[i] == expected[i]) << "output " << i << " differs between 1 and " << threads << " threads";
    }
  }
  omp_set_num_threads(before);
}

}  // namespace phasor::testing_support
