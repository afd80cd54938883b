"""Reads and writes safetensors files with PyTorch alone.

The format: a little-endian u64 with the header's length, a JSON header (name -> dtype, shape, data_offsets,
and "__metadata__" with strings), then the raw little-endian data without holes.
"""
import ctypes
import json
import struct
import sys

import torch

DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8,
    "BOOL": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

assert sys.byteorder == "little", "safetensors data is little-endian and this machine is not"


def _bytes(tensor):
    tensor = tensor.detach().cpu().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()) if tensor.numel() else b""


def save(path, tensors, metadata=None):
    """Writes name -> tensor in the given order; `metadata` maps strings to strings."""
    header = {}
    if metadata:
        header["__metadata__"] = metadata
    chunks, end = [], 0
    for name, tensor in tensors.items():
        chunk = _bytes(tensor)
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [end, end + len(chunk)]}
        chunks.append(chunk)
        end += len(chunk)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the data starts at a multiple of 8
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for chunk in chunks:
            file.write(chunk)


def load(path):
    """Returns (name -> tensor, metadata)."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if len(data) < 8:
        raise ValueError(f"{path}: {len(data)} bytes, a safetensors file has at least 8")
    start = 8 + struct.unpack_from("<Q", data)[0]
    if start > len(data):
        raise ValueError(f"{path}: the header ends at byte {start}, the file at {len(data)}")
    header = json.loads(bytes(data[8:start]))
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        dtype, shape = DTYPES[entry["dtype"]], entry["shape"]
        begin, end = entry["data_offsets"]
        count = 1
        for extent in shape:
            count *= extent
        size = count * torch.empty(0, dtype=dtype).element_size()
        if end - begin != size or start + end > len(data):
            raise ValueError(f"{path}: {name} takes {size} bytes, the header gives it {begin}..{end} "
                             f"of {len(data) - start}")
        chunk = data[start + begin:start + end]  # a copy, so that its address is aligned
        flat = torch.frombuffer(chunk, dtype=dtype) if count else torch.empty(0, dtype=dtype)
        tensors[name] = flat.reshape(shape)
    return tensors, metadata
