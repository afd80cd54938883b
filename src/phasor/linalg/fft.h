#pragma once
// A Fourier transform of power-of-two size: enough for symbols, which pad with zeros.
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace phasor {

int64_t power_of_two_from(int64_t least);  // the smallest power of two >= least

class Fft {
 public:
  explicit Fft(int64_t size);

  int64_t size() const { return static_cast<int64_t>(reversed_.size()); }
  // In place: X_m = sum_k x_k e^{-2 pi i k m / size}.
  void forward(std::span<std::complex<double>> x) const;
  // Its inverse, the factor 1 / size included.
  void inverse(std::span<std::complex<double>> x) const;

 private:
  std::vector<int64_t> reversed_;
  std::vector<std::complex<double>> roots_;  // e^{-2 pi i k / size}, k < size / 2, each rounded on its own
};

}  // namespace phasor
