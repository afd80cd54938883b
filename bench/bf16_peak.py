#!/usr/bin/env python3
"""Prints the GPU's bf16 rate in TFLOP/s: PyTorch's product of two random 8192 x 8192 matrices, median of ten."""
import sys

try:
    import torch
except ImportError:
    sys.exit("bf16_peak: PyTorch is not here")
if not torch.cuda.is_available():
    sys.exit("bf16_peak: PyTorch sees no GPU")
SIZE = 8192
a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
for _ in range(5):
    a @ b
times = []
for _ in range(10):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    a @ b
    end.record()
    torch.cuda.synchronize()
    times.append(begin.elapsed_time(end))
print(f"{2 * SIZE**3 / sorted(times)[5] * 1e-9:.0f}")
