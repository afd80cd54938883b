#include "phasor/linalg/fft.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include "phasor/base/error.h"

namespace phasor {

using Complex = std::complex<double>;

int64_t power_of_two_from(int64_t least) {
  int64_t size = 1;
  while (size < least) size *= 2;
  return size;
}

Fft::Fft(int64_t size) {
  if (size < 1 || (size & (size - 1)) != 0) fail("a Fourier transform of size {}: it must be a power of two", size);
  reversed_.resize(static_cast<size_t>(size));
  for (int64_t i = 1, reversed = 0; i < size; ++i) {
    int64_t bit = size / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed ^= bit;
    reversed_[static_cast<size_t>(i)] = reversed;
  }
  for (int64_t k = 0; k < size / 2; ++k) {
    roots_.push_back(std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size)));
  }
}

void Fft::forward(std::span<Complex> x) const {
  const size_t size = reversed_.size();
  if (x.size() != size) fail("a Fourier transform of size {} was given {} numbers", size, x.size());
  for (size_t i = 0; i < size; ++i) {
    const auto j = static_cast<size_t>(reversed_[i]);
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t half = 1; half < size; half *= 2) {
    const size_t stride = size / (2 * half);
    for (size_t begin = 0; begin < size; begin += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const Complex w = roots_[k * stride];
        const Complex b = x[begin + half + k];
        // Written out: the operator looks for NaN.
        const Complex turned(w.real() * b.real() - w.imag() * b.imag(), w.real() * b.imag() + w.imag() * b.real());
        x[begin + half + k] = x[begin + k] - turned;
        x[begin + k] += turned;
      }
    }
  }
}

void Fft::inverse(std::span<Complex> x) const {
  forward(x);
  if (x.size() > 1) std::reverse(x.begin() + 1, x.end());
  const double factor = 1.0 / static_cast<double>(size());
  for (Complex& value : x) value *= factor;
}

}  // namespace phasor
