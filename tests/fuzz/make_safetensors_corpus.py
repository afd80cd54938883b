#!/usr/bin/env python3
"""Writes the seeds of safetensors_fuzz to corpus/safetensors: files that are valid, and files that
break one rule each. Written from the format's description, not through the library under test.
The names say what a reader must do: valid_* is read, bad_* is refused."""
import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent / "corpus" / "safetensors"


def framed(header: bytes, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header)) + header + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def file_of(header, data=b"", padding=0) -> bytes:
    return framed(json.dumps(header, separators=(",", ":")).encode() + b" " * padding, data)


W = entry("F32", [2], 0, 8)
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1,
         "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1}


def every_dtype():
    header, at = {}, 0
    for dtype, size in SIZES.items():
        header["t." + dtype] = entry(dtype, [1, 2], at, at + 2 * size)
        at += 2 * size
    return file_of(header, bytes(range(at)))


SEEDS = {
    "valid_empty": framed(b"{}"),
    "valid_padded": framed(b"{}      "),
    "valid_metadata": file_of({"__metadata__": {"format": "phasor", "\u00e9\n": "\U0001f600"}}),
    "valid_one": file_of({"w": W}, struct.pack("<2f", 1.0, -2.0)),
    "valid_every_dtype": every_dtype(),
    # An F32 after one byte, and a header whose length is odd: nothing is aligned.
    "valid_misaligned": file_of({"a": entry("U8", [1], 0, 1), "b": entry("F32", [1], 1, 5)}, b"\x01\x00\x00\x80\x3f", 1),
    "valid_zero_sized": file_of({"a": entry("F32", [0, 3], 0, 0), "b": entry("I8", [2], 0, 2),
                                 "c": entry("F64", [0], 2, 2)}, b"\x01\x02"),
    "valid_scalar": file_of({"step": entry("U64", [], 0, 8)}, struct.pack("<Q", 7)),
    "valid_reversed_order": file_of({"a": entry("I16", [2], 4, 8), "b": entry("I16", [2], 0, 4)}, bytes(range(8))),

    "bad_short": b"\x02\x00\x00",
    "bad_length_zero": struct.pack("<Q", 0) + b"{}",
    "bad_length_huge": struct.pack("<Q", 2**63) + b"{}",
    "bad_length_past_end": struct.pack("<Q", 3) + b"{}",
    "bad_start": framed(b" {}"),
    "bad_array": framed(b"[]"),
    "bad_json": framed(b'{"w":'),
    "bad_trailing_text": framed(b"{} x"),
    "bad_zero_byte": framed(b"{}\x00"),
    "bad_utf8": framed(b'{"__metadata__":{"a":"\xff"}}'),
    "bad_deep": framed(b'{"w":{"shape":' + b"[" * 200 + b"]" * 200 + b"}}"),
    "bad_duplicate_name": framed(b'{"w":{"dtype":"I8","shape":[0],"data_offsets":[0,0]},'
                                 b'"w":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}'),
    "bad_duplicate_field": framed(b'{"w":{"dtype":"I8","dtype":"I8","shape":[0],"data_offsets":[0,0]}}'),
    "bad_duplicate_metadata": framed(b'{"__metadata__":{},"__metadata__":{}}'),
    "bad_metadata_number": file_of({"__metadata__": {"a": 1}}),
    "bad_dtype": file_of({"w": entry("F31", [2], 0, 8)}, bytes(8)),
    "bad_missing_field": file_of({"w": {"dtype": "F32", "shape": [2]}}, bytes(8)),
    "bad_extra_field": file_of({"w": {**W, "x": 0}}, bytes(8)),
    "bad_negative": file_of({"w": entry("F32", [-2], 0, 8)}, bytes(8)),
    "bad_overflow": file_of({"w": entry("F32", [2**31, 2**31, 4], 0, 0)}),
    "bad_overflow_beside_zero": file_of({"w": entry("F32", [0, 2**62, 2**62], 0, 0)}),
    "bad_extent": file_of({"w": entry("F32", [2**64], 0, 0)}),
    "bad_span": file_of({"w": entry("F32", [3], 0, 8)}, bytes(8)),
    "bad_reversed": file_of({"w": entry("F32", [2], 8, 0)}, bytes(8)),
    "bad_past_end": file_of({"w": W}, bytes(7)),
    "bad_overlap": file_of({"a": W, "b": entry("F32", [2], 4, 12)}, bytes(12)),
    "bad_hole": file_of({"a": W, "b": entry("F32", [2], 12, 20)}, bytes(20)),
    "bad_hole_at_start": file_of({"a": entry("F32", [2], 4, 12)}, bytes(12)),
    "bad_tail": file_of({"w": W}, bytes(9)),
}

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in SEEDS.items():
        (FOLDER / f"{name}.safetensors").write_bytes(content)
    print(f"{len(SEEDS)} seeds in {FOLDER}")
